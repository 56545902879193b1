/*
 * Calls that may be missing: what was told of them decides which of the others are samples, so that
 * each call of a period has the same chance.
 */
#include "profile_fixture.h"

#include "recorder_calls.h"

/* A call whose time is its rank. */
static struct call_record ranked(uint32_t rank, uint64_t limit)
{
	static int64_t id;

	return (struct call_record){
		.id = ++id, .rank = rank, .limit = limit, .metrics = {{rank, PRESENT}}};
}

static void take(struct recorder *recorder, uint32_t rank, uint64_t limit)
{
	const struct call_record call = ranked(rank, limit);
	struct err err;

	assert_true(recorder_add(recorder, &call, &err));
}

static void flush(struct recorder *recorder)
{
	struct err err;

	assert_true(recorder_flush(recorder, &err));
}

static struct recorder *begin_recording(size_t samples, struct profile **ret)
{
	*ret = open_to_add();
	begin(*ret);
	return record_plain(*ret, samples, 0);
}

static void end_recording(struct recorder *recorder, struct profile *profile)
{
	recorder_destroy(recorder);
	profile_close(profile);
}

/* What has been stored is @n calls whose ranks are @sum. */
static void assert_stored(int64_t n, int64_t sum)
{
	assert_int_equal(query("SELECT count(*) FROM p"), n);
	assert_int_equal(query("SELECT total(time) FROM p"), sum);
}

static void calls_at_or_above_the_least_limit_of_a_period_are_no_samples(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(1000, &profile);

	(void)state;
	take(recorder, 10, SESSION_RANK_ALL);
	take(recorder, 20, SESSION_RANK_ALL);
	take(recorder, 25, SESSION_RANK_ALL);
	take(recorder, 40, SESSION_RANK_ALL);
	assert_false(recorder_was_limited(recorder, 0, 0));
	recorder_limit(recorder, 0, 0, 25);
	assert_true(recorder_was_limited(recorder, 0, 0));
	take(recorder, 5, 25);
	flush(recorder);
	assert_int_equal(recorder_kept(recorder, 0, 0), 3);
	assert_stored(3, 35);
	end_recording(recorder, profile);
}

/* Until it is raised. */
static void a_limit_holds_in_the_periods_that_follow(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(1000, &profile);

	(void)state;
	recorder_limit(recorder, 0, 0, 25);
	flush(recorder);
	take(recorder, 30, SESSION_RANK_ALL); /* a stop's, beside probes that leave some out */
	take(recorder, 20, 25);
	recorder_limit(recorder, 0, 0, SESSION_RANK_ALL);
	take(recorder, 50, SESSION_RANK_ALL);
	flush(recorder);
	assert_stored(1, 20);
	take(recorder, 70, SESSION_RANK_ALL);
	flush(recorder);
	assert_stored(2, 90);
	end_recording(recorder, profile);
}

/* The limit was that low while the call was open, and is up again. */
static void a_call_tells_the_limit_of_its_time(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(1000, &profile);

	(void)state;
	take(recorder, 30, SESSION_RANK_ALL);
	take(recorder, 10, 20);
	take(recorder, 15, SESSION_RANK_ALL);
	flush(recorder);
	assert_true(recorder_was_limited(recorder, 0, 0));
	assert_stored(2, 25);
	take(recorder, 30, SESSION_RANK_ALL);
	flush(recorder);
	assert_stored(3, 55);
	end_recording(recorder, profile);
}

/* Those that become no samples tell it as well. */
static void a_call_that_is_left_out_tells_the_limit_too(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(1000, &profile);
	const struct call_record left_out = ranked(1, 20);
	struct call_record halted = ranked(2, 10);
	struct err err;

	(void)state;
	halted.was_halted = true;
	take(recorder, 30, SESSION_RANK_ALL);
	take(recorder, 15, SESSION_RANK_ALL);
	take(recorder, 5, SESSION_RANK_ALL);
	recorder_leave_out(recorder, &left_out);
	assert_true(recorder_add(recorder, &halted, &err));
	flush(recorder);
	assert_stored(1, 5);
	end_recording(recorder, profile);
}

