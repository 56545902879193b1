/*
 * The profile: what is written is read, whatever dies meanwhile, and what is no profile is refused.
 */
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
static int enter_folder(void **state)
{
	char *folder = strdup("/tmp/fathom-profile-XXXXXX");

	if (!mkdtemp(folder) || chdir(folder))
		return -1;
	*state = folder;
	return 0;
}

static int leave_folder(void **state)
{
	char command[128];
	int status;

	snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
	status = chdir("/") || system(command);
	free(*state);
	return status;
}

/* The function f with the metric time and two features, and @n rows whose ids begin at @first. */
static struct samples *make_samples(const char *linkage, unsigned line, int64_t first, size_t n)
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

static struct profile *open_to_add(void)
{
	struct profile *profile;
	struct err err;

	if (!profile_open_to_add("p.fathom", "abc", &profile, &err))
		fail_msg("%s", err.text);
	return profile;
}

static void begin(struct profile *profile)
{
	struct err err;

	if (!profile_begin_run(profile, &a_run, &err))
		fail_msg("%s", err.text);
}

static void add(struct profile *profile, const char *linkage, unsigned line, int64_t first,
		size_t n)
{
	struct samples *samples = make_samples(linkage, line, first, n);
	struct err err;

	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	samples_destroy(samples);
}

static struct samples *load(struct profile *profile, const char *key, size_t max_cells)
{
	struct samples *samples;
	struct err err;

	if (!profile_load(profile, key, max_cells, &samples, &err))
		fail_msg("%s", err.text);
	return samples;
}

/* A profile of one run with ten samples of the function with the linkage name _f. */
static void write_profile(void)
{
	struct profile *profile = open_to_add();

	begin(profile);
	add(profile, "_f", 3, 1, 10);
	profile_close(profile);
}

