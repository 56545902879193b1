/* The session on a scripted target: threads, children, other programs, stopped processes. */
#include "session_fixture.h"
#include "trace/probe/breakpoint.h"
#include "trace/session_halt.h"

#define NOTHING(at)                             \
	{                                       \
		.is_signal = true, .now_ns = at \
	}

static void group_stops_are_listened_to(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_GROUP, SIGSTOP, 0, 10000),
	     EVENT(1, STOP_EVENT, SIGTRAP, 0, 20000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "listen 1 0\nresume 1 0\n");
	session_destroy(f.session);
}

static void a_fork_child_gets_its_text_back_and_is_let_go(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_FORK, 0, 11, 10000), EVENT(11, STOP_EVENT, SIGTRAP, 0, 11000),
	     EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "lift 11 400200\n");
	assert_logged(&f, "lift 11 400310\n");
	assert_logged(&f, "detach 11 0\n");
	session_destroy(f.session);
}

/* How often the parent, whose start was a stop too, was resumed before and after @text. */
static void assert_resumes(const struct fixture *f, const char *text, int before, int after)
{
	const char *middle = strstr(f->target.log, text);
	const char *at = f->target.log;

	assert_non_null(middle);
	while ((at = strstr(at, "resume 1 0\n"))) {
		before -= at < middle;
		after -= at++ > middle;
	}
	assert_int_equal(before, 0);
	assert_int_equal(after, 0);
}

static void a_parent_waits_until_its_child_was_let_go(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_FORK, 0, 11, 10000), EVENT(11, STOP_EVENT, SIGTRAP, 0, 11000),
	     EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_resumes(&f, "detach 11 0\n", 2, 1);
	session_destroy(f.session);
}

static void a_parent_whose_child_was_killed_at_once_goes_on(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_FORK, 0, 11, 10000),
	     EVENT(11, STOP_KILLED, SIGKILL, 0, 11000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_resumes(&f, "plant", 0, 3);
	session_destroy(f.session);
}

static void a_thread_that_is_born_in_a_group_stop_stays_in_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(2, STOP_GROUP, SIGSTOP, 0, 10000), EVENT(1, STOP_CLONE, 0, 2, 11000),
	     EVENT(1, STOP_GROUP, SIGSTOP, 0, 12000), EVENT(2, STOP_EVENT, SIGTRAP, 0, 20000),
	     EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "listen 2 0\n");
	assert_null(strstr(strstr(f.target.log, "resume 2 0\n") + 1, "resume 2 0\n"));
	assert_true(strstr(f.target.log, "listen 1 0\n") < strstr(f.target.log, "resume 2 0\n"));
	session_destroy(f.session);
}

static void a_fork_child_that_stops_before_its_parent_tells_is_let_go_too(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(11, STOP_EVENT, SIGTRAP, 0, 10000), EVENT(1, STOP_FORK, 0, 11, 11000),
	     EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "lift 11 400200\n");
	assert_logged(&f, "detach 11 0\n");
	session_destroy(f.session);
}

/* It was born with the int3, of which its parent got rid before it told of the child. */
static void a_followed_child_has_no_breakpoint_that_its_parent_has_not(void **state)
{
	const struct session_options options = {.follow_fork = true};
	struct breakpoint *breakpoint;
	struct fixture f;

	(void)state;
	PLAY_WITH(&f, &options, START, {.is_signal = true}, EVENT(1, STOP_FORK, 0, 11, 10000),
		  EVENT(11, STOP_EVENT, SIGTRAP, 0, 11000), EVENT(11, STOP_EXITED, 0, 0, 20000),
		  EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	breakpoint = breakpoint_find(f.session->inferiors->breakpoints, F);
	breakpoint_lift(f.session->inferiors->breakpoints, 1, breakpoint);
	assert_int_equal(f.target.code[F - CODE], 0x53);
	put(&f.target, F, "\xcc", 1); /* in its copy */
	assert_ends(&f);
	assert_logged(&f, "lift 11 400200\n");
	assert_null(strstr(f.target.log, "lift 11 400300\n"));
}

static void a_newborn_of_another_process_than_the_one_that_died_is_not_let_go(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_FORK, 0, 20, 1000), EVENT(20, STOP_EVENT, SIGTRAP, 0, 2000),
	     EVENT(21, STOP_EVENT, SIGTRAP, 0, 3000), EXIT(4000),
	     EVENT(20, STOP_VFORK, 0, 21, 5000), EVENT(21, STOP_EXITED, 0, 0, 6000),
	     EVENT(20, STOP_EXITED, 0, 0, 7000));
	f.session->options.follow_fork = true;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_NOTE);
	assert_ends(&f);
	assert_null(strstr(f.target.log, "detach 21"));
	assert_logged(&f, "resume 21 0\n");
}

