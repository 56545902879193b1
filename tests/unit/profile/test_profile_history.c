/*
 * What a profile says of its runs: what was measured, on which machine, how it ended, and what it
 * cost.
 */
#include "profile_fixture.h"

#include "profile/profile_history.h"

enum { MANY = 10 };

struct history {
	struct arena *arena;
	struct past_run *runs;
	size_t n;
};

/* The caller destroys the arena. */
static struct history read_history(size_t most)
{
	struct history history = {.arena = arena_create()};
	struct profile *profile;
	struct err err;

	if (!profile_open("p.fathom", &profile, &err) ||
	    !profile_history(profile, most, history.arena, &history.runs, &history.n, &err))
		fail_msg("%s", err.text);
	profile_close(profile);
	return history;
}

static void a_run_is_told_as_it_was_written(void **state)
{
	const struct account account = {.calibration = {.stop_cost_ns = 2500},
					.stops = 7,
					.stopped_ns = 9000,
					.duration_ns = 123456789};
	const struct ending ending = {ENDED_SIGNALLED, 11};
	struct profile *profile = open_to_add();
	struct history history;
	struct err err;

	(void)state;
	begin(profile);
	assert_true(profile_end_run(profile, &ending, &account, &err));
	profile_close(profile);
	history = read_history(MANY);
	assert_int_equal(history.n, 1);
	assert_int_equal(history.runs[0].id, 1);
	assert_string_equal(history.runs[0].run.command, a_run.command);
	assert_string_equal(history.runs[0].run.executable, a_run.executable);
	assert_string_equal(history.runs[0].run.build_id, a_run.build_id);
	assert_string_equal(history.runs[0].run.host, a_run.host);
	assert_string_equal(history.runs[0].run.kernel, a_run.kernel);
	assert_string_equal(history.runs[0].run.cpu, a_run.cpu);
	assert_int_equal(history.runs[0].run.started, a_run.started);
	assert_true(history.runs[0].has_ended);
	assert_int_equal(history.runs[0].ending.how, ENDED_SIGNALLED);
	assert_int_equal(history.runs[0].ending.number, 11);
	assert_int_equal(history.runs[0].account.stops, 7);
	assert_int_equal(history.runs[0].account.stopped_ns, 9000);
	assert_int_equal(history.runs[0].account.duration_ns, 123456789);
	assert_true(history.runs[0].stop_cost_ns == 2500);
	arena_destroy(history.arena);
}

static void of_a_run_that_did_not_end_the_rest_is_not_known(void **state)
{
	struct history history;

	(void)state;
	write_profile();
	history = read_history(MANY);
	assert_int_equal(history.n, 1);
	assert_false(history.runs[0].has_ended);
	assert_true(isnan(history.runs[0].stop_cost_ns));
	arena_destroy(history.arena);
}

static void run_with(struct profile *profile, const char *probes)
{
	struct run run = a_run;
	struct err err;

	run.probes = probes;
	assert_true(profile_begin_run(profile, &run, &err));
}

static void what_noticed_calls_is_told_once(void **state)
{
	struct profile *profile = open_to_add();
	struct arena *arena = arena_create();
	const char *const *probes;
	struct history history;
	struct err err;
	size_t n;

	(void)state;
	run_with(profile, "stops");
	run_with(profile, NULL);
	run_with(profile, "pads");
	run_with(profile, "stops");
	assert_true(profile_probes(profile, arena, &probes, &n, &err));
	assert_int_equal(n, 2);
	assert_string_equal(probes[0], "pads");
	assert_string_equal(probes[1], "stops");
	profile_close(profile);
	history = read_history(MANY);
	assert_null(history.runs[1].run.probes);
	assert_string_equal(history.runs[2].run.probes, "pads");
	arena_destroy(history.arena);
	arena_destroy(arena);
}

static void what_noticed_calls_was_not_told_before_version_5(void **state)
{
	struct arena *arena = arena_create();
	const char *const *probes;
	struct profile *profile;
	struct history history;
	struct err err;
	size_t n;

	(void)state;
	write_profile();
	alter("DROP VIEW \"ns::f(int)\"");
	downgrade_to_4();
	assert_true(profile_open("p.fathom", &profile, &err));
	assert_true(profile_probes(profile, arena, &probes, &n, &err));
	assert_int_equal(n, 0);
	profile_close(profile);
	history = read_history(MANY);
	assert_null(history.runs[0].run.probes);
	arena_destroy(history.arena);
	arena_destroy(arena);
}

static void the_last_runs_are_told_oldest_first(void **state)
{
	struct profile *profile = open_to_add();
	struct history history;
	size_t i;

	(void)state;
	for (i = 0; i < 25; i++)
		begin(profile);
	profile_close(profile);
	history = read_history(MANY);
	assert_int_equal(history.n, MANY);
	for (i = 0; i < MANY; i++)
		assert_int_equal(history.runs[i].id, 16 + i);
	arena_destroy(history.arena);
}

static void a_profile_of_version_3_tells_what_it_can(void **state)
{
	struct history history;

	(void)state;
	write_profile();
	alter("DROP VIEW \"ns::f(int)\"");
	downgrade_to_3();
	history = read_history(MANY);
	assert_int_equal(history.n, 1);
	assert_string_equal(history.runs[0].run.host, "host");
	assert_true(isnan(history.runs[0].stop_cost_ns));
	arena_destroy(history.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_run_is_told_as_it_was_written),
		IN_FOLDER(of_a_run_that_did_not_end_the_rest_is_not_known),
		IN_FOLDER(what_noticed_calls_is_told_once),
		IN_FOLDER(what_noticed_calls_was_not_told_before_version_5),
		IN_FOLDER(the_last_runs_are_told_oldest_first),
		IN_FOLDER(a_profile_of_version_3_tells_what_it_can),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