/* Run SQL on the file as some other program would. */
static void alter(const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open("p.fathom", &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

static int64_t query(const char *sql)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	int64_t number;

	assert_int_equal(sqlite3_open("p.fathom", &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return number;
}

static size_t rows_in_file(const char *key)
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

static void assert_refused(enum err_code code, const char *word)
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

static void write_file(const void *bytes, size_t n)
{
	FILE *file = fopen("p.fathom", "w");

	assert_int_equal(fwrite(bytes, 1, n, file), n);
	fclose(file);
}

static void what_is_written_is_read(void **state)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;
	const char *const *functions;

	(void)state;
	write_profile();
	assert_true(profile_open("p.fathom", &profile, &err));
	assert_int_equal(profile_runs(profile), 1);
	assert_int_equal(profile_functions(profile, &functions), 1);
	assert_string_equal(functions[0], "_f");
	samples = load(profile, "_f", 1000);
	assert_string_equal(samples->function, "ns::f(int)");
	assert_string_equal(samples->linkage, "_f");
	assert_string_equal(samples->file, "f.cc");
	assert_int_equal(samples->line, 3);
	assert_int_equal(samples->n_rows, 10);
	assert_int_equal(samples->n_calls, 10);
	assert_int_equal(samples->n_columns, 3);
	assert_string_equal(samples->columns[0].name, "time");
	assert_int_equal(samples->columns[0].role, COLUMN_METRIC);
	assert_string_equal(samples->columns[2].name, "the \"ratio\"");
	assert_int_equal(samples->columns[2].type, FEATURE_FLOAT);
	assert_int_equal(samples->columns[2].depth, 2);
	assert_true(samples->columns[0].numbers[6] == 0.1 * 7);
	assert_true(samples->columns[1].numbers[8] == 9);
	assert_int_equal(samples->columns[1].absence[8], PRESENT);
	assert_int_equal(samples->columns[1].absence[9], ABSENT_NULL);
	assert_int_equal(samples->keys[0].parent, 0);
	assert_int_equal(samples->keys[9].parent, samples->keys[0].id);
	assert_int_equal(samples->keys[9].thread, 7);
	assert_int_equal(samples->keys[9].start_ns, 109);
	samples_destroy(samples);
	profile_close(profile);
}

static void a_second_run_adds_samples_with_ids_of_their_own(void **state)
{
	struct profile *profile;
	struct samples *samples;

	(void)state;
	write_profile();
	profile = open_to_add();
	begin(profile);
	add(profile, "_f", 3, 1, 4);
	add(profile, "_f", 3, 5, 2);
	assert_int_equal(profile_runs(profile), 2);
	samples = load(profile, "_f", 1000);
	assert_int_equal(samples->n_rows, 16);
	assert_int_equal(samples->keys[9].run, 1);
	assert_int_equal(samples->keys[10].run, 2);
	assert_true(samples->keys[10].id > samples->keys[9].id);
	assert_int_equal(samples->keys[11].parent, samples->keys[10].id);
	samples_destroy(samples);
	profile_close(profile);
}

static void nothing_but_the_file_is_left_behind(void **state)
{
	(void)state;
	write_profile();
	assert_int_equal(access("p.fathom", F_OK), 0);
	assert_int_equal(access("p.fathom-journal", F_OK), -1);
	assert_int_equal(access("p.fathom-wal", F_OK), -1);
	assert_int_equal(access("p.fathom-shm", F_OK), -1);
}

static void samples_of_another_build_are_refused(void **state)
{
	struct profile *profile = NULL;
	struct err err;

	(void)state;
	write_profile();
	assert_false(profile_open_to_add("p.fathom", "xyz", &profile, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.text, "xyz"));
	assert_non_null(strstr(err.text, "abc"));
	assert_int_equal(rows_in_file("_f"), 10);
}

static void a_run_that_yielded_nothing_does_not_tie_the_profile_to_its_build(void **state)
{
	const struct ending ending = {.how = ENDED_EXITED};
	const struct account account = {0};
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	assert_true(profile_end_run(profile, &ending, &account, &err));
	profile_close(profile);
	assert_true(profile_open_to_add("p.fathom", "xyz", &profile, &err));
	profile_close(profile);
}

static void columns_that_come_later_are_absent_before(void **state)
{
	struct column late = {.name = "late", .role = COLUMN_FEATURE, .type = FEATURE_BOOL};
	struct value cells[] = {{1}, {2}, {3}, {1}};
	struct sample_key key = {.id = 1};
	struct samples *samples = make_samples("_f", 3, 1, 0);
	struct profile *profile;
	struct err err;
	size_t column;

	(void)state;
	write_profile();
	profile = open_to_add();
	begin(profile);
	samples_add_column(samples, &late);
	samples_append(samples, &key, cells);
	assert_true(profile_add(profile, samples, &err));
	samples_destroy(samples);
	samples = load(profile, "_f", 1000);
	assert_int_equal(samples->n_rows, 11);
	column = samples_find_column(samples, COLUMN_FEATURE, "late");
	assert_int_equal(column, 3);
	assert_int_equal(samples->columns[column].absence[9], ABSENT_NOT_MEASURED);
	assert_int_equal(samples->columns[column].absence[10], PRESENT);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM \"ns::f(int)\" WHERE late = 1"), 1);
}

static void a_limit_on_cells_takes_evenly_spaced_rows(void **state)
{
	struct profile *profile = open_to_add();
	struct samples *samples;
	size_t i;

	(void)state;
	begin(profile);
	add(profile, "_f", 3, 1, 100);
	samples = load(profile, "_f", 30);
	assert_int_equal(samples->n_rows, 10);
	assert_int_equal(samples->n_calls, 100);
	for (i = 1; i < 10; i++)
		assert_int_equal(samples->keys[i].id - samples->keys[i - 1].id, 10);
	samples_destroy(samples);
	samples = load(profile, "_f", 0);
	assert_int_equal(samples->n_rows, 1);
	samples_destroy(samples);
	profile_close(profile);
}

static void a_temporary_profile_works_and_leaves_no_file(void **state)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;

	(void)state;
	assert_true(profile_open_to_add(NULL, "abc", &profile, &err));
	begin(profile);
	add(profile, "_f", 3, 1, 5);
	samples = load(profile, "_f", 1000);
	assert_int_equal(samples->n_rows, 5);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(rmdir("p.fathom"), -1);
	assert_int_equal(errno, ENOENT);
}

static void functions_of_the_same_name_are_kept_apart(void **state)
{
	struct profile *profile = open_to_add();
	const char *const *functions;

	(void)state;
	begin(profile);
	add(profile, "init", 3, 1, 5);
	add(profile, "init", 8, 6, 2);
	add(profile, "init", 3, 8, 1);
	assert_int_equal(profile_functions(profile, &functions), 2);
	assert_string_equal(functions[0], "init");
	assert_string_equal(functions[1], "init@f.cc:8");
	profile_close(profile);
	assert_int_equal(rows_in_file("init"), 6);
	assert_int_equal(rows_in_file("init@f.cc:8"), 2);
}

