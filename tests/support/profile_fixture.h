/*
 * Profiles for tests, each in an empty folder of its own, in a file called p.fathom. Functions are
 * inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_PROFILE_FIXTURE_H
#define FATHOM_TESTS_PROFILE_FIXTURE_H

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/profile.h"

static const struct run a_run = {
	.command = "prog 'an argument'",
	.executable = "/bin/prog",
	.build_id = "abc",
	.host = "host",
	.kernel = "kernel",
	.cpu = "cpu",
	.started = 1700000000,
};

/* Every test works in an empty folder of its own, on a file called p.fathom. */
static inline int enter_folder(void **state)
{
	char *folder = strdup("/tmp/fathom-profile-XXXXXX");

	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	*state = folder;
	return 0;
}

static inline int leave_folder(void **state)
{
	char command[128];
	int status;

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	status = chdir("/") || system(command);
	free(*state);
	return status;
}

/* The function f with the metric time and two features, and @n rows whose ids begin at @first. */
static inline struct samples *make_samples(const char *linkage, unsigned line, int64_t first,
					   size_t n)
{
	struct samples *samples = samples_create("ns::f(int)", linkage, "f.cc", line);
	struct column time = {.name = "time", .role = COLUMN_METRIC, .metric = METRIC_TIME};
	struct column size = {.name = "v->size", .role = COLUMN_FEATURE, .type = FEATURE_INT};
	struct column ratio = {
		.name = "the \"ratio\"", .role = COLUMN_FEATURE, .type = FEATURE_FLOAT, .depth = 2};
	size_t i;

	samples_add_column(samples, &time);
	samples_add_column(samples, &size);
	samples_add_column(samples, &ratio);
	for (i = 0; i < n; i++) {
		struct sample_key key = {
			.id = first + i, .parent = i ? first : 0, .thread = 7, .start_ns = 100 + i};
		struct value cells[] = {
			{.number = 0.1 * (first + i)}, {.number = first + i}, {.number = 1.5}};

		if (i % 2)
			cells[1] = (struct value){.absence = ABSENT_NULL};
		samples_append(samples, &key, cells);
	}
	return samples;
}

static inline struct profile *open_to_add(void)
{
	struct profile *profile;
	struct err err;

	if (!profile_open_to_add("p.fathom", "abc", &profile, &err))
		fail_msg("%s", err.text);
	return profile;
}

static inline void begin(struct profile *profile)
{
	struct err err;

	if (!profile_begin_run(profile, &a_run, &err))
		fail_msg("%s", err.text);
}

static inline void add(struct profile *profile, const char *linkage, unsigned line, int64_t first,
		       size_t n)
{
	struct samples *samples = make_samples(linkage, line, first, n);
	struct err err;

	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	samples_destroy(samples);
}

static inline struct samples *load(struct profile *profile, const char *key, size_t max_cells)
{
	struct samples *samples;
	struct err err;

	if (!profile_load(profile, key, max_cells, &samples, &err))
		fail_msg("%s", err.text);
	return samples;
}

/* A profile of one run with ten samples of the function with the linkage name _f. */
static inline void write_profile(void)
{
	struct profile *profile = open_to_add();

	begin(profile);
	add(profile, "_f", 3, 1, 10);
	profile_close(profile);
}

/* Run SQL on the file as some other program would. */
static inline void alter(const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open("p.fathom", &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

static inline int64_t query(const char *sql)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int64_t number;

	assert_int_equal(sqlite3_open("p.fathom", &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 10000);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

/* Make what is new since version 5 undone: p.fathom has one function, without a view. */
static inline void downgrade_to_5(void)
{
	alter("ALTER TABLE run DROP COLUMN stolen; DROP TABLE layout; DROP TABLE model; ALTER TABLE sample_1 DROP COLUMN waited_ns;"
	      "PRAGMA user_version = 5");
}

static inline void downgrade_to_4(void)
{
	downgrade_to_5();
	alter("DROP TABLE pad_calibration;"
	      "ALTER TABLE run DROP COLUMN probes; ALTER TABLE account DROP COLUMN time_ns;"
	      "PRAGMA user_version = 4");
}

/* Make what is new since version 4 undone: p.fathom has one function, without a view. */
static inline void downgrade_to_3(void)
{
	downgrade_to_4();
	alter("DROP TABLE calibration; DROP VIEW branch;"
	      "ALTER TABLE run DROP COLUMN far_stops; ALTER TABLE run DROP COLUMN stop_cost_ns; "
	      "ALTER TABLE run DROP COLUMN branches;"
	      "ALTER TABLE run DROP COLUMN max_overhead; ALTER TABLE run DROP COLUMN samples;"
	      "ALTER TABLE run DROP COLUMN period_ms; ALTER TABLE account DROP COLUMN kept;"
	      "ALTER TABLE account DROP COLUMN stops; ALTER TABLE account DROP COLUMN stopped_ns;"
	      "ALTER TABLE account DROP COLUMN open_ns; ALTER TABLE sample_1 DROP COLUMN stops;"
	      "ALTER TABLE sample_1 DROP COLUMN stopped_ns; PRAGMA user_version = 3");
}

static inline size_t rows_in_file(const char *key)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;
	size_t n;

	if (!profile_open("p.fathom", &profile, &err))
		fail_msg("%s", err.text);
	samples = load(profile, key, 1000000);
	n = samples->n_rows;
	samples_destroy(samples);
	profile_close(profile);
	return n;
}

static inline void assert_refused(enum err_code code, const char *word)
{
	struct profile *profile = NULL;
	struct err err = {0};

	assert_false(profile_open("p.fathom", &profile, &err));
	assert_null(profile);
	assert_int_equal(err.code, code);
	assert_null(strchr(err.text, '\n'));
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say '%s'", err.text, word);
}

static inline void write_file(const void *bytes, size_t n)
{
	FILE *file = fopen("p.fathom", "w");

	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

#endif
