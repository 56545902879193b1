/*
 * Files of pictures: what they are called, and that a file is there as a whole or as it was.
 */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/picture_names.h"
#include "results/atomic_file.h"

static void names_are_readable(void **state)
{
	struct picture_names *names = picture_names_create();

	(void)state;
	assert_string_equal(picture_names_give(names, "std::list<int>::sort()", "time"),
			    "std_list_int_sort.time");
	assert_string_equal(picture_names_give(names, "main", "self.time"), "main.self.time");
	picture_names_destroy(names);
}

static void names_are_harmless(void **state)
{
	static const char *const hostile[] = {
		"../../etc/passwd",        "-rf",     ".hidden", "", "/", "..",
		"a\nb;c'd\"e`f$g\x1b\xff", "\xc3\xa9"};
	struct picture_names *names = picture_names_create();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		const char *name = picture_names_give(names, hostile[i], "time");

		assert_true(strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_-.") == strlen(name));
		assert_true(*name != '.' && *name != '-');
	}
	picture_names_destroy(names);
}

static void names_are_bounded(void **state)
{
	struct picture_names *names = picture_names_create();
	char function[10001];

	(void)state;
	memset(function, 'x', sizeof(function) - 1);
	function[sizeof(function) - 1] = '\0';
	assert_true(strlen(picture_names_give(names, function, "self.instructions")) <= 100);
	assert_true(strlen(picture_names_give(names, function, "self.instructions")) <= 100);
	picture_names_destroy(names);
}

static void no_two_functions_have_one_name(void **state)
{
	struct picture_names *names = picture_names_create();

	(void)state;
	assert_string_equal(picture_names_give(names, "operator<", "time"), "operator.time");
	assert_string_equal(picture_names_give(names, "operator>", "time"), "operator-2.time");
	assert_string_equal(picture_names_give(names, "Operator()", "time"), "Operator-3.time");
	assert_string_equal(picture_names_give(names, "operator<", "mem"), "operator.mem");
	picture_names_destroy(names);
}

/* A folder for a test, and a path in it. */
struct place {
	char folder[64], path[96];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	strcpy(place->folder, "/tmp/fathom-test-XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/file", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	int left;

	unlink(place->path);
	/* Fails if anything else was left. */
	left = rmdir(place->folder);
	free(place);
	return left;
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_text(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) == strlen(expected));
	fclose(file);
	assert_string_equal(text, expected);
}

static void a_file_appears_when_it_is_complete(void **state)
{
	const struct place *place = *state;
	struct atomic_file file;
	struct err err;

	assert_true(atomic_file_begin(place->path, NULL, 0, &file, &err));
	fputs("new", file.file);
	assert_int_equal(access(place->path, F_OK), -1);
	assert_true(atomic_file_finish(&file, &err));
	assert_text(place->path, "new");
}

static void what_is_dropped_leaves_what_was_there(void **state)
{
	const struct place *place = *state;
	struct atomic_file file;
	struct err err;

	write_text(place->path, "old");
	assert_true(atomic_file_begin(place->path, NULL, 0, &file, &err));
	fputs("new", file.file);
	atomic_file_drop(&file);
	assert_text(place->path, "old");
}

static void what_replaces_a_file_has_its_mode(void **state)
{
	const struct place *place = *state;
	struct atomic_file file;
	struct stat status;
	struct err err;

	write_text(place->path, "old");
	assert_int_equal(chmod(place->path, 0640), 0);
	assert_true(atomic_file_begin(place->path, NULL, 0, &file, &err));
	assert_true(atomic_file_finish(&file, &err));
	assert_int_equal(stat(place->path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
}

static void inputs_and_programs_are_not_replaced(void **state)
{
	const struct place *place = *state;
	const char *inputs[] = {place->path};
	struct atomic_file file;
	struct err err;

	write_text(place->path, "old");
	assert_false(atomic_file_begin(place->path, inputs, 1, &file, &err));
	assert_int_equal(err.code, ERR_USAGE);
	write_text(place->path, "\177ELF and so on");
	assert_false(atomic_file_begin(place->path, NULL, 0, &file, &err));
	assert_int_equal(err.code, ERR_USAGE);
}

static void where_a_link_leads_is_replaced_and_the_link_stays(void **state)
{
	const struct place *place = *state;
	struct atomic_file file;
	struct stat status;
	struct err err;
	char link[128];

	snprintf(link, sizeof(link), "%s/link", place->folder);
	assert_int_equal(symlink("file", link), 0);
	assert_false(atomic_file_begin(link, NULL, 0, &file, &err));
	assert_int_equal(err.code, ERR_IO);
	write_text(place->path, "old");
	assert_true(atomic_file_begin(link, NULL, 0, &file, &err));
	fputs("new", file.file);
	assert_true(atomic_file_finish(&file, &err));
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	unlink(link);
	assert_text(place->path, "new");
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
	struct atomic_file file;
	struct err err;

	(void)state;
	assert_false(atomic_file_begin("/nowhere/at/all", NULL, 0, &file, &err));
	assert_int_equal(err.code, ERR_IO);
}

static void devices_are_written_and_stay_devices(void **state)
{
	struct atomic_file file;
	struct stat status;
	struct err err;

	(void)state;
	assert_true(atomic_file_begin("/dev/null", NULL, 0, &file, &err));
	fputs("new", file.file);
	assert_true(atomic_file_finish(&file, &err));
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

static void a_full_device_is_an_error(void **state)
{
	struct atomic_file file;
	struct err err;

	(void)state;
	assert_true(atomic_file_begin("/dev/full", NULL, 0, &file, &err));
	fputs("new", file.file);
	assert_false(atomic_file_finish(&file, &err));
	assert_int_equal(err.code, ERR_IO);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_readable),
		cmocka_unit_test(names_are_harmless),
		cmocka_unit_test(names_are_bounded),
		cmocka_unit_test(no_two_functions_have_one_name),
		IN_PLACE(a_file_appears_when_it_is_complete),
		IN_PLACE(what_is_dropped_leaves_what_was_there),
		IN_PLACE(what_replaces_a_file_has_its_mode),
		IN_PLACE(inputs_and_programs_are_not_replaced),
		IN_PLACE(where_a_link_leads_is_replaced_and_the_link_stays),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
		cmocka_unit_test(devices_are_written_and_stay_devices),
		cmocka_unit_test(a_full_device_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
