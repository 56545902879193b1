/* From calls to a profile: what is kept, names of enumerators and classes that occur, branches. */
#include "profile_fixture.h"

#include <time.h>

#include "recorder.h"

static const struct label kinds[] = {{-1, "BAD"}, {0, "NONE"}, {5, "FIVE"}};
static const struct feature features[] = {
	{"kind", FEATURE_ENUM, .labels = kinds, .n_labels = 3},
	{"class", FEATURE_CLASS},
	{"n", FEATURE_INT},
};
static const struct function function = {
	.name = "f", .linkage = "f", .features = features, .n_features = 3};

/* Sorted by name, as in a catalogue; the numbers are not. */
static const struct class_type classes[] = {{"A", 900}, {"B", 4503599627370495}, {"C", 12}};
static const struct catalogue catalogue = {
	.functions = &function, .n_functions = 1, .classes = classes, .n_classes = 3};

static const char *const modules[] = {NULL, "/lib/l.so"};

static struct recorder *make_recorder(struct profile *profile)
{
	struct recorder *recorder =
		recorder_create(profile, &(struct recorder_options){.period_ms = 1000});

	recorder_add_image(recorder, 0, &catalogue, modules);
	return recorder;
}

static void record(struct recorder *recorder, int64_t id, double kind, struct value class_number)
{
	const struct value values[] = {{kind, PRESENT}, class_number, {5, PRESENT}};
	const struct call_record call = {.id = id, .metrics = {{1, PRESENT}}, .features = values};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static void names_of_numbers_that_occur_are_stored(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	record(recorder, 1, -1, (struct value){900, PRESENT});
	record(recorder, 2, 5, (struct value){4503599627370495, PRESENT});
	record(recorder, 3, 6, (struct value){0, ABSENT_UNKNOWN_CLASS});
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 3);
	assert_int_equal(samples->columns[1].n_labels, 2);
	assert_string_equal(column_label(&samples->columns[1], -1), "BAD");
	assert_string_equal(column_label(&samples->columns[1], 5), "FIVE");
	assert_int_equal(samples->columns[2].n_labels, 2);
	assert_string_equal(column_label(&samples->columns[2], 900), "A");
	assert_string_equal(column_label(&samples->columns[2], 4503599627370495), "B");
	assert_int_equal(samples->columns[2].absence[2], ABSENT_UNKNOWN_CLASS);
	assert_int_equal(samples->columns[3].n_labels, 0);
	samples_destroy(samples);
	profile_close(profile);
}

static void a_call_that_had_begun_before_is_no_sample(void **state)
{
	const struct value values[] = {{5, PRESENT}, {900, PRESENT}, {5, PRESENT}};
	const struct call_record part = {
		.id = 1, .metrics = {{1, PRESENT}}, .features = values, .is_adopted = true};
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	assert_true(recorder_add(recorder, &part, &err));
	record(recorder, 2, 5, (struct value){900, PRESENT});
	assert_int_equal(recorder_kept(recorder, 0, 0), 1);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 1);
	samples_destroy(samples);
	profile_close(profile);
}

/* Another program, whose function f has other features, and which has a library. */
static const struct feature other_features[] = {{"m", FEATURE_INT}};
static const struct function other_functions[] = {
	{.name = "f", .linkage = "f", .features = other_features, .n_features = 1},
	{.name = "g", .linkage = "g", .module = 1},
};
static const struct catalogue other = {.functions = other_functions, .n_functions = 2};
static const char *const other_modules[] = {"/bin/other", "/lib/l.so"};

