/* Profiles of several programs: what a program executes and starts is stored with the right one. */
#include "profile_fixture.h"

static const struct run_library other = {"/bin/other", "other build"};
static const struct run_library library = {"/lib/l.so", "library build"};

/* A run that begins with a program of which nothing is measured. */
static void begin_script(struct profile *profile)
{
	struct run run = a_run;
	struct err err;

	run.executable = "/bin/sh";
	run.build_id = NULL;
	if (!profile_begin_run(profile, &run, &err))
		fail_msg("%s", err.text);
}

static struct profile *open_any(void)
{
	struct profile *profile;
	struct err err;

	if (!profile_open_to_add("p.fathom", NULL, &profile, &err))
		fail_msg("%s", err.text);
	return profile;
}

static bool is_own(struct profile *profile, const char *path, const char *build_id)
{
	const struct run_library program = {path, build_id};
	struct err err;
	bool own;

	if (!profile_add_program(profile, &program, &library, 1, &own, &err))
		fail_msg("%s", err.text);
	return own;
}

static void add_to_module(struct profile *profile, const char *module, int64_t first, size_t n)
{
	struct samples *samples = make_samples("_f", 3, first, n);
	const struct function function = {.linkage = "_f", .file = "f.cc", .line = 3};
	const struct function_account account = {.calls = n + 1};
	struct err err;

	samples_set_module(samples, module);
	if (!profile_add(profile, samples, &err) ||
	    !profile_add_account(profile, &function, module, &account, &err))
		fail_msg("%s", err.text);
	samples_destroy(samples);
}

static void functions_of_two_programs_with_one_name_and_place_are_two(void **state)
{
	const char *const *keys;
	struct samples *samples;
	struct profile *profile;
	struct err err;
	unsigned round;

	(void)state;
	for (round = 0; round < 2; round++) {
		profile = open_to_add();
		begin(profile);
		assert_false(is_own(profile, other.path, other.build_id));
		add_to_module(profile, NULL, 1, 2);
		add_to_module(profile, other.path, 3, 5);
		add_to_module(profile, library.path, 8, 1);
		profile_close(profile);
	}
	assert_true(profile_open("p.fathom", &profile, &err));
	assert_int_equal(profile_functions(profile, &keys), 3);
	assert_string_equal(keys[0], "_f");
	assert_string_equal(keys[1], "_f@/bin/other");
	assert_string_equal(keys[2], "_f@/lib/l.so");
	samples = load(profile, keys[1], 1000);
	assert_int_equal(samples->n_rows, 10);
	assert_int_equal(samples->n_calls, 12);
	assert_string_equal(samples->module, "/bin/other");
	samples_destroy(samples);
	samples = load(profile, keys[0], 1000);
	assert_int_equal(samples->n_rows, 4);
	assert_null(samples->module);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM library WHERE path = '/bin/other'"), 2);
}

static void a_module_has_functions_of_one_name_in_several_places(void **state)
{
	struct profile *profile = open_to_add();
	const char *const *keys;
	struct samples *samples;
	struct err err;
	unsigned line;

	(void)state;
	begin(profile);
	for (line = 1; line <= 3; line++) {
		samples = make_samples("_f", line, line, 1);
		samples_set_module(samples, line == 1 ? NULL : "/lib/l.so");
		assert_true(profile_add(profile, samples, &err));
		samples_destroy(samples);
	}
	assert_int_equal(profile_functions(profile, &keys), 3);
	assert_string_equal(keys[1], "_f@/lib/l.so");
	assert_string_equal(keys[2], "_f@/lib/l.so@f.cc:3");
	profile_close(profile);
}

static void the_first_program_that_is_measured_is_the_profiles_own(void **state)
{
	struct profile *profile = open_any();
	struct err err;

	(void)state;
	begin_script(profile);
	assert_true(is_own(profile, "/bin/prog", "abc"));
	assert_false(is_own(profile, other.path, other.build_id));
	add_to_module(profile, NULL, 1, 1);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM run WHERE executable = '/bin/prog'"), 1);
	/* In another order; a copy of it is the same build. */
	profile = open_any();
	begin_script(profile);
	assert_false(is_own(profile, other.path, other.build_id));
	assert_true(is_own(profile, "/tmp/copy", "abc"));
	profile_close(profile);
	/* It may be started by itself; another may not take its place. */
	profile_close(open_to_add());
	assert_false(profile_open_to_add("p.fathom", other.build_id, &profile, &err));
	assert_int_equal(err.code, ERR_USAGE);
}