/* @quiet calls of time 1, and @beside of time 1000, by turns. */
static void take_beside(struct recorder *recorder, unsigned quiet, unsigned beside)
{
	struct err err;

	for (unsigned i = 0; i < quiet || i < beside; i++) {
		struct call_record call = ranked(1, SESSION_RANK_ALL);

		if (i < quiet)
			assert_true(recorder_add(recorder, &call, &err));
		call = ranked(1000, SESSION_RANK_ALL);
		call.is_beside = true;
		if (i < beside)
			assert_true(recorder_add(recorder, &call, &err));
	}
}

/* In each period. At most half are dropped, and 30 stay. */
static void few_calls_beside_loud_pads_are_no_samples(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(1000, &profile);

	(void)state;
	take_beside(recorder, 30, 30);
	flush(recorder);
	assert_int_equal(recorder_kept(recorder, 0, 0), 30);
	assert_stored(30, 30);
	take_beside(recorder, 30, 31);
	flush(recorder);
	assert_stored(30 + 61, 30 + 30 + 31000);
	take_beside(recorder, 29, 1);
	flush(recorder);
	assert_stored(30 + 61 + 30, 30 + 30 + 31000 + 29 + 1000);
	end_recording(recorder, profile);
}

static void who_wants_all_calls_gets_those_beside_loud_pads(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(0, &profile);

	(void)state;
	take_beside(recorder, 300, 3);
	flush(recorder);
	assert_stored(303, 3300);
	end_recording(recorder, profile);
}

static void the_lowest_ranks_of_a_period_are_the_samples(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(3, &profile);
	uint32_t rank;

	(void)state;
	for (rank = 100; rank; rank--)
		take(recorder, rank, SESSION_RANK_ALL);
	flush(recorder);
	assert_stored(3, 6);
	for (rank = 1; rank <= 100; rank++)
		take(recorder, 10 * rank, SESSION_RANK_ALL);
	recorder_limit(recorder, 0, 0, 25);
	flush(recorder);
	assert_stored(5, 36);
	end_recording(recorder, profile);
}

static void who_wants_all_calls_gets_those_that_there_are(void **state)
{
	struct profile *profile;
	struct recorder *recorder = begin_recording(0, &profile);

	(void)state;
	take(recorder, 30, SESSION_RANK_ALL);
	recorder_limit(recorder, 0, 0, 25);
	take(recorder, 10, 25);
	take(recorder, 26, 25);
	flush(recorder);
	assert_stored(3, 66);
	assert_true(recorder_was_limited(recorder, 0, 0));
	assert_false(recorder_was_limited(recorder, 1, 0));
	assert_int_equal(recorder_lost(recorder), 0);
	end_recording(recorder, profile);
}

/* The catalogue is another one, the function and its probes are the same. */
static void a_function_keeps_its_limit_when_the_catalogue_changes(void **state)
{
	static const struct module module = {.path = "prog"};
	static const struct catalogue before = {
		.modules = &module, .n_modules = 1, .functions = &plain, .n_functions = 1};
	static const struct catalogue now = {
		.modules = &module, .n_modules = 1, .functions = &plain, .n_functions = 1};
	struct profile *profile = open_to_add();
	struct recorder *recorder =
		recorder_create(profile, &(struct recorder_options){.samples = 1000});

	(void)state;
	begin(profile);
	recorder_add_image(recorder, 0, &before, no_modules);
	take(recorder, 10, SESSION_RANK_ALL);
	recorder_limit(recorder, 0, 0, 25);
	flush(recorder);
	recorder_replace_image(recorder, 0, &now, no_modules);
	assert_true(recorder_was_limited(recorder, 0, 0));
	take(recorder, 30, SESSION_RANK_ALL);
	take(recorder, 20, 25);
	flush(recorder);
	assert_stored(2, 30);
	end_recording(recorder, profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(calls_at_or_above_the_least_limit_of_a_period_are_no_samples),
		IN_FOLDER(a_limit_holds_in_the_periods_that_follow),
		IN_FOLDER(a_call_tells_the_limit_of_its_time),
		IN_FOLDER(a_call_that_is_left_out_tells_the_limit_too),
		IN_FOLDER(few_calls_beside_loud_pads_are_no_samples),
		IN_FOLDER(who_wants_all_calls_gets_those_beside_loud_pads),
		IN_FOLDER(the_lowest_ranks_of_a_period_are_the_samples),
		IN_FOLDER(who_wants_all_calls_gets_those_that_there_are),
		IN_FOLDER(a_function_keeps_its_limit_when_the_catalogue_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