static void record_other(struct recorder *recorder, int64_t id, unsigned index)
{
	const struct value values[] = {{7, PRESENT}};
	const struct call_record call = {.id = id,
					 .image = 1,
					 .function = index,
					 .process = 70,
					 .thread = 71,
					 .metrics = {{1, PRESENT}},
					 .features = values};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static void calls_of_several_programs_are_kept_apart(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = make_recorder(profile);
	struct samples *samples;
	struct err err;

	(void)state;
	begin(profile);
	recorder_add_image(recorder, 1, &other, other_modules);
	recorder_add_image(recorder, 1, &catalogue, modules);
	record(recorder, 1, -1, (struct value){900, PRESENT});
	record_other(recorder, 2, 0);
	record_other(recorder, 3, 1);
	record_other(recorder, 4, 0);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "f", 1000);
	assert_int_equal(samples->n_rows, 1);
	assert_int_equal(samples->n_columns, 1 + 3);
	samples_destroy(samples);
	samples = load(profile, "f@/bin/other", 1000);
	assert_int_equal(samples->n_rows, 2);
	assert_int_equal(samples->n_columns, 1 + 1);
	assert_int_equal(samples->keys[1].process, 70);
	assert_int_equal(samples->keys[1].thread, 71);
	samples_destroy(samples);
	samples = load(profile, "g", 1000);
	assert_string_equal(samples->module, "/lib/l.so");
	samples_destroy(samples);
	profile_close(profile);
}

/* A function of which only the time is known. */
static const struct function plain = {.name = "p", .linkage = "p"};
static const struct catalogue plain_catalogue = {.functions = &plain, .n_functions = 1};

static struct recorder *record_plain(struct profile *profile, size_t samples, unsigned period_ms)
{
	const struct recorder_options options = {
		.samples = samples, .period_ms = period_ms, .seed = 1};
	struct recorder *recorder = recorder_create(profile, &options);

	recorder_add_image(recorder, 0, &plain_catalogue, modules);
	return recorder;
}

static bool call_plain(struct recorder *recorder, int64_t id, struct err *err)
{
	const struct call_record call = {
		.id = id, .stops = 2, .stopped_ns = 3000, .metrics = {{id, PRESENT}}};

	return recorder_add(recorder, &call, err);
}

static void calls_plain(struct recorder *recorder, int64_t first, size_t n)
{
	struct err err;
	size_t i;

	for (i = 0; i < n; i++)
		assert_true(call_plain(recorder, first + i, &err));
}

/*
 * Positions are kept with the probability 1/10 in each of 1000 rounds: chi-square of 100 counts, as in
 * test_reservoir.c, has the mean 99 and the standard deviation 14; 5 of them have a chance of 1e-5.
 */
static void all_calls_of_a_period_have_the_same_chance(void **state)
{
	enum { CALLS = 100, KEPT = 10, ROUNDS = 1000 };
	const double expected = ROUNDS * (double)KEPT / CALLS;
	const double variance = expected * (CALLS - KEPT) / CALLS;
	size_t counts[CALLS] = {0};
	struct recorder *recorder;
	struct samples *samples;
	struct profile *profile;
	double sum = 0;
	struct err err;
	size_t i;

	(void)state;
	assert_true(profile_open_to_add(NULL, "abc", &profile, &err));
	begin(profile);
	recorder = record_plain(profile, KEPT, 0);
	for (i = 0; i < ROUNDS; i++) {
		calls_plain(recorder, 1 + i * CALLS, CALLS);
		assert_true(recorder_flush(recorder, &err));
	}
	assert_int_equal(recorder_kept(recorder, 0, 0), KEPT * ROUNDS);
	recorder_destroy(recorder);
	samples = load(profile, "p", 1000000);
	assert_int_equal(samples->n_rows, KEPT * ROUNDS);
	for (i = 0; i < samples->n_rows; i++) {
		assert_true(!i || samples->keys[i].id > samples->keys[i - 1].id);
		assert_true(samples->columns[0].numbers[i] ==
			    samples->keys[i].id % 1000000000000); /* the row is all of one call */
		counts[(samples->keys[i].id - 1) % CALLS]++;
	}
	for (i = 0; i < CALLS; i++)
		sum += (counts[i] - expected) * (counts[i] - expected) / variance;
	sum *= (CALLS - 1.0) / CALLS;
	if (fabs(sum - (CALLS - 1)) > 5 * sqrt(2 * (CALLS - 1)))
		fail_msg("chi-square %.1f", sum);
	samples_destroy(samples);
	profile_close(profile);
}