static void functions_are_listed_by_display_name(void **state)
{
	struct profile *profile = open_to_add();
	const char *const names[] = {"run", "a", "sqlite_x", "metric", "Run"};
	const char *const *functions;
	struct err err;
	size_t i;

	(void)state;
	begin(profile);
	for (i = 0; i < 5; i++) {
		struct samples *samples = samples_create(names[i], names[i], NULL, 0);
		struct sample_key key = {.id = i + 1};

		samples_append(samples, &key, NULL);
		if (!profile_add(profile, samples, &err))
			fail_msg("%s", err.text);
		samples_destroy(samples);
	}
	assert_int_equal(profile_functions(profile, &functions), 5);
	assert_string_equal(functions[0], "Run");
	assert_string_equal(functions[1], "a");
	assert_string_equal(functions[4], "sqlite_x");
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM \"#1 run\""), 1);
	assert_int_equal(query("SELECT count(*) FROM a"), 1);
}

static void accounts_add_up_and_count_calls_without_samples(void **state)
{
	const struct function function = {.linkage = "_f", .file = "f.cc", .line = 3};
	const struct function_account account = {.calls = 40, .abandoned = 1};
	const struct ending ending = {.how = ENDED_SIGNALLED, .number = 11};
	const struct account total = {.stops = UINT64_MAX, .stop_bias_ns = NAN};
	struct samples *samples = make_samples("_f", 3, 1, 2);
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	assert_true(profile_add_account(profile, &function, &account, &err));
	assert_true(profile_add_account(profile, &function, &account, &err));
	assert_true(profile_end_run(profile, &ending, &total, &err));
	samples_destroy(samples);
	samples = load(profile, "_f", 100);
	assert_int_equal(samples->n_rows, 2);
	assert_int_equal(samples->n_calls, 80);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT abandoned FROM account"), 2);
	assert_int_equal(query("SELECT ending FROM run WHERE ended = 'signalled'"), 11);
	assert_int_equal(query("SELECT stop_bias_ns IS NULL FROM run"), 1);
}

static void the_shell_can_query_samples_by_expression(void **state)
{
	(void)state;
	write_profile();
	assert_int_equal(query("SELECT sum(\"v->size\") FROM \"ns::f(int)\""), 1 + 3 + 5 + 7 + 9);
	assert_int_equal(query("SELECT count(*) FROM feature WHERE expression LIKE '%\"%'"), 1);
	assert_int_equal(query("SELECT count FROM absence WHERE reason = 'null'"), 5);
	assert_int_equal(query("PRAGMA application_id"), PROFILE_APPLICATION_ID);
}

static void a_wide_table_fits(void **state)
{
	struct samples *samples = samples_create("wide", "wide", NULL, 0);
	struct value *cells = calloc(1000, sizeof(*cells));
	struct profile *profile = open_to_add();
	struct sample_key key = {.id = 1};
	struct err err;
	char name[32];
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		struct column column = {.name = name, .role = COLUMN_FEATURE, .type = FEATURE_INT};

		snprintf(name, sizeof(name), "feature%u", i);
		samples_add_column(samples, &column);
		cells[i].number = i;
	}
	samples_append(samples, &key, cells);
	begin(profile);
	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	samples_destroy(samples);
	samples = load(profile, "wide", 1000);
	assert_true(samples->columns[999].numbers[0] == 999);
	samples_destroy(samples);
	profile_close(profile);
	free(cells);
}

static void a_batch_that_fails_adds_nothing(void **state)
{
	struct samples *samples = make_samples("_g", 9, 1, 3);
	struct profile *profile;
	const char *const *functions;
	struct err err;

	(void)state;
	write_profile();
	profile = open_to_add();
	begin(profile);
	samples->keys[2].id = samples->keys[1].id;
	assert_false(profile_add(profile, samples, &err));
	assert_int_equal(profile_functions(profile, &functions), 1);
	add(profile, "_f", 3, 1, 1);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 11);
	assert_int_equal(query("SELECT count(*) FROM function"), 1);
}

