/*
 * Periods of a recorder: which calls of one are kept, that it ends in time, that nobody waits for
 * the profile, and that memory and columns are bounded.
 */
#include "profile_fixture.h"

#include <sys/resource.h>
#include <time.h>

#include "recorder_calls.h"

/*
 * Positions are kept with the probability 1/10 in each of 1000 rounds: chi-square of 100 counts, as
 * in test_reservoir.c, has the mean 99 and the standard deviation 14; 5 of them have a chance of
 * 1e-5.
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

static int64_t kept_in_file(void)
{
	return query("SELECT count(*) FROM sqlite_schema WHERE name = 'p'")
		       ? query("SELECT count(*) FROM p")
		       : 0;
}

/* Wait until the file has @n rows; a minute at most. */
static void await_rows(int64_t n)
{
	int i;

	for (i = 0; i < 6000; i++) {
		if (kept_in_file() == n)
			return;
		wait_ms(10);
	}
	fail_msg("there are not %ld rows", n);
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* The recorder's clock is coarse: it is behind by a tick at most. */
enum { PERIOD_MS = 250, TICK_MS = 10 };

/* The first call begins the period. Returns whether the last one was in it, too. */
static bool calls_within_a_period(struct recorder *recorder, int64_t first, size_t n)
{
	const int64_t begun = clock_ms();

	calls_plain(recorder, first, n);
	return clock_ms() - begun < PERIOD_MS / 2;
}

/* Other programs have the processor. */
static void give_up(struct recorder *recorder, struct profile *profile)
{
	recorder_destroy(recorder);
	profile_close(profile);
	skip();
}

static void a_period_that_is_over_is_written_while_calls_go_on(void **state)
{
	struct profile *profile = open_to_add();
	struct recorder *recorder = record_plain(profile, 10, PERIOD_MS);
	struct err err;

	(void)state;
	begin(profile);
	if (!calls_within_a_period(recorder, 1, 25))
		give_up(recorder, profile);
	wait_ms(PERIOD_MS + TICK_MS);
	if (!calls_within_a_period(recorder, 101, 4))
		give_up(recorder, profile);
	await_rows(10);
	wait_ms(PERIOD_MS + TICK_MS);
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
	struct recorder *recorder = record_plain(profile, 10, PERIOD_MS);
	const int64_t end = clock_ms() + 60000;
	struct err err;

	(void)state;
	begin(profile);
	calls_plain(recorder, 1, 5);
	/*
	 * Again and again: on a busy machine they may be in two periods, and the first be written
	 * when the second ends.
	 */
	while (kept_in_file() < 5 && clock_ms() < end) {
		wait_ms(PERIOD_MS);
		assert_true(recorder_tend(recorder, &err));
	}
	assert_int_equal(kept_in_file(), 5);
	recorder_destroy(recorder);
	profile_close(profile);
}

/* So often has this thread waited for something. */
static long waits(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

/*
 * Calls for @ms milliseconds, a tenth of one each; returns how many. *@failures: so often it was
 * told.
 */
static size_t go_on(struct recorder *recorder, int64_t first, int ms, int *failures)
{
	int64_t end = clock_ms() + ms;
	struct err err;
	size_t n = 0;

	while (clock_ms() < end) {
		const int64_t before = clock_ms();
		const long waited = waits();

		if (!call_plain(recorder, first + n++, &err)) {
			assert_int_equal(err.code, ERR_IO);
			++*failures;
		}
		/* The writer waits for 1500 ms. Whoever only has no processor does not wait. */
		if (clock_ms() - before > 1000 && waits() > waited)
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
	int i;

	(void)state;
	begin(profile);
	profile_set_patience(profile, 1500);
	assert_int_equal(sqlite3_open("p.fathom", &holder), SQLITE_OK);
	assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	n = go_on(recorder, 1, 2200, &failures);
	for (i = 0; i < 60 && failures == 0; i++)
		n += go_on(recorder, 1 + n, 1000, &failures);
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
	struct recorder_options options = {.max_cells = 10};
	struct profile *profile = open_to_add();
	struct recorder *recorder;
	struct err err;
	int i;

	(void)state;
	begin(profile);
	for (i = 0; i < 2; i++) {
		options.samples = i ? 1000 : 0;
		recorder = recorder_create(profile, &options);
		recorder_add_image(recorder, 0, &plain_catalogue, no_modules);
		calls_plain(recorder, 1 + i * 100, 50);
		assert_int_equal(recorder_kept(recorder, 0, 0), 10);
		/*
		 * Of all calls by chance 10 were to be kept, then; of none it was said that it got
		 * lost.
		 */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(all_calls_of_a_period_have_the_same_chance),
		IN_FOLDER(all_calls_are_kept_if_that_is_asked_for),
		IN_FOLDER(a_period_that_is_over_is_written_while_calls_go_on),
		IN_FOLDER(nobody_waits_for_a_profile_that_others_have),
		IN_FOLDER(what_a_profile_did_not_take_another_one_takes),
		IN_FOLDER(time_that_passes_ends_a_period_without_a_call),
		IN_FOLDER(memory_is_bounded_whatever_is_asked_for),
		IN_FOLDER(a_function_that_has_no_room_does_not_keep_others_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