static void all_calls_are_kept_if_that_is_asked_for(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 0, 1000);
	struct err err;

	(void)state;
	begin(profile);
	calls_plain(recorder, 1, 20000);
	assert_int_equal(recorder_kept(recorder, 0, 0), 20000);
	assert_true(recorder_flush(recorder, &err));
	assert_int_equal(recorder_kept(recorder, 0, 0), 20000);
	assert_int_equal(recorder_kept(recorder, 1, 0), 0);
	recorder_destroy(recorder);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM p"), 20000);
	assert_int_equal(query("SELECT count(*) FROM p WHERE stops = 2 AND stopped_ns = 3000"),
			 20000);
}

static void wait_ms(int ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	nanosleep(&time, NULL);
}

/* Wait until the file has @n rows; 20 seconds at most. */
static void await_rows(int64_t n)
{
	int i;

	for (i = 0; i < 2000; i++) {
		if (query("SELECT count(*) FROM sqlite_schema WHERE name = 'p'") &&
		    query("SELECT count(*) FROM p") == n)
			return;
		wait_ms(10);
	}
	fail_msg("there are not %ld rows", n);
}

static void a_period_that_is_over_is_written_while_calls_go_on(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 10, 30);
	struct err err;

	(void)state;
	begin(profile);
	calls_plain(recorder, 1, 25);
	wait_ms(60);
	calls_plain(recorder, 101, 4);
	await_rows(10);
	wait_ms(60);
	calls_plain(recorder, 201, 1);
	await_rows(14);
	assert_true(recorder_flush(recorder, &err));
	assert_int_equal(recorder_kept(recorder, 0, 0), 15);
	recorder_destroy(recorder);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM p WHERE id % 1000000 <= 25"), 10);
	assert_int_equal(query("SELECT count(*) FROM p"), 15);
}

static void time_that_passes_ends_a_period_without_a_call(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 10, 30);
	struct err err;

	(void)state;
	begin(profile);
	calls_plain(recorder, 1, 5);
	wait_ms(60);
	assert_true(recorder_tend(recorder, &err));
	await_rows(5);
	recorder_destroy(recorder);
	profile_close(profile);
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Calls for @ms milliseconds, a tenth of one each; returns how many. *@failures: so often it was told. */
static size_t go_on(struct recorder *recorder, int64_t first, int ms, int *failures)
{
	int64_t end = clock_ms() + ms;
	struct err err;
	size_t n = 0;

	while (clock_ms() < end) {
		int64_t before = clock_ms();

		if (!call_plain(recorder, first + n++, &err)) {
			assert_int_equal(err.code, ERR_IO);
			++*failures;
		}
		/* The writer waits for 1500 ms. */
		if (clock_ms() - before > 1000)
			fail_msg("a call waited for %ld ms", clock_ms() - before);
		usleep(100);
	}
	return n;
}

static void nobody_waits_for_a_profile_that_others_have(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 0, 20);
	int failures = 0;
	sqlite3 *holder;
	struct err err;
	size_t n;

	(void)state;
	begin(profile);
	profile_set_patience(profile, 1500);
	assert_int_equal(sqlite3_open("p.fathom", &holder), SQLITE_OK);
	assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	n = go_on(recorder, 1, 2200, &failures);
	assert_true(failures >= 1);
	assert_int_equal(sqlite3_exec(holder, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(holder);
	assert_true(recorder_flush(recorder, &err));
	assert_int_equal(recorder_kept(recorder, 0, 0), n);
	assert_int_equal(recorder_lost(recorder), 0);
	recorder_destroy(recorder);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM p"), n);
}

static void what_a_profile_did_not_take_another_one_takes(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 0, 20);
	struct profile *temporary;
	struct samples *samples;
	int failures = 0;
	sqlite3 *holder;
	struct err err;
	size_t n;

	(void)state;
	begin(profile);
	profile_set_patience(profile, 10);
	assert_int_equal(sqlite3_open("p.fathom", &holder), SQLITE_OK);
	assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	n = go_on(recorder, 1, 100, &failures);
	assert_false(recorder_flush(recorder, &err));
	sqlite3_close(holder);
	recorder_pause(recorder);
	profile_close(profile);
	assert_true(profile_open_to_add(NULL, "abc", &temporary, &err));
	begin(temporary);
	recorder_redirect(recorder, temporary);
	assert_true(recorder_flush(recorder, &err));
	samples = load(temporary, "p", 1000000);
	assert_int_equal(samples->n_rows, n);
	samples_destroy(samples);
	recorder_destroy(recorder);
	profile_close(temporary);
}

