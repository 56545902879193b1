/* Names of enumerators and classes in profiles, and profiles from before there were any. */
#include "profile_fixture.h"

enum { KIND = 1, CLASS = 2, PLAIN = 3 };

/* Three rows: kind 0, 7 and 8, of which 8 has no name; a class with a large number. */
static struct samples *make_kinds(const char *name)
{
	struct samples *samples = samples_create(name, name, "f.cc", 1);
	static const struct column columns[] = {
		{.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME},
		{.name = "kind", .role = COLUMN_FEATURE, .type = FEATURE_ENUM},
		{.name = "class", .role = COLUMN_FEATURE, .type = FEATURE_CLASS},
		{.name = "plain", .role = COLUMN_FEATURE, .type = FEATURE_INT},
	};
	static const double kinds[] = {0, 7, 8};
	size_t i;

	for (i = 0; i < 4; i++)
		samples_add_column(samples, &columns[i]);
	for (i = 0; i < 3; i++) {
		const struct sample_key key = {.id = i + 1};
		const struct value cells[] = {{1, PRESENT},
					      {kinds[i], PRESENT},
					      {4503599627370495, PRESENT},
					      {kinds[i], PRESENT}};

		samples_append(samples, &key, cells);
	}
	samples_add_label(samples, KIND, 7, "it's \"seven\"");
	samples_add_label(samples, KIND, 0, "NONE");
	samples_add_label(samples, CLASS, 4503599627370495, "ns::Derived<int>");
	return samples;
}

static void add_kinds(const char *name)
{
	struct samples *samples = make_kinds(name);
	struct profile *profile = open_to_add();
	struct err err;

	begin(profile);
	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	profile_close(profile);
	samples_destroy(samples);
}

static struct samples *load_from_file(const char *key)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;

	if (!profile_open("p.fathom", &profile, &err))
		fail_msg("%s", err.text);
	samples = load(profile, key, 1000);
	profile_close(profile);
	return samples;
}

/* What a profile of version 1 with the samples of make_kinds() is like. */
static void write_version_1(const char *name)
{
	char sql[512];

	add_kinds(name);
	snprintf(sql, sizeof(sql), "DROP VIEW '%s'", strcmp(name, "label") ? name : "#1 label");
	alter(sql);
	downgrade_to_3();
	snprintf(
		sql, sizeof(sql),
		"DROP TABLE label; DROP TABLE library; UPDATE function SET view = name;"
		"ALTER TABLE function DROP COLUMN module; ALTER TABLE sample_1 DROP COLUMN process;"
		"CREATE VIEW '%s' AS SELECT id, v1 AS time, v2 AS kind FROM sample_1;"
		"PRAGMA user_version = 1",
		name);
	alter(sql);
}

static void labels_come_back(void **state)
{
	struct samples *samples;

	(void)state;
	add_kinds("f");
	samples = load_from_file("f");
	assert_int_equal(samples->columns[KIND].n_labels, 2);
	assert_string_equal(samples_label(&samples->columns[KIND], 0), "NONE");
	assert_string_equal(samples_label(&samples->columns[KIND], 7), "it's \"seven\"");
	assert_null(samples_label(&samples->columns[KIND], 8));
	assert_string_equal(samples_label(&samples->columns[CLASS], 4503599627370495),
			    "ns::Derived<int>");
	assert_true(samples->columns[CLASS].numbers[0] == 4503599627370495);
	assert_int_equal(samples->columns[PLAIN].n_labels, 0);
	samples_destroy(samples);
}

static void views_show_names_and_numbers_that_have_none(void **state)
{
	(void)state;
	add_kinds("f");
	assert_int_equal(query("SELECT count(*) FROM f WHERE kind = 'NONE'"), 1);
	assert_int_equal(query("SELECT count(*) FROM f WHERE kind = 8"), 1);
	assert_int_equal(query("SELECT count(*) FROM f WHERE class = 'ns::Derived<int>'"), 3);
	assert_int_equal(query("SELECT count(*) FROM f WHERE plain = 7"), 1);
}

static void labels_of_a_second_run_are_added(void **state)
{
	struct samples *samples = make_kinds("f");
	struct profile *profile;
	struct err err;

	(void)state;
	add_kinds("f");
	samples_add_label(samples, KIND, 8, "EIGHT");
	profile = open_to_add();
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	profile_close(profile);
	samples_destroy(samples);
	samples = load_from_file("f");
	assert_int_equal(samples->columns[KIND].n_labels, 3);
	samples_destroy(samples);
	assert_int_equal(query("SELECT count(*) FROM label"), 4);
}

static void a_profile_of_version_1_is_read_as_it_is(void **state)
{
	struct samples *samples;

	(void)state;
	write_version_1("f");
	samples = load_from_file("f");
	assert_int_equal(samples->n_rows, 3);
	assert_int_equal(samples->columns[KIND].n_labels, 0);
	assert_true(samples->columns[KIND].numbers[1] == 7);
	samples_destroy(samples);
	assert_int_equal(query("PRAGMA user_version"), 1);
}

static void a_profile_of_version_1_can_be_added_to(void **state)
{
	struct samples *samples;

	(void)state;
	write_version_1("f");
	add_kinds("f");
	assert_int_equal(query("PRAGMA user_version"), PROFILE_VERSION);
	samples = load_from_file("f");
	assert_int_equal(samples->n_rows, 6);
	assert_int_equal(samples->columns[KIND].n_labels, 2);
	samples_destroy(samples);
	assert_int_equal(query("SELECT count(*) FROM f WHERE kind = 'NONE'"), 2);
}