/* In a child: begin a transaction, change more of the file than fits the cache, and be killed. */
static void die_in_a_transaction(void)
{
	sqlite3 *db;

	sqlite3_open("p.fathom", &db);
	sqlite3_exec(db, "PRAGMA cache_size = 1; BEGIN", NULL, NULL, NULL);
	sqlite3_exec(db,
		     "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n LIMIT 9999) "
		     "INSERT INTO sample_1 (id, run, thread, start_ns) SELECT i, 1, 1, 1 FROM n",
		     NULL, NULL, NULL);
	raise(SIGKILL);
}

static void kill_a_writer(void)
{
	pid_t child;
	int status;

	write_profile();
	child = fork();
	if (!child)
		die_in_a_transaction();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(access("p.fathom-journal", F_OK), 0);
}

static void a_writer_that_is_killed_leaves_its_earlier_batches(void **state)
{
	(void)state;
	kill_a_writer();
	assert_int_equal(rows_in_file("_f"), 10);
	assert_int_equal(access("p.fathom-journal", F_OK), -1);
}

static void a_killed_writer_can_be_followed_by_another(void **state)
{
	struct profile *profile;

	(void)state;
	kill_a_writer();
	profile = open_to_add();
	begin(profile);
	add(profile, "_f", 3, 1, 3);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 13);
}

static void write_for_ever(int ready)
{
	struct profile *profile = open_to_add();
	int64_t id;

	begin(profile);
	for (id = 1;; id += 50) {
		add(profile, "_f", 3, id, 50);
		if (write(ready, "", 1) != 1)
			_exit(1);
	}
}

static void a_writer_killed_at_any_time_leaves_whole_batches(void **state)
{
	int ready[2];
	pid_t child;
	char byte;
	int i;

	(void)state;
	for (i = 1; i <= 5; i++) {
		int n = 0;

		unlink("p.fathom");
		unlink("p.fathom-journal");
		assert_int_equal(pipe(ready), 0);
		child = fork();
		if (!child)
			write_for_ever(ready[1]);
		close(ready[1]);
		while (n < i && read(ready[0], &byte, 1) == 1)
			n++;
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(ready[0]);
		assert_int_equal(n, i);
		assert_true(rows_in_file("_f") >= (size_t)i * 50);
		assert_int_equal(rows_in_file("_f") % 50, 0);
	}
}

static void two_writers_add_to_one_profile_in_turns(void **state)
{
	struct profile *one = open_to_add();
	struct profile *two = open_to_add();

	(void)state;
	begin(one);
	begin(two);
	add(one, "_f", 3, 1, 5);
	add(two, "_f", 3, 1, 5);
	add(two, "_g", 9, 6, 5);
	add(one, "_g", 9, 6, 5);
	profile_close(one);
	profile_close(two);
	assert_int_equal(rows_in_file("_f"), 10);
	assert_int_equal(rows_in_file("_g"), 10);
}

static void a_write_protected_profile_can_be_read(void **state)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;

	(void)state;
	write_profile();
	assert_int_equal(chmod("p.fathom", 0444), 0);
	assert_int_equal(chmod(".", 0555), 0);
	assert_true(profile_open("p.fathom", &profile, &err));
	samples = load(profile, "_f", 100);
	assert_int_equal(samples->n_rows, 10);
	samples_destroy(samples);
	profile_close(profile);
	chmod(".", 0755);
}