static void memory_is_bounded_whatever_is_asked_for(void **state)
{
	struct recorder_options options = {.seed = 1, .max_cells = 10};
	struct profile *profile = open_to_add();
	struct recorder *recorder;
	struct err err;
	int i;

	(void)state;
	begin(profile);
	for (i = 0; i < 2; i++) {
		options.samples = i ? 1000 : 0;
		recorder = recorder_create(profile, &options);
		recorder_add_image(recorder, 0, &plain_catalogue, modules);
		calls_plain(recorder, 1 + i * 100, 50);
		assert_int_equal(recorder_kept(recorder, 0, 0), 10);
		/* Of all calls by chance 10 were to be kept, then; of none it was said that it got lost. */
		assert_int_equal(recorder_lost(recorder), i ? 0 : 40);
		assert_true(recorder_flush(recorder, &err));
		calls_plain(recorder, 51 + i * 100, 5);
		assert_int_equal(recorder_kept(recorder, 0, 0), 15);
		assert_true(recorder_flush(recorder, &err));
		recorder_destroy(recorder);
	}
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM p"), 30);
	assert_int_equal(query("SELECT count(*) FROM p WHERE time <= 10"), 10);
	assert_int_equal(query("SELECT count(*) > 0 FROM p WHERE time > 110 AND time <= 150"), 1);
}

