/*
 * Real programs under a prompt: the signals that it is told of, and what becomes of calls and
 * processes while everybody is halted.
 */
#include "dwarf_fixture.h"
#include "live_program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/session_halt.h"

/* Records of pads come many at once, and halts would take longer than what is between them. */
enum { HALTS = 300 };

struct launched {
	char path[4096];
	struct catalogue *catalogue;
	struct session *session;
};

static void launch_with(void **state, char *way, const struct session_options *options,
			struct launched *ret)
{
	char *arguments[] = {ret->path, way, NULL};
	struct err err;

	snprintf(ret->path, sizeof(ret->path), "%s", fixture(state, "halted-gcc-O0"));
	assert_true(build(ret->path, "work", &ret->catalogue, &err));
	if (!session_launch(ret->catalogue, ret->path, arguments, options, &ret->session, &err))
		fail_msg("%s", err.text);
}

static void launch(void **state, char *way, struct launched *ret)
{
	const struct session_options options = {
		.prompt = true, .probes = live_probes, .every_call = true};

	launch_with(state, way, &options, ret);
}

static struct session_event next(struct launched *launched)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(launched->session, &event, &err));
	return event;
}

static struct session_event next_but_pauses(struct launched *launched)
{
	struct session_event event;

	do
		event = next(launched);
	while (event.kind == SESSION_PAUSE || event.kind == SESSION_LIMIT);
	return event;
}

/* Until its first call has ended, by a stop: what follows takes 2000 of these. */
static void launch_to_first_call(void **state, struct launched *ret)
{
	launch(state, "work", ret);
	session_watch(ret->session, 0, 0, &(struct session_watch){.ends = true});
	assert_int_equal(next_but_pauses(ret).kind, SESSION_CALL);
}

static void destroy(struct launched *launched)
{
	session_destroy(launched->session);
	catalogue_destroy(launched->catalogue);
}

static struct session_event next_but_calls(struct launched *launched)
{
	struct session_event event;

	do
		event = next(launched);
	while (event.kind == SESSION_CALL || event.kind == SESSION_PAUSE ||
	       event.kind == SESSION_LIMIT);
	return event;
}

static struct session_event next_but_notes(struct launched *launched)
{
	struct session_event event;

	do
		event = next(launched);
	while (event.kind == SESSION_NOTE || event.kind == SESSION_PAUSE ||
	       event.kind == SESSION_LIMIT);
	return event;
}

static struct session_event next_signal(struct launched *launched)
{
	struct session_event event = next_but_calls(launched);

	assert_int_equal(event.kind, SESSION_SIGNAL);
	assert_true(session_is_halted(launched->session));
	assert_int_equal(event.signal.process, session_process(launched->session));
	return event;
}

static void assert_has_ended(struct launched *launched, const struct session_event *event, int how,
			     int number)
{
	assert_int_equal(event->kind, SESSION_ENDED);
	assert_int_equal(event->ending.how, how);
	assert_int_equal(event->ending.number, number);
	destroy(launched);
}

static void assert_ends(struct launched *launched, int how, int number)
{
	const struct session_event event = next_but_calls(launched);

	assert_has_ended(launched, &event, how, number);
}

static void an_interrupt_halts_and_is_not_delivered(void **state)
{
	struct session_event event;
	struct launched launched;

	launch_to_first_call(state, &launched);
	kill(session_process(launched.session), SIGINT);
	event = next_signal(&launched);
	assert_int_equal(event.signal.number, SIGINT);
	assert_true(event.signal.is_interrupt);
	assert_false(event.signal.is_fatal);
	session_continue(launched.session);
	assert_ends(&launched, ENDED_EXITED, 0);
}

static void what_would_end_the_program_is_told_first(void **state)
{
	struct session_event event;
	struct launched launched;

	launch(state, "crash", &launched);
	event = next_signal(&launched);
	assert_int_equal(event.signal.number, SIGSEGV);
	assert_true(event.signal.is_fatal);
	session_continue(launched.session);
	assert_ends(&launched, ENDED_SIGNALLED, SIGSEGV);
}

/*
 * A signal of another's, as by kill(1): a grandchild's, since what we send ourselves is an
 * interrupt.
 */
static void send_from_elsewhere(pid_t pid, int number)
{
	pid_t sender = fork();
	pid_t ended;
	int status;

	if (sender == 0)
		_exit(kill(pid, number) != 0);
	do /* until the timer of a wait that is over */
		ended = waitpid(sender, &status, 0);
	while (ended < 0 && errno == EINTR);
	assert_int_equal(ended, sender);
	assert_int_equal(status, 0);
}