static void a_function_called_label_keeps_its_samples(void **state)
{
	struct samples *samples;

	(void)state;
	write_version_1("label");
	add_kinds("label");
	samples = load_from_file("label");
	assert_int_equal(samples->n_rows, 6);
	samples_destroy(samples);
	assert_int_equal(query("SELECT count(*) FROM \"#1 label\" WHERE kind = 'NONE'"), 2);
}

static bool begin_with_library(const char *path, const char *build_id)
{
	const struct run_library library = {path, build_id};
	struct profile *profile = open_to_add();
	struct run run = a_run;
	struct err err;
	bool ok;

	run.libraries = &library;
	run.n_libraries = 1;
	ok = profile_begin_run(profile, &run, &err);
	if (!ok)
		assert_int_equal(err.code, ERR_USAGE);
	profile_close(profile);
	return ok;
}

static void samples_of_another_build_of_a_library_are_refused(void **state)
{
	(void)state;
	add_kinds("f");
	assert_true(begin_with_library("/lib/a.so", "1"));
	assert_true(begin_with_library("/lib/a.so", "1"));
	assert_true(begin_with_library("/lib/b.so", "2"));
	assert_false(begin_with_library("/lib/a.so", "2"));
	assert_int_equal(query("SELECT count(*) FROM run"), 4);
	assert_int_equal(query("SELECT count(*) FROM library WHERE build_id = '1'"), 2);
}

static void many_columns_with_labels_fit(void **state)
{
	struct samples *samples = samples_create("wide", "wide", NULL, 0);
	const struct sample_key key = {.id = 1};
	struct value cells[700] = {{0}};
	struct profile *profile;
	struct err err;
	char name[16];
	size_t i;

	(void)state;
	for (i = 0; i < 700; i++) {
		snprintf(name, sizeof(name), "c%zu", i);
		samples_add_column(samples, &(struct column){.name = name,
							     .role = COLUMN_FEATURE,
							     .type = FEATURE_ENUM});
		samples_add_label(samples, i, 0, "zero");
	}
	samples_append(samples, &key, cells);
	profile = open_to_add();
	begin(profile);
	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	profile_close(profile);
	samples_destroy(samples);
	assert_int_equal(query("SELECT count(*) FROM wide WHERE c0 = 'zero' AND c699 = 'zero'"), 1);
}

static void labels_are_found_whatever_the_order_they_came_in(void **state)
{
	struct samples *samples = make_kinds("f");
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		int number = 10 + i * 389 % 1000;
		char name[16];

		snprintf(name, sizeof(name), "%d", number);
		samples_add_label(samples, KIND, number, name);
		samples_add_label(samples, KIND, number, "again");
	}
	assert_int_equal(samples->columns[KIND].n_labels, 1002);
	for (i = 10; i < 1010; i++)
		assert_int_equal(atoi(samples_label(&samples->columns[KIND], i)), i);
	assert_null(samples_label(&samples->columns[KIND], 9));
	samples_destroy(samples);
}

struct shares_seen {
	unsigned lines[4];
	double shares[4];
	size_t n;
};

static void take_share(void *self, unsigned line, double share)
{
	struct shares_seen *seen = self;

	assert_in_range(seen->n, 0, 3);
	seen->lines[seen->n] = line;
	seen->shares[seen->n++] = share;
}

static struct shares_seen visit_lines(const char *file)
{
	struct shares_seen seen = {.n = 0};
	struct profile *profile;
	struct err err;

	if (!profile_open("p.fathom", &profile, &err) ||
	    !profile_visit_lines(profile, file, take_share, &seen, &err))
		fail_msg("%s", err.text);
	profile_close(profile);
	return seen;
}

static void samples_at_lines_add_up(void **state)
{
	static const struct line_samples lines[] = {{"a.c", 9, 3}, {"b.c", 9, 2}, {"a.c", 4, 1}};
	struct profile *profile;
	struct shares_seen seen;
	struct err err;

	(void)state;
	add_kinds("f");
	assert_int_equal(visit_lines("a.c").n, 0);
	profile = open_to_add();
	for (int i = 0; i < 2; i++)
		if (!profile_add_lines(profile, lines, 3, 10, &err))
			fail_msg("%s", err.text);
	profile_close(profile);
	seen = visit_lines("a.c");
	assert_int_equal(seen.n, 2);
	assert_int_equal(seen.lines[0], 4);
	assert_int_equal(seen.lines[1], 9);
	assert_float_equal(seen.shares[1], 0.3, 1e-9);
	alter("UPDATE line_sample SET samples = 21 WHERE file = 'a.c' AND line = 4");
	assert_int_equal(visit_lines("a.c").n, 1); /* no part of all */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(labels_come_back),
		IN_FOLDER(views_show_names_and_numbers_that_have_none),
		IN_FOLDER(labels_of_a_second_run_are_added),
		IN_FOLDER(a_profile_of_version_1_is_read_as_it_is),
		IN_FOLDER(a_profile_of_version_1_can_be_added_to),
		IN_FOLDER(a_function_called_label_keeps_its_samples),
		IN_FOLDER(samples_of_another_build_of_a_library_are_refused),
		IN_FOLDER(samples_at_lines_add_up),
		IN_FOLDER(many_columns_with_labels_fit),
		IN_FOLDER(labels_are_found_whatever_the_order_they_came_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