static void a_newborn_whose_parent_died_is_let_go(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(11, STOP_EVENT, SIGTRAP, 0, 10000),
	     EVENT(1, STOP_KILLED, SIGKILL, 0, 11000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "detach 11 0\n");
	session_destroy(f.session);
}

static void a_vfork_child_passes_breakpoints_unmeasured_until_it_execs(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_VFORK, 0, 11, 10000),
	     EVENT(11, STOP_EVENT, SIGTRAP, 0, 11000), HIT(11, F, TOP - 8, 1, 12000),
	     HIT(11, F_RET, TOP - 8, 1, 13000), EVENT(11, STOP_EXEC, 0, 11, 14000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(session_function_account(f.session, 0, 0)->calls, 0);
	assert_logged(&f, "resume 11 0\n");
	assert_logged(&f, "detach 11 0\n");
	assert_null(strstr(f.target.log, "lift 11"));
	session_destroy(f.session);
}

static void threads_have_calls_of_their_own(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 0, 2, 1000), EVENT(2, STOP_EVENT, SIGTRAP, 0, 2000),
	     HIT(1, F, TOP - 8, 1, 10000), HIT(2, F, TOP - 808, 2, 11000),
	     HIT(1, F_RET, TOP - 8, 0, 20000), HIT(2, F_RET, TOP - 808, 0, 30000),
	     EVENT(2, STOP_EXITED, 0, 0, 31000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.call.thread, 1);
	assert_true(event.call.features[0].number == 1);
	assert_true(event.call.metrics[METRIC_TIME].number == 10.0);
	event = next(&f);
	assert_int_equal(event.call.thread, 2);
	assert_int_equal(event.call.parent, 0);
	assert_true(event.call.metrics[METRIC_TIME].number == 19.0);
	assert_ends(&f);
}

static void a_thread_that_stops_before_its_end_goes_on_to_it(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(2, STOP_EVENT, SIGTRAP, 0, 1000), EVENT(1, STOP_CLONE, 0, 2, 1000),
	     HIT(2, F, TOP - 8, 1, 10000), EVENT(2, STOP_EXITING, SIGTRAP, 0, 20000),
	     EVENT(2, STOP_EXITED, 0, 0, 21000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 2 0\nresume 2 0\nshare 1 0\n");
	session_destroy(f.session);
}

/* Thread 2 resumes the coroutine that thread 1 suspended; thread 3 begins one and ends. */
static void a_call_that_moves_to_another_thread_ends_there_without_a_time(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(2, STOP_EVENT, SIGTRAP, 0, 1000), EVENT(1, STOP_CLONE, 0, 2, 1000),
	     EVENT(3, STOP_EVENT, SIGTRAP, 0, 1000), EVENT(1, STOP_CLONE, 0, 3, 1000),
	     HIT(1, F, TOP - 8, 1, 10000), HIT(3, G, TOP - 64, 3, 12000),
	     EVENT(3, STOP_EXITED, 0, 0, 15000), HIT(2, F_RET, TOP - 8, 0, 25000),
	     HIT(2, G_RET, TOP - 64, 0, 26000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.function, 0);
	assert_int_equal(event.call.thread, 2);
	assert_true(event.call.features[0].number == 1);
	assert_int_equal(event.call.metrics[METRIC_TIME].absence, ABSENT_OTHER_THREAD);
	assert_int_equal(session_function_account(f.session, 0, event.call.function)->untimed, 1);
	event = next(&f);
	assert_int_equal(event.call.function, 1);
	assert_true(event.call.features[0].number == 3);
	assert_ends(&f);
}

static void a_processor_is_shared_while_there_is_one_thread(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 0, 2, 1000), EVENT(2, STOP_EVENT, SIGTRAP, 0, 2000),
	     EVENT(2, STOP_EXITED, 0, 0, 31000), EXIT(50000));
	assert_logged(&f, "share 1 0\n");
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "share 0 0\nresume 1 0\nresume 2 0\nshare 1 0\n");
	session_destroy(f.session);
}