/* One whose columns are those of many runs, all different, already. */
static void a_function_that_has_no_room_does_not_keep_others_out(void **state)
{
	struct samples *wide = samples_create("p", "p", NULL, 0);
	struct value cells[PROFILE_COLUMNS_MAX] = {{0}};
	const struct sample_key key = {.id = 1};
	struct recorder *recorder;
	struct profile *profile = open_to_add();
	char name[16];
	struct err err;
	size_t i;

	(void)state;
	begin(profile);
	for (i = 0; i < PROFILE_COLUMNS_MAX; i++) {
		snprintf(name, sizeof(name), "f%zu", i);
		samples_add_column(wide, &(struct column){.name = name, .role = COLUMN_FEATURE});
	}
	samples_append(wide, &key, cells);
	assert_true(profile_add(profile, wide, &err));
	samples_destroy(wide);
	recorder = record_plain(profile, 0, 0);
	recorder_add_image(recorder, 1, &other, other_modules);
	calls_plain(recorder, 2, 3);
	record_other(recorder, 5, 0);
	assert_false(recorder_flush(recorder, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	recorder_destroy(recorder);
	profile_close(profile);
	assert_int_equal(rows_in_file("p"), 1);
	assert_int_equal(rows_in_file("f"), 1);
}

/* Three branches: in a loop, reached late, never reached. */
static const struct branch_site sites[] = {
	{.addr = 0x10, .file = "b.c", .line = 1, .name = "b.c:1 at b+0x10"},
	{.addr = 0x20, .file = "b.c", .line = 2, .name = "b.c:2 at b+0x20"},
	{.addr = 0x30, .file = "b.c", .line = 2, .name = "b.c:2 at b+0x30"},
};
static const struct feature branch_features[] = {{"n", FEATURE_INT}};
static const struct function branching = {.name = "b",
					  .linkage = "b",
					  .branches = sites,
					  .n_branches = 3,
					  .features = branch_features,
					  .n_features = 1};
static const struct catalogue branch_catalogue = {.functions = &branching, .n_functions = 1};

static void call_branching(struct recorder *recorder, int64_t id, struct value first,
			   struct value second)
{
	const struct value values[] = {{id, PRESENT}};
	const struct value branches[] = {first, second, {0, ABSENT_NOT_REACHED}};
	const struct call_record call = {
		.id = id, .metrics = {{1, PRESENT}}, .features = values, .branches = branches};
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static struct profile *begin_branching(struct recorder **ret)
{
	struct profile *profile = open_to_add();
	struct run run = a_run;
	struct err err;

	run.branches = true;
	assert_true(profile_begin_run(profile, &run, &err));
	*ret = recorder_create(profile, &(struct recorder_options){.seed = 1});
	recorder_add_image(*ret, 0, &branch_catalogue, modules);
	return profile;
}

static const struct value taken = {1, PRESENT}, not_taken = {0, PRESENT},
			  not_reached = {0, ABSENT_NOT_REACHED}, looped = {0, ABSENT_LOOPED};

static void branches_have_columns_when_they_tell_something(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	const struct column *column;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, not_reached);
	assert_true(recorder_flush(recorder, &err));
	call_branching(recorder, 2, not_taken, not_reached);
	call_branching(recorder, 3, not_reached, taken);
	call_branching(recorder, 4, taken, not_taken);
	assert_true(recorder_flush(recorder, &err));
	call_branching(recorder, 5, taken, taken);
	assert_true(recorder_flush(recorder, &err));
	assert_true(recorder_add_looped(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_rows, 5);
	assert_int_equal(samples->n_columns, 1 + 1 + 2);
	column = &samples->columns[2];
	assert_int_equal(column->role, COLUMN_BRANCH);
	assert_non_null(strstr(column->name, "b.c:1"));
	assert_true(column->numbers[0] == 1);
	assert_int_equal(column->absence[0], PRESENT);
	assert_true(column->numbers[1] == 0);
	assert_int_equal(column->absence[1], PRESENT);
	assert_int_equal(column->absence[2], ABSENT_NOT_REACHED);
	column = &samples->columns[3];
	assert_int_equal(column->absence[0], ABSENT_NOT_REACHED);
	assert_int_equal(column->absence[1], ABSENT_NOT_REACHED);
	assert_true(column->numbers[2] == 1);
	assert_int_equal(column->absence[3], PRESENT);
	assert_true(column->numbers[4] == 1);
	samples_destroy(samples);
	profile_close(profile);
	assert_int_equal(query("SELECT count(*) FROM branch"), 2);
	assert_int_equal(query("SELECT count(*) FROM b WHERE \"b.c:2 at b+0x20\" = 1"), 2);
}

static void a_branch_that_a_call_came_to_twice_is_left_out(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, taken);
	call_branching(recorder, 2, looped, taken);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 1);
	assert_non_null(strstr(samples->columns[2].name, "b.c:2"));
	samples_destroy(samples);
	profile_close(profile);
}

/* Whose call was the only one, and not kept, or in a run where the branch told nothing before. */
static void a_branch_that_looped_in_another_run_is_left_out(void **state)
{
	struct recorder *recorder;
	struct profile *profile = begin_branching(&recorder);
	struct samples *samples;
	struct err err;

	(void)state;
	call_branching(recorder, 1, taken, taken);
	assert_true(recorder_flush(recorder, &err));
	recorder_destroy(recorder);
	profile_close(profile);
	profile = begin_branching(&recorder);
	call_branching(recorder, 1, looped, not_reached);
	assert_true(recorder_flush(recorder, &err));
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 2);
	assert_int_equal(samples->columns[3].absence[1], ABSENT_NOT_REACHED);
	samples_destroy(samples);
	assert_true(recorder_add_looped(recorder, &err));
	samples = load(profile, "b", 1000);
	assert_int_equal(samples->n_columns, 1 + 1 + 1);
	samples_destroy(samples);
	recorder_destroy(recorder);
	profile_close(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(names_of_numbers_that_occur_are_stored),
		IN_FOLDER(a_call_that_had_begun_before_is_no_sample),
		IN_FOLDER(calls_of_several_programs_are_kept_apart),
		IN_FOLDER(all_calls_of_a_period_have_the_same_chance),
		IN_FOLDER(all_calls_are_kept_if_that_is_asked_for),
		IN_FOLDER(a_period_that_is_over_is_written_while_calls_go_on),
		IN_FOLDER(nobody_waits_for_a_profile_that_others_have),
		IN_FOLDER(what_a_profile_did_not_take_another_one_takes),
		IN_FOLDER(memory_is_bounded_whatever_is_asked_for),
		IN_FOLDER(a_function_that_has_no_room_does_not_keep_others_out),
		IN_FOLDER(time_that_passes_ends_a_period_without_a_call),
		IN_FOLDER(branches_have_columns_when_they_tell_something),
		IN_FOLDER(a_branch_that_a_call_came_to_twice_is_left_out),
		IN_FOLDER(a_branch_that_looped_in_another_run_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