static void a_signal_that_would_end_the_program_can_be_dropped(void **state)
{
	struct session_event event;
	struct launched launched;

	launch_to_first_call(state, &launched);
	send_from_elsewhere(session_process(launched.session), SIGTERM);
	event = next_signal(&launched);
	assert_int_equal(event.signal.number, SIGTERM);
	assert_true(event.signal.is_fatal);
	signal_report_replace(launched.session, 0);
	session_continue(launched.session);
	assert_ends(&launched, ENDED_EXITED, 0);
}

static void another_signal_can_be_delivered(void **state)
{
	struct launched launched;
	struct err err;

	launch(state, "ever", &launched);
	assert_int_equal(next_but_pauses(&launched).kind, SESSION_CALL);
	assert_true(session_halt(launched.session, &err));
	signal_report_replace(launched.session, SIGTERM);
	session_continue(launched.session);
	assert_ends(&launched, ENDED_SIGNALLED, SIGTERM);
}

/* How long it was halted is no time of measuring, nor taken from that. */
static void a_program_that_was_stopped_goes_on(void **state)
{
	struct session_event event;
	struct launched launched;
	uint64_t stopped_ns;

	launch_to_first_call(state, &launched);
	send_from_elsewhere(session_process(launched.session), SIGSTOP);
	event = next_signal(&launched);
	assert_int_equal(event.signal.number, SIGSTOP);
	assert_true(event.signal.is_stop);
	assert_false(event.signal.is_fatal);
	stopped_ns = session_account(launched.session)->stopped_ns;
	usleep(300000);
	session_continue(launched.session);
	event = next_but_calls(&launched);
	assert_true((int64_t)(session_account(launched.session)->stopped_ns - stopped_ns) > 0);
	assert_has_ended(&launched, &event, ENDED_EXITED, 0);
}

/* Who sits at the prompt kills it, or leaves it to itself. */
static void a_halted_program_can_be_killed(void **state)
{
	struct launched launched;
	struct err err;

	launch(state, "ever", &launched);
	assert_int_equal(next_but_pauses(&launched).kind, SESSION_CALL);
	assert_true(session_halt(launched.session, &err));
	session_kill(launched.session);
	assert_ends(&launched, ENDED_SIGNALLED, SIGKILL);
}

static void a_running_program_can_be_killed(void **state)
{
	struct launched launched;

	launch(state, "ever", &launched);
	assert_int_equal(next_but_pauses(&launched).kind, SESSION_CALL);
	session_kill(launched.session);
	assert_ends(&launched, ENDED_SIGNALLED, SIGKILL);
}

/* What others do is seen while everybody is halted. */
static void a_program_that_dies_while_it_is_halted_has_ended(void **state)
{
	struct session_event event;
	struct launched launched;
	struct err err;

	launch(state, "ever", &launched);
	assert_int_equal(next_but_pauses(&launched).kind, SESSION_CALL);
	assert_true(session_halt(launched.session, &err));
	kill(session_process(launched.session), SIGKILL);
	event = next_but_calls(&launched);
	assert_int_equal(event.kind, SESSION_ENDED);
	assert_int_equal(event.ending.number, SIGKILL);
	assert_false(session_halt(launched.session, &err));
	assert_int_equal(err.code, ERR_TARGET);
	destroy(&launched);
}

/* The program counts what it was sent, and what its children say. */
static void halt_often(void **state, char *way, bool follow_fork)
{
	const struct session_options options = {.prompt = true,
						.probes = live_probes,
						.every_call = true,
						.follow_fork = follow_fork};
	struct session_event event;
	struct launched launched;
	unsigned calls = 0;
	unsigned halts = 0;
	struct err err;

	launch_with(state, way, &options, &launched);
	do {
		event = next(&launched);
		calls += event.kind == SESSION_CALL;
		if (event.kind == SESSION_CALL && calls % 17 == 0 && halts++ < HALTS &&
		    session_halt(launched.session, &err)) /* else it has just ended */
			session_continue(launched.session);
	} while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	assert_true(calls > 17);
	destroy(&launched);
}

static void no_signal_is_lost(void **state)
{
	halt_often(state, "signals", false);
}

static void children_are_not_lost(void **state)
{
	halt_often(state, "children", false);
}

static void children_that_are_measured_are_halted_too(void **state)
{
	halt_often(state, "children", true);
}

