/* Profiles: what is written is read, whoever is killed in between. */
#include "profile_fixture.h"

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

static void add_row(struct profile *profile, const char *function, const struct sample_key *key)
{
	struct samples *samples = samples_create(function, function, NULL, 0);
	struct err err;

	samples_append(samples, key, NULL);
	if (!profile_add(profile, samples, &err))
		fail_msg("%s", err.text);
	samples_destroy(samples);
}

/* inner in outer, inner in inner, and one whose caller is not kept. */
static void add_nested(struct profile *profile)
{
	add_row(profile, "outer", &(struct sample_key){.id = 1});
	add_row(profile, "inner", &(struct sample_key){.id = 2, .parent = 1});
	add_row(profile, "inner", &(struct sample_key){.id = 3, .parent = 2});
	add_row(profile, "inner", &(struct sample_key){.id = 5, .parent = 4});
}

static void callers_are_known_by_name(void **state)
{
	struct profile *profile = open_to_add();
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	add_nested(profile);
	add_row(profile, "inner", &(struct sample_key){.id = 6});
	samples = load(profile, "inner", 1000);
	assert_null(samples->callers);
	assert_true(profile_callers(profile, samples, &err));
	assert_string_equal(samples->callers[0], "outer");
	assert_string_equal(samples->callers[1], "inner");
	assert_null(samples->callers[2]);
	assert_null(samples->callers[3]);
	samples_destroy(samples);
	profile_close(profile);
}

/* The first look goes through the functions, the others through an index. */
static void callers_are_the_same_at_every_look(void **state)
{
	struct profile *profile = open_to_add();
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	add_nested(profile);
	profile_close(profile);
	assert_true(profile_open("p.fathom", &profile, &err));
	for (int i = 0; i < 3; i++) {
		samples = load(profile, "inner", 1000);
		assert_true(profile_callers(profile, samples, &err));
		assert_string_equal(samples->callers[0], "outer");
		assert_string_equal(samples->callers[1], "inner");
		assert_null(samples->callers[2]);
		samples_destroy(samples);
	}
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
	assert_true(profile_has_namesakes(profile, "ns::f(int)"));
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
	assert_false(profile_has_namesakes(profile, "run"));
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM \"#1 run\""), 1);
	assert_int_equal(query("SELECT count(*) FROM a"), 1);
}

static void accounts_add_up_and_count_calls_without_samples(void **state)
{
	const struct function function = {.linkage = "_f", .file = "f.cc", .line = 3};
	const struct function_account account = {.calls = 40, .abandoned = 1};
	const struct ending ending = {.how = ENDED_SIGNALLED, .number = 11};
	const struct account total = {.stops = UINT64_MAX, .calibration.stop = {NAN}};
	struct samples *samples = make_samples("_f", 3, 1, 2);
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	assert_true(profile_add(profile, samples, &err));
	assert_true(profile_add_account(profile, &function, NULL, &account, &err));
	assert_true(profile_add_account(profile, &function, NULL, &account, &err));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(what_is_written_is_read),
		IN_FOLDER(a_second_run_adds_samples_with_ids_of_their_own),
		IN_FOLDER(callers_are_known_by_name),
		IN_FOLDER(callers_are_the_same_at_every_look),
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