static void another_program_is_told_and_not_measured_unasked(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), EVENT(1, STOP_EXEC, 0, 1, 11000),
	     HIT(1, F, TOP - 8, 1, 12000), EXIT(50000));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_IMAGE);
	assert_string_equal(event.image.path, "/scripted/other");
	assert_true(event.image.is_first);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 1 5\n"); /* an int3 of the new image is its own */
	session_destroy(f.session);
}

/* Reading a program's debug information takes seconds, for which nobody else may have to wait. */
static void no_processor_is_shared_while_a_program_is_read(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_EXEC, 0, 1, 11000), EXIT(50000));
	assert_int_equal(next(&f).kind, SESSION_IMAGE);
	assert_logged(&f, "share 0 0\n");
	f.target.log[0] = '\0';
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "share 1 0\nresume 1 0\n");
	session_destroy(f.session);
}

/* Experiments of fathom causal pause threads one by one; a signal ends their program meanwhile. */
static void who_is_killed_while_it_is_held_goes_on_to_its_end(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(2, STOP_EVENT, SIGTRAP, 0, 1000), EVENT(1, STOP_CLONE, 0, 2, 1000),
	     NOTHING(2000), EVENT(2, STOP_EVENT, SIGTRAP, 0, 3000), NOTHING(4000),
	     EVENT(2, STOP_EXITING, SIGTRAP, 0, 5000), EVENT(2, STOP_KILLED, SIGKILL, 0, 6000),
	     EXIT(7000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_true(session_hold(f.session, 2));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_true(session_is_held(f.session, 2));
	*f.target.log = '\0';
	assert_ends(&f);
	assert_logged(&f, "resume 2 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(group_stops_are_listened_to),
		cmocka_unit_test(a_fork_child_gets_its_text_back_and_is_let_go),
		cmocka_unit_test(a_parent_waits_until_its_child_was_let_go),
		cmocka_unit_test(a_parent_whose_child_was_killed_at_once_goes_on),
		cmocka_unit_test(a_thread_that_is_born_in_a_group_stop_stays_in_it),
		cmocka_unit_test(a_fork_child_that_stops_before_its_parent_tells_is_let_go_too),
		cmocka_unit_test(a_followed_child_has_no_breakpoint_that_its_parent_has_not),
		cmocka_unit_test(a_newborn_of_another_process_than_the_one_that_died_is_not_let_go),
		cmocka_unit_test(a_newborn_whose_parent_died_is_let_go),
		cmocka_unit_test(a_vfork_child_passes_breakpoints_unmeasured_until_it_execs),
		cmocka_unit_test(threads_have_calls_of_their_own),
		cmocka_unit_test(a_thread_that_stops_before_its_end_goes_on_to_it),
		cmocka_unit_test(a_call_that_moves_to_another_thread_ends_there_without_a_time),
		cmocka_unit_test(a_processor_is_shared_while_there_is_one_thread),
		cmocka_unit_test(another_program_is_told_and_not_measured_unasked),
		cmocka_unit_test(no_processor_is_shared_while_a_program_is_read),
		cmocka_unit_test(who_is_killed_while_it_is_held_goes_on_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
