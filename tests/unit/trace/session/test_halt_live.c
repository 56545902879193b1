/*
 * Real processes that are halted, looked at, and go on: the programs of fixtures/trace/ say
 * themselves whether they were harmed.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace/session_halt.h"

/* What ended while everybody was being halted. */
static void drain(struct session *session)
{
	while (session_must_next(session).kind == SESSION_CALL)
		;
}

static void busy_threads_are_halted_and_go_on_again_and_again(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 8);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	for (i = 0; i < 200; i++) {
		session_take_calls(session, i % 13);
		session_must_halt(session);
		if (i % 3 == 0)
			drain(session);
		session_continue(session);
		assert_false(session_is_halted(session));
	}
	session_leave_well(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, "right"), 8);
	catalogue_destroy(catalogue);
}

/* What a wait was to be ended by does not come any more: people are slow. */
static void nobody_who_halts_is_disturbed(void **state)
{
	char *const arguments[] = {"busy", "2", NULL};
	const struct timespec moment = {.tv_nsec = 200000000};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 2);
	assert_true(build(program.path, "work", &catalogue, &err));
	session = session_of(catalogue, program.pid);
	session_take_calls(session, 1);
	session_must_halt(session);
	assert_int_equal(nanosleep(&moment, NULL), 0);
	drain(session);
	assert_int_equal(nanosleep(&moment, NULL), 0);
	session_continue(session);
	session_leave_well(session);
	assert_int_equal(program_finish(&program, "right"), 2);
	catalogue_destroy(catalogue);
}

/* Whoever is halted can be left. */
static void a_halted_process_is_left_unharmed(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 8);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < 20; i++) {
		session = session_of(catalogue, program.pid);
		session_take_calls(session, i);
		session_must_halt(session);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(program_finish(&program, "right"), 8);
	catalogue_destroy(catalogue);
}

/* Records that come are of functions that are measured by now, with values as they are. */
static void take_calls_of(struct session *session, const struct catalogue *catalogue, unsigned n)
{
	while (n) {
		const struct session_event event = session_must_next(session);
		const struct function *function;

		if (event.kind == SESSION_PAUSE)
			continue;
		assert_int_equal(event.kind, SESSION_CALL);
		assert_true(event.call.function < catalogue->n_functions);
		function = &catalogue->functions[event.call.function];
		assert_true(!strcmp(function->name, "work") || !strcmp(function->name, "inner"));
		assert_int_equal(event.call.features[0].absence, PRESENT);
		assert_true(event.call.features[0].number >= 0 &&
			    event.call.features[0].number <= 1010);
		n--;
	}
}

static void change_what_is_measured(void **state, const struct session_options *options, int rounds)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogues[3];
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 8);
	catalogues[0] = program_catalogue(&program, "work");
	catalogues[1] = program_catalogue(&program, "inner");
	catalogues[2] = program_catalogue(&program, NULL);
	program_settle(&program);
	assert_true(session_attach(catalogues[0], program.pid, options, &session, &err));
	for (i = 0; i < rounds; i++) {
		const struct catalogue *now = catalogues[(i + 1) % 3];

		take_calls_of(session, catalogues[i % 3], 20);
		session_must_halt(session);
		assert_true(session_replan(session, 0, now, &err));
		session_continue(session);
		take_calls_of(session, now, 1);
	}
	session_leave_well(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, "right"), 8);
	for (i = 0; i < 3; i++)
		catalogue_destroy(catalogues[i]);
}

static void what_is_measured_changes_again_and_again(void **state)
{
	change_what_is_measured(
		state, &(struct session_options){.branches = false, .probes = live_probes}, 50);
}

static void what_is_measured_changes_with_branches(void **state)
{
	change_what_is_measured(
		state, &(struct session_options){.branches = true, .probes = live_probes}, 30);
}

static void what_is_measured_changes_within_a_budget(void **state)
{
	change_what_is_measured(
		state, &(struct session_options){.max_overhead = 0.5, .probes = live_probes}, 5);
}

static void threads_that_wait_go_on_waiting(void **state)
{
	char *const arguments[] = {"waits", NULL};
	struct catalogue *catalogues[2];
	struct program program;
	struct session *session;
	struct err err;
	int i;

	program_start(state, "waits-gcc-O2", arguments, &program);
	catalogues[0] = program_catalogue(&program, "work");
	catalogues[1] = program_catalogue(&program, NULL);
	program_settle(&program);
	session = session_of(catalogues[0], program.pid);
	for (i = 0; i < 20; i++) {
		session_take_calls(session, 3);
		session_must_halt(session);
		assert_true(session_replan(session, 0, catalogues[(i + 1) % 2], &err));
		session_continue(session);
	}
	session_leave_well(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, " 0\n"), 8);
	for (i = 0; i < 2; i++)
		catalogue_destroy(catalogues[i]);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_threads_are_halted_and_go_on_again_and_again),
		cmocka_unit_test(nobody_who_halts_is_disturbed),
		cmocka_unit_test(a_halted_process_is_left_unharmed),
		cmocka_unit_test(what_is_measured_changes_again_and_again),
		cmocka_unit_test(what_is_measured_changes_with_branches),
		cmocka_unit_test(what_is_measured_changes_within_a_budget),
		cmocka_unit_test(threads_that_wait_go_on_waiting),
	};

	return run_by_both(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