static void files_that_are_no_profile_are_refused_with_a_reason(void **state)
{
	static const char text[] = "This is a text of some length. It is not a database at all, "
				   "and nobody would think so who has read its first line.";
	struct err err;
	struct profile *profile;

	(void)state;
	assert_refused(ERR_IO, "No such file");
	write_file("", 0);
	assert_refused(ERR_FORMAT, "empty");
	write_file(text, sizeof(text));
	assert_refused(ERR_FORMAT, "not a fathom profile");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_false(profile_open(".", &profile, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_false(profile_open(":memory:", &profile, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(unlink("p.fathom"), 0);
	assert_int_equal(mkfifo("p.fathom", 0600), 0);
	assert_refused(ERR_IO, "not a file");
}

static void another_applications_database_is_refused_and_left_alone(void **state)
{
	struct profile *profile;
	struct err err;

	(void)state;
	alter("CREATE TABLE theirs (x)");
	assert_refused(ERR_FORMAT, "another application");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(query("SELECT count(*) FROM sqlite_schema"), 1);
}

static void a_newer_profile_is_refused(void **state)
{
	struct profile *profile;
	struct err err;

	(void)state;
	write_profile();
	alter("PRAGMA user_version = 2");
	assert_refused(ERR_UNSUPPORTED, "newer");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
}

static void an_empty_file_becomes_a_profile(void **state)
{
	(void)state;
	write_file("", 0);
	write_profile();
	assert_int_equal(rows_in_file("_f"), 10);
}

/* Open the file and load everything in it; true if all of that worked. */
static bool read_everything(struct err *err)
{
	const char *const *functions;
	struct profile *profile;
	struct samples *samples;
	bool ok = true;
	size_t n;
	size_t i;

	if (!profile_open("p.fathom", &profile, err))
		return false;
	n = profile_functions(profile, &functions);
	for (i = 0; i < n; i++) {
		if (!profile_load(profile, functions[i], 100000, &samples, err)) {
			ok = false;
			continue;
		}
		samples_destroy(samples);
	}
	profile_close(profile);
	return ok;
}

static void hostile_contents_are_an_error(void **state)
{
	static const char *const attacks[] = {
		"UPDATE sample_1 SET v1 = 'text' WHERE id % 2",
		"UPDATE sample_1 SET v1 = zeroblob(1000)",
		"UPDATE sample_1 SET run = -1",
		"UPDATE sample_1 SET thread = 1.5",
		"UPDATE sample_1 SET id = -id",
		"DROP TABLE sample_1",
		"DROP TABLE variable",
		"DROP TABLE run",
		"UPDATE variable SET name = NULL",
		"UPDATE variable SET name = 'same', role = 'feature', type = 'int'",
		"UPDATE variable SET type = 'no such type'",
		"UPDATE variable SET role = zeroblob(10)",
		"UPDATE variable SET name = 'no such metric' WHERE id = 1",
		"UPDATE variable SET depth = 9e99",
		"UPDATE variable SET id = id + 1000000",
		"UPDATE absence SET reason = 'present'",
		"UPDATE absence SET reason = zeroblob(100000)",
		"UPDATE function SET name = NULL",
		"UPDATE function SET linkage = CAST(x'410042' AS TEXT)",
		"UPDATE function SET line = 99999999999",
		"INSERT INTO function SELECT id + 1, name, linkage, file, line, view FROM function;"
		"INSERT INTO function SELECT id + 2, name, linkage, file, line, view FROM function",
		"ALTER TABLE sample_1 RENAME TO x; CREATE VIEW sample_1 AS SELECT * FROM x",
		"ALTER TABLE sample_1 RENAME TO x; CREATE VIEW sample_1 AS WITH RECURSIVE "
		"n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n",
		"DROP TABLE sample_1; CREATE TABLE sample_1 (id INTEGER PRIMARY KEY, parent, run,"
		" thread, start_ns, v1 AS (hex(zeroblob(100000000))), v2, v3);"
		"INSERT INTO sample_1 (id, run, thread, start_ns) VALUES (1, 1, 1, 1)",
		"DROP TABLE account; CREATE VIEW account AS SELECT * FROM account",
		"UPDATE account SET calls = 'many'; INSERT INTO account VALUES (1, 1, 'many', 1)",
		"PRAGMA user_version = 0",
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(attacks) / sizeof(*attacks); i++) {
		unlink("p.fathom");
		write_profile();
		alter(attacks[i]);
		err.code = ERR_NONE;
		if (read_everything(&err))
			fail_msg("not noticed: %s", attacks[i]);
		if (err.code != ERR_FORMAT)
			fail_msg("%s: %s", attacks[i], err.text);
	}
}

static void triggers_in_a_profile_do_not_run(void **state)
{
	struct profile *profile;

	(void)state;
	write_profile();
	alter("CREATE TRIGGER t AFTER INSERT ON sample_1 BEGIN DELETE FROM function; END");
	profile = open_to_add();
	begin(profile);
	add(profile, "_f", 3, 1, 3);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 13);
}

/* The bytes of a profile, to be damaged. The caller frees them. */
static unsigned char *take_profile(size_t *ret_size)
{
	struct stat status;
	unsigned char *bytes;
	FILE *file;

	write_profile();
	file = fopen("p.fathom", "r");
	assert_int_equal(fstat(fileno(file), &status), 0);
	bytes = malloc(status.st_size);
	assert_int_equal(fread(bytes, 1, status.st_size, file), status.st_size);
	fclose(file);
	*ret_size = status.st_size;
	return bytes;
}

/*
 * Make all children of the root page of sample_1 the first one. Source: the SQLite file format,
 * 1.6.
 */
static void repeat_first_page(void)
{
	unsigned char page[4096];
	off_t offset =
		(query("SELECT rootpage FROM sqlite_schema WHERE name = 'sample_1'") - 1) * 4096;
	FILE *file = fopen("p.fathom", "r+");
	unsigned n_cells;
	unsigned i;

	assert_int_equal(fseeko(file, offset, SEEK_SET), 0);
	assert_int_equal(fread(page, 1, sizeof(page), file), sizeof(page));
	assert_int_equal(page[0], 5);
	n_cells = page[3] << 8 | page[4];
	assert_in_range(n_cells, 2, 1000);
	for (i = 1; i < n_cells; i++)
		memcpy(page + (page[12 + 2 * i] << 8 | page[13 + 2 * i]),
		       page + (page[12] << 8 | page[13]), 4);
	assert_int_equal(fseeko(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(page, 1, sizeof(page), file), sizeof(page));
	fclose(file);
}

static void a_table_that_leads_to_the_same_rows_again_is_an_error(void **state)
{
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	add(profile, "_f", 3, 1, 1000);
	profile_close(profile);
	assert_true(read_everything(&err));
	repeat_first_page();
	assert_false(read_everything(&err));
	assert_int_equal(err.code, ERR_FORMAT);
}

static void a_truncated_profile_is_an_error(void **state)
{
	unsigned char *bytes;
	struct err err;
	size_t size;
	size_t n;

	(void)state;
	bytes = take_profile(&size);
	for (n = 1; n < size; n += 509) {
		write_file(bytes, n);
		if (read_everything(&err))
			fail_msg("%zu of %zu bytes were read as a profile", n, size);
	}
	free(bytes);
}

static void damaged_bytes_never_crash_the_reader(void **state)
{
	unsigned long random = 1;
	unsigned char *bytes;
	unsigned char *copy;
	struct err err;
	size_t size;
	int round;
	int i;

	(void)state;
	bytes = take_profile(&size);
	copy = malloc(size);
	for (round = 0; round < 2000; round++) {
		memcpy(copy, bytes, size);
		for (i = 0; i < 1 + round % 8; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			copy[(random >> 33) % size] = random >> 25;
		}
		write_file(copy, size);
		read_everything(&err);
	}
	free(copy);
	free(bytes);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(what_is_written_is_read),
		IN_FOLDER(a_second_run_adds_samples_with_ids_of_their_own),
		IN_FOLDER(nothing_but_the_file_is_left_behind),
		IN_FOLDER(samples_of_another_build_are_refused),
		IN_FOLDER(a_run_that_yielded_nothing_does_not_tie_the_profile_to_its_build),
		IN_FOLDER(columns_that_come_later_are_absent_before),
		IN_FOLDER(a_limit_on_cells_takes_evenly_spaced_rows),
		IN_FOLDER(a_temporary_profile_works_and_leaves_no_file),
		IN_FOLDER(functions_of_the_same_name_are_kept_apart),
		IN_FOLDER(functions_are_listed_by_display_name),
		IN_FOLDER(accounts_add_up_and_count_calls_without_samples),
		IN_FOLDER(the_shell_can_query_samples_by_expression),
		IN_FOLDER(a_wide_table_fits),
		IN_FOLDER(a_batch_that_fails_adds_nothing),
		IN_FOLDER(a_writer_that_is_killed_leaves_its_earlier_batches),
		IN_FOLDER(a_killed_writer_can_be_followed_by_another),
		IN_FOLDER(a_writer_killed_at_any_time_leaves_whole_batches),
		IN_FOLDER(two_writers_add_to_one_profile_in_turns),
		IN_FOLDER(a_write_protected_profile_can_be_read),
		IN_FOLDER(files_that_are_no_profile_are_refused_with_a_reason),
		IN_FOLDER(another_applications_database_is_refused_and_left_alone),
		IN_FOLDER(a_newer_profile_is_refused),
		IN_FOLDER(an_empty_file_becomes_a_profile),
		IN_FOLDER(hostile_contents_are_an_error),
		IN_FOLDER(triggers_in_a_profile_do_not_run),
		IN_FOLDER(a_table_that_leads_to_the_same_rows_again_is_an_error),
		IN_FOLDER(a_truncated_profile_is_an_error),
		IN_FOLDER(damaged_bytes_never_crash_the_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
