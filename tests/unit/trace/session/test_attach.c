/*
 * Attaching to real processes and leaving them: the programs of fixtures/trace/ say themselves
 * whether they were harmed, and their memory and threads are compared with what they were.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/session.h"

enum { ROUNDS = 200 };

/* Take calls until there were @n, then leave. Values are those that the program works on. */
static void measure(struct session *session, unsigned n)
{
	struct session_event event;
	struct err err;

	while (n) {
		assert_true(session_next(session, &event, &err));
		if (event.kind == SESSION_PAUSE)
			continue;
		if (event.kind == SESSION_NOTE)
			fail_msg("%s", event.note);
		if (event.kind != SESSION_CALL)
			fail_msg("event %d, ending %d %d", event.kind, event.ending.how,
				 event.ending.number);
		assert_int_equal(event.call.features[0].absence, PRESENT);
		assert_true(event.call.features[0].number >= 0 &&
			    event.call.features[0].number <= 1010);
		n--;
	}
	session_detach(session);
	do
		assert_true(session_next(session, &event, &err));
	while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_DETACHED);
}

static void busy_threads_are_measured_and_left_again_and_again(void **state)
{
	char *const arguments[] = {"busy", "8", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 8);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < ROUNDS; i++) {
		struct session *session = session_of(catalogue, program.pid);

		measure(session, i % 17);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(program_finish(&program, "worked right"), 8);
	catalogue_destroy(catalogue);
}

static void a_session_that_is_destroyed_leaves_too(void **state)
{
	char *const arguments[] = {"busy", "3", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;

	program_start(state, "busy-gcc-O0", arguments, &program);
	program_await_threads(&program, 3);
	assert_true(build(program.path, "inner", &catalogue, &err));
	program_settle(&program);
	session_destroy(session_of(catalogue, program.pid));
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, "worked right"), 3);
	catalogue_destroy(catalogue);
}

static void threads_that_wait_go_on_waiting(void **state)
{
	char *const arguments[] = {"waits", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	program_start(state, "waits-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < 20; i++) {
		struct session *session = session_of(catalogue, program.pid);

		measure(session, 3);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(program_finish(&program, " 0\n"), 8);
	catalogue_destroy(catalogue);
}

/* The stop itself disturbs some calls, as signal(7) says. */
static void a_stopped_process_stays_stopped(void **state)
{
	char *const arguments[] = {"waits", "stopped", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;
	int status;

	program_start(state, "waits-gcc-O2", arguments, &program);
	assert_int_equal(waitpid(program.pid, &status, WUNTRACED), program.pid);
	assert_true(WIFSTOPPED(status));
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	measure(session, 0);
	session_destroy(session);
	assert_unharmed(&program, "T");

	session = session_of(catalogue, program.pid);
	kill(program.pid, SIGCONT);
	measure(session, 10);
	session_destroy(session);
	assert_unharmed(&program, "RSD");
	assert_int_equal(program_finish(&program, ""), 8);
	catalogue_destroy(catalogue);
}

/* The kernel looks away for root alone. */
static void a_process_that_may_make_no_system_calls_is_measured(void **state)
{
	char *const arguments[] = {"strict", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	if (geteuid() != 0)
		skip();
	program_start(state, "strict-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < 5; i++) {
		struct session *session = session_of(catalogue, program.pid);

		measure(session, 10);
		session_destroy(session);
		assert_unharmed(&program, "RSD");
	}
	assert_int_equal(program_finish(&program, "right"), 1);
	catalogue_destroy(catalogue);
}

/* Its maps change with its threads. */
static void threads_and_children_that_come_and_go_are_not_harmed(void **state)
{
	char *const arguments[] = {"churn", NULL};
	struct catalogue *catalogue;
	struct program program;
	struct err err;
	int i;

	program_start(state, "churn-gcc-O2", arguments, &program);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	for (i = 0; i < 40; i++) {
		struct session *session = session_of(catalogue, program.pid);

		measure(session, i % 23);
		session_destroy(session);
		assert_code_is_as_in_file(&program);
		assert_threads(&program, "RSDZX");
	}
	assert_int_equal(program_finish(&program, "right"), 3);
	catalogue_destroy(catalogue);
}

static void a_process_that_ends_ends_the_session(void **state)
{
	char *const arguments[] = {"busy", "4", NULL};
	struct session_event event;
	struct catalogue *catalogue;
	struct program program;
	struct session *session;
	struct err err;

	program_start(state, "busy-gcc-O2", arguments, &program);
	program_await_threads(&program, 4);
	assert_true(build(program.path, "work", &catalogue, &err));
	program_settle(&program);
	session = session_of(catalogue, program.pid);
	kill(program.pid, SIGTERM);
	do
		assert_true(session_next(session, &event, &err));
	while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	session_detach(session);
	session_destroy(session);
	catalogue_destroy(catalogue);
	fclose(program.output);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_threads_are_measured_and_left_again_and_again),
		cmocka_unit_test(a_session_that_is_destroyed_leaves_too),
		cmocka_unit_test(threads_that_wait_go_on_waiting),
		cmocka_unit_test(a_stopped_process_stays_stopped),
		cmocka_unit_test(a_process_that_may_make_no_system_calls_is_measured),
		cmocka_unit_test(threads_and_children_that_come_and_go_are_not_harmed),
		cmocka_unit_test(a_process_that_ends_ends_the_session),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