static void another_build_of_a_program_is_refused(void **state)
{
	const struct run_library newer = {other.path, "newer build"};
	const struct run_library own = {a_run.executable, "newer build"};
	struct profile *profile = open_to_add();
	struct err err;
	bool is;

	(void)state;
	begin(profile);
	assert_false(is_own(profile, other.path, other.build_id));
	assert_false(is_own(profile, other.path, other.build_id));
	assert_false(profile_add_program(profile, &newer, NULL, 0, &is, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_false(profile_add_program(profile, &own, NULL, 0, &is, &err));
	assert_int_equal(err.code, ERR_USAGE);
	/* The profile is as it was. */
	add_to_module(profile, NULL, 1, 1);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM library WHERE build_id = 'newer build'"), 0);
}

static void samples_tell_their_process(void **state)
{
	struct samples *samples = make_samples("_f", 3, 1, 2);
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	samples->keys[0].process = 5;
	samples->keys[1].process = 4194304;
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	samples_destroy(samples);
	samples = load(profile, "_f", 100);
	assert_int_equal(samples->keys[0].process, 5);
	assert_int_equal(samples->keys[1].process, 4194304);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT process FROM \"ns::f(int)\" WHERE id % 1000 = 1"), 5);
}

/* What version 2 wrote: with a library or not. */
static void write_version_2(bool with_library)
{
	struct profile *profile = open_to_add();

	begin(profile);
	if (with_library)
		is_own(profile, "/bin/prog", "abc");
	add_to_module(profile, NULL, 1, 2);
	profile_close(profile);
	alter("DROP VIEW \"ns::f(int)\"");
	downgrade_to_3();
	alter("ALTER TABLE function DROP COLUMN module;"
	      "ALTER TABLE sample_1 DROP COLUMN process;"
	      "CREATE VIEW \"ns::f(int)\" AS SELECT id, parent, run, thread, start_ns, v1 AS time"
	      " FROM sample_1; PRAGMA user_version = 2");
}

static void a_profile_of_version_2_is_read_as_it_is(void **state)
{
	(void)state;
	write_version_2(true);
	assert_int_equal(rows_in_file("_f"), 2);
	assert_int_equal(query("PRAGMA user_version"), 2);
}

/* It did not tell whether a function was the program's or a library's. */
static void a_profile_of_version_2_is_added_to_by_programs_and_libraries(void **state)
{
	struct profile *profile;

	(void)state;
	write_version_2(true);
	profile = open_to_add();
	begin(profile);
	add_to_module(profile, library.path, 1, 2);
	add_to_module(profile, NULL, 3, 2);
	profile_close(profile);
	assert_int_equal(query("PRAGMA user_version"), PROFILE_VERSION);
	assert_int_equal(rows_in_file("_f"), 6);
	assert_int_equal(query("SELECT count(*) FROM function"), 1);
	assert_int_equal(query("SELECT count(process) FROM \"ns::f(int)\""), 4);
}

static void without_libraries_all_was_the_program(void **state)
{
	struct profile *profile;

	(void)state;
	write_version_2(false);
	profile = open_to_add();
	begin(profile);
	add_to_module(profile, library.path, 1, 2);
	add_to_module(profile, NULL, 3, 1);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 3);
	assert_int_equal(rows_in_file("_f@/lib/l.so"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(functions_of_two_programs_with_one_name_and_place_are_two),
		IN_FOLDER(a_module_has_functions_of_one_name_in_several_places),
		IN_FOLDER(the_first_program_that_is_measured_is_the_profiles_own),
		IN_FOLDER(another_build_of_a_program_is_refused),
		IN_FOLDER(samples_tell_their_process),
		IN_FOLDER(a_profile_of_version_2_is_read_as_it_is),
		IN_FOLDER(a_profile_of_version_2_is_added_to_by_programs_and_libraries),
		IN_FOLDER(without_libraries_all_was_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