/* In all processes of the program. */
static void what_is_measured_changes_while_children_come_and_go(void **state)
{
	const struct session_options options = {
		.prompt = true, .probes = live_probes, .every_call = true, .follow_fork = true};
	struct catalogue *all;
	struct launched launched;
	struct session_event event;
	unsigned calls = 0;
	unsigned halts = 0;
	struct err err;

	launch_with(state, "children", &options, &launched);
	assert_true(build(launched.path, NULL, &all, &err));
	do {
		event = next(&launched);
		if (event.kind != SESSION_CALL || ++calls % 5 != 0 || halts++ >= HALTS ||
		    !session_halt(launched.session, &err))
			continue;
		assert_true(session_replan(launched.session, 0,
					   calls % 2 ? all : launched.catalogue, &err));
		session_continue(launched.session);
	} while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	assert_true(calls > 60);
	catalogue_destroy(all);
	destroy(&launched);
}

/* A library that nobody looked at so far is mapped already. */
static void functions_of_a_library_are_measured_when_they_are_wanted(void **state)
{
	char path[4096], plugin[4096];
	char *arguments[] = {path, plugin, "4", NULL};
	const struct session_options options = {
		.prompt = true, .probes = live_probes, .every_call = true};
	struct catalogue *library;
	struct launched launched;
	struct session_event event;
	unsigned calls = 0;
	struct err err;

	snprintf(path, sizeof(path), "%s", fixture(state, "host-gcc"));
	snprintf(plugin, sizeof(plugin), "%s", fixture(state, "plugin-gcc.so"));
	assert_true(build(path, "use_plugin", &launched.catalogue, &err));
	assert_true(build(path, "needed_work", &library, &err));
	assert_true(library->functions->module > 0);
	assert_true(session_launch(launched.catalogue, path, arguments, &options, &launched.session,
				   &err));
	/* so that it is halted at the end of its first call */
	session_watch(launched.session, 0, 0, &(struct session_watch){.ends = true});
	assert_int_equal(next_but_notes(&launched).kind, SESSION_CALL);
	assert_true(session_halt(launched.session, &err));
	assert_true(session_replan(launched.session, 0, library, &err));
	session_continue(launched.session);
	while ((event = next_but_notes(&launched)).kind == SESSION_CALL)
		calls += event.call.features[0].number > 1;
	assert_int_equal(event.kind, SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	assert_int_equal(calls, 3); /* of the rounds that follow */
	session_destroy(launched.session);
	catalogue_destroy(launched.catalogue);
	catalogue_destroy(library);
}

static void a_program_that_is_halted_on_its_way_can_execute_another(void **state)
{
	struct session_event event;
	struct launched launched;
	unsigned image, calls = 0, halts = 0;
	struct err err;

	launch(state, "execute", &launched);
	do {
		event = next(&launched);
		if (event.kind == SESSION_IMAGE)
			assert_true(session_measure(launched.session, launched.catalogue, &image,
						    &err));
		assert_int_not_equal(event.kind, SESSION_SIGNAL); /* no thread dies by one */
		calls += event.kind == SESSION_CALL;
		if (event.kind == SESSION_CALL && calls % 50 == 0 && halts++ < HALTS &&
		    session_halt(launched.session, &err))
			session_continue(launched.session);
	} while (event.kind != SESSION_ENDED);
	assert_int_equal(event.ending.how, ENDED_EXITED);
	assert_int_equal(event.ending.number, 0);
	/* The catalogue does not have execve(), where what pads noted would be taken. */
	assert_true(calls >= (live_probes == PROBES_PADS ? 2000 : 3000));
	destroy(&launched);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupt_halts_and_is_not_delivered),
		cmocka_unit_test(what_would_end_the_program_is_told_first),
		cmocka_unit_test(a_signal_that_would_end_the_program_can_be_dropped),
		cmocka_unit_test(another_signal_can_be_delivered),
		cmocka_unit_test(a_program_that_was_stopped_goes_on),
		cmocka_unit_test(a_halted_program_can_be_killed),
		cmocka_unit_test(a_running_program_can_be_killed),
		cmocka_unit_test(a_program_that_dies_while_it_is_halted_has_ended),
		cmocka_unit_test(no_signal_is_lost),
		cmocka_unit_test(children_are_not_lost),
		cmocka_unit_test(what_is_measured_changes_while_children_come_and_go),
		cmocka_unit_test(children_that_are_measured_are_halted_too),
		cmocka_unit_test(functions_of_a_library_are_measured_when_they_are_wanted),
		cmocka_unit_test(a_program_that_is_halted_on_its_way_can_execute_another),
	};

	return run_by_both(argc, argv, tests, sizeof(tests) / sizeof(tests[0]));
}
