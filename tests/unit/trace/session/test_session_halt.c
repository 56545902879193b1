/*
 * Halting a session, and changing what it measures, on a scripted target. Real processes are
 * test_halt_live.c's.
 */
#include "session_fixture.h"
#include "trace/state/event_queue.h"

#include "trace/session_halt.h"

static void halt(struct fixture *f)
{
	struct err err;

	if (!session_halt(f->session, &err))
		fail_msg("%s", err.text);
}

/* The first @n lines of the log are of no interest any more. */
static void forget_log(struct fixture *f)
{
	*f->target.log = '\0';
}

static void assert_not_logged(const struct fixture *f, const char *text)
{
	if (strstr(f->target.log, text))
		fail_msg("'%s' is in:\n%s", text, f->target.log);
}

#define STOPPED(at) EVENT(1, STOP_EVENT, 0, 0, at)
#define NOTHING(at)                             \
	{                                       \
		.is_signal = true, .now_ns = at \
	}

/* Until a call of f was told, in whose last stop its thread is. */
#define ONE_CALL START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, F_RET, TOP - 8, 0, 20000)

static void who_is_halted_is_resumed_when_it_is_continued(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, NOTHING(21000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	forget_log(&f);
	halt(&f);
	assert_true(session_is_halted(f.session));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_not_logged(&f, "resume");
	session_continue(f.session);
	assert_false(session_is_halted(f.session));
	assert_logged(&f, "resume 1 0\n");
	assert_ends(&f);
}

static void a_thread_that_runs_is_interrupted(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), NOTHING(11000), STOPPED(12000),
	     HIT(1, F_RET, TOP - 8, 0, 20000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	assert_logged(&f, "interrupt 1 0\n");
	session_continue(f.session);
	assert_int_equal(next(&f).kind, SESSION_CALL);
	assert_ends(&f);
}

/* An exec waits for the ends of all other threads, and does not stop meanwhile. */
static void who_is_about_to_end_is_not_held(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(2, STOP_EVENT, SIGTRAP, 0, 1000), EVENT(1, STOP_CLONE, 0, 2, 1000),
	     NOTHING(2000), EVENT(2, STOP_EXITING, SIGTRAP, 0, 11000),
	     EVENT(2, STOP_EXITED, 0, 0, 12000), STOPPED(13000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	forget_log(&f);
	halt(&f);
	assert_logged(&f, "resume 2 0\n");
	assert_not_logged(&f, "resume 1");
	session_continue(f.session);
	assert_ends(&f);
}

static void time_while_halted_is_in_no_calls_cost(void **state)
{
	struct session_open_call *calls;
	struct arena *arena = arena_create();
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), NOTHING(11000), STOPPED(20000),
	     HIT(1, F_RET, TOP - 8, 0, 5005000), EXIT(6000000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	f.target.now_ns = 5000000;
	assert_int_equal(session_open_calls(f.session, arena, &calls), 1);
	assert_int_equal(calls[0].at_least_ns, 10000);
	assert_int_equal(calls[0].at_most_ns, 10000);
	assert_int_equal(calls[0].function, 0);
	assert_true(calls[0].cfa == TOP);
	assert_true(calls[0].features[0].number == 1);
	session_continue(f.session);
	event = next(&f);
	assert_true(event.call.metrics[METRIC_TIME].number == 15.0);
	assert_int_equal(event.call.stopped_ns, 4980000);
	assert_int_equal(session_account(f.session)->stopped_ns,
			 0); /* it is not the measurement's */
	arena_destroy(arena);
	assert_ends(&f);
}

/* The thread ran into the exit when it was to be stopped. */
static void a_call_that_ends_while_everybody_is_halted_is_told(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000),
	     HIT(1, F_RET, TOP - 8, 0, 20000), NOTHING(21000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.features[0].number == 7);
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	session_continue(f.session);
	assert_ends(&f);
}

/* An interrupt is told before the int3 that the thread has executed by then. */
static void who_has_run_into_a_breakpoint_says_so_first(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000), STOPPED(12000),
	     HIT(1, F_RET, TOP - 8, 0, 20000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	f.target.has_trap = true;
	forget_log(&f);
	halt(&f);
	assert_logged(&f, "interrupt 1 0\nresume 1 0\n");
	assert_int_equal(next(&f).kind, SESSION_CALL);
	session_continue(f.session);
	assert_ends(&f);
}

static void a_signal_that_comes_meanwhile_is_delivered_afterwards(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000),
	     EVENT(1, STOP_SIGNAL, SIGALRM, 0, 12000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	assert_not_logged(&f, "resume 1 e\n");
	session_continue(f.session);
	assert_logged(&f, "resume 1 e\n");
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

static void who_was_stopped_by_a_signal_stays_so(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(11000), EVENT(1, STOP_GROUP, SIGSTOP, 0, 12000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	session_continue(f.session);
	assert_logged(&f, "listen 1 0\n");
	assert_not_logged(&f, "send");
	assert_ends(&f);
}

static void a_prompt_has_it_go_on(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_GROUP, SIGTTIN, 0, 12000), STOPPED(13000), EXIT(30000));
	f.session->options.prompt = true;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_SIGNAL);
	assert_int_equal(event.signal.number, SIGTTIN);
	assert_true(event.signal.is_stop);
	assert_true(session_is_halted(f.session));
	session_continue(f.session);
	assert_logged(&f, "send 1 12\n");
	assert_logged(&f, "listen 1 0\n");
	assert_ends(&f);
}

#define SIGNAL(number_, sender_, is_fatal_, at)                                           \
	{                                                                                 \
		.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = number_}, .now_ns = at, \
		.sender = sender_, .is_fatal = is_fatal_                                  \
	}

static void an_interrupt_is_not_the_programs(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, SIGNAL(SIGINT, SENDER_TERMINAL, true, 12000), EXIT(30000));
	f.session->options.prompt = true;
	event = next(&f);
	assert_int_equal(event.kind, SESSION_SIGNAL);
	assert_true(event.signal.is_interrupt);
	assert_false(event.signal.is_fatal);
	session_continue(f.session);
	assert_not_logged(&f, "resume 1 2\n");
	assert_ends(&f);
}

static void a_signal_that_is_handled_is_delivered_untold(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, SIGNAL(SIGUSR1, SENDER_OTHER, false, 12000), EXIT(30000));
	f.session->options.prompt = true;
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 1 a\n");
	session_destroy(f.session);
}

static void a_signal_that_ends_the_program_can_be_replaced(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, SIGNAL(SIGSEGV, SENDER_OTHER, true, 12000), EXIT(30000));
	f.session->options.prompt = true;
	event = next(&f);
	assert_true(event.signal.is_fatal);
	signal_report_replace(f.session, SIGUSR1);
	session_continue(f.session);
	assert_not_logged(&f, "resume 1 b\n");
	assert_logged(&f, "resume 1 a\n");
	assert_ends(&f);
}

/* What was not told yet cannot be answered. */
static void nobody_goes_on_before_a_signal_was_told(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000),
	     SIGNAL(SIGSEGV, SENDER_OTHER, true, 12000), EXIT(30000));
	f.session->options.prompt = true;
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	session_continue(f.session);
	assert_true(session_is_halted(f.session));
	assert_int_equal(next(&f).kind, SESSION_SIGNAL);
	session_continue(f.session);
	assert_false(session_is_halted(f.session));
	assert_logged(&f, "resume 1 b\n");
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	session_destroy(f.session);
}

/* Who is told of a new program says what to measure, and it goes on. */
static void what_is_executed_meanwhile_is_told_before_it_goes_on(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(11000), EVENT(1, STOP_EXEC, 0, 1, 12000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	forget_log(&f);
	session_continue(f.session);
	assert_true(session_is_halted(f.session));
	event = next(&f);
	assert_int_equal(event.kind, SESSION_IMAGE);
	assert_not_logged(&f, "resume");
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_logged(&f, "resume 1 0\n");
	session_destroy(f.session);
}

static void a_fork_child_is_let_go_while_its_parent_is_halted(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(11000), EVENT(1, STOP_FORK, 0, 30, 12000),
	     EVENT(30, STOP_EVENT, 0, 0, 13000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	forget_log(&f);
	halt(&f);
	assert_logged(&f, "detach 30 0\n");
	assert_not_logged(&f, "resume");
	session_continue(f.session);
	assert_logged(&f, "resume 1 0\n");
	assert_ends(&f);
}

static void a_newborn_thread_is_halted_too(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(11000), EVENT(1, STOP_CLONE, 0, 2, 12000),
	     EVENT(2, STOP_EVENT, 0, 0, 13000), EVENT(2, STOP_EXITED, 0, 0, 20000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	forget_log(&f);
	halt(&f);
	assert_not_logged(&f, "resume");
	session_continue(f.session);
	assert_logged(&f, "resume 1 0\n");
	assert_logged(&f, "resume 2 0\n");
	assert_ends(&f);
}

static void who_ends_while_everybody_is_halted_has_ended(void **state)
{
	struct fixture f;
	struct err err;

	(void)state;
	PLAY(&f, ONE_CALL, EVENT(1, STOP_KILLED, SIGKILL, 0, 22000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_false(session_halt(f.session, &err));
	session_destroy(f.session);
}

/* f is measured, g is not; and the other way round. */
static const struct catalogue only_f = {
	.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 1};
static const struct catalogue only_g = {
	.modules = &module, .n_modules = 1, .functions = functions + 1, .n_functions = 1};
static const struct catalogue nothing = {.modules = &module, .n_modules = 1};

static void replan(struct fixture *f, const struct catalogue *now)
{
	struct err err;

	if (!session_replan(f->session, 0, now, &err))
		fail_msg("%s", err.text);
}

static void what_is_in_both_catalogues_goes_on(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 1, 10000), HIT(1, G, TOP - 108, 2, 20000),
	     NOTHING(21000), STOPPED(22000), HIT(1, G_RET, TOP - 108, 0, 30000),
	     HIT(1, G, TOP - 108, 3, 40000), HIT(1, G_RET, TOP - 108, 0, 50000), EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	forget_log(&f);
	replan(&f, &only_g);
	assert_logged(&f, "lift 1 400200\n");
	assert_not_logged(&f, "400300");
	session_continue(f.session);
	event = next(&f);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.features[0].number == 2);
	assert_true(event.call.metrics[METRIC_TIME].number == 10.0);
	event = next(&f);
	assert_true(event.call.features[0].number == 3);
	assert_int_equal(event.call.parent, 0); /* f is not measured any more */
	assert_int_equal(session_function_account(f.session, 0, 0)->calls, 2);
	assert_ends(&f);
}

static void what_is_new_is_planted(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, HIT(1, G, TOP - 108, 2, 20000), HIT(1, G_RET, TOP - 108, 0, 30000),
	     EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	replan(&f, &only_f);
	assert_logged(&f, "lift 1 400300\n");
	forget_log(&f);
	replan(&f, &catalogue);
	assert_logged(&f, "plant 1 400300\n");
	assert_not_logged(&f, "400200");
	session_continue(f.session);
	event = next(&f);
	assert_int_equal(event.call.function, 1);
	assert_int_equal(session_function_account(f.session, 0, 0)->calls, 1);
	assert_ends(&f);
}

static void limit_function(struct fixture *f, unsigned function, uint64_t limit)
{
	struct session_event *event = event_queue_add(f->session, SESSION_LIMIT, NULL);

	event->limit.function = function;
	event->limit.limit = limit;
}

/* Of f, which is dropped, and of g, whose number changes. */
static void limits_are_told_of_the_functions_that_are_left(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	limit_function(&f, 0, 100);
	limit_function(&f, 1, 200);
	replan(&f, &only_g);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_LIMIT);
	assert_int_equal(event.limit.function, 0);
	assert_int_equal(event.limit.limit, 200);
	session_continue(f.session);
	assert_ends(&f);
}

/* The thread is in the stop in which the call began that is forgotten. */
static void a_call_that_has_just_begun_can_be_forgotten(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(9000), HIT(1, F, TOP - 8, 1, 10000), EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	replan(&f, &nothing);
	assert_logged(&f, "lift 1 400210\n");
	session_continue(f.session);
	assert_ends(&f);
}

/* A call that ended, and was not told when its function was dropped. */
static void calls_of_functions_that_are_gone_are_not_told(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000),
	     HIT(1, F_RET, TOP - 8, 0, 20000), NOTHING(21000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	replan(&f, &only_g);
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	session_continue(f.session);
	assert_ends(&f);
}

/* A thread that ran into a probe before it was lifted just goes on. */
static void nothing_may_be_measured_for_a_while(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, HIT(1, G, TOP - 108, 2, 20000), NOTHING(21000), STOPPED(22000),
	     HIT(1, F, TOP - 8, 1, 30000), HIT(1, F_RET, TOP - 8, 0, 40000), EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	replan(&f, &nothing);
	session_continue(f.session);
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	replan(&f, &catalogue);
	session_continue(f.session);
	assert_int_equal(next(&f).kind, SESSION_CALL);
	assert_ends(&f);
}

static void a_disabled_function_is_not_noticed(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, NOTHING(21000), STOPPED(22000), HIT(1, F, TOP - 8, 1, 30000),
	     HIT(1, F_RET, TOP - 8, 0, 40000), EXIT(60000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	session_enable(f.session, 0, 0, false);
	assert_logged(&f, "lift 1 400200\n");
	session_continue(f.session);
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	forget_log(&f);
	session_enable(f.session, 0, 0, true);
	assert_logged(&f, "plant 1 400200\n");
	session_continue(f.session);
	event = next(&f);
	assert_int_equal(event.call.id, 2);
	assert_ends(&f);
}

/* It ends where it returns to. */
static void a_call_of_a_function_that_is_disabled_ends(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, TOP - 8, 7, 10000), NOTHING(11000), STOPPED(12000),
	     HIT(1, CALLER, TOP, 0, 20000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	halt(&f);
	session_enable(f.session, 0, 0, false);
	assert_logged(&f, "plant 1 400400\n");
	session_continue(f.session);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.features[0].number == 7);
	assert_logged(&f, "lift 1 400400\n");
	assert_ends(&f);
}

static void an_adopted_call_ends_where_it_returns_to(void **state)
{
	const struct value n = {.number = 5};
	const struct session_adoption adoption = {.thread = 1,
						  .function = 1,
						  .cfa = TOP,
						  .return_address = CALLER,
						  .features = &n,
						  .at_most_ns = 1000000};
	struct session_open_call *calls;
	struct arena *arena = arena_create();
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY(&f, START, NOTHING(11000), STOPPED(12000), HIT(1, CALLER, TOP, 0, 20000), EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_false(session_adopt(f.session, &adoption));
	halt(&f);
	assert_true(session_adopt(f.session, &adoption));
	assert_false(session_adopt(f.session, &adoption));
	assert_logged(&f, "plant 1 400400\n");
	assert_int_equal(session_open_calls(f.session, arena, &calls), 1);
	assert_int_equal(calls[0].at_least_ns, 0);
	assert_int_equal(calls[0].at_most_ns, 1000000);
	session_continue(f.session);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_true(event.call.is_adopted);
	assert_true(event.call.features[0].number == 5);
	assert_true(event.call.metrics[METRIC_TIME].number == 8.0);
	assert_logged(&f, "lift 1 400400\n");
	arena_destroy(arena);
	assert_ends(&f);
}

static void a_thread_that_is_gone_has_no_calls_to_adopt(void **state)
{
	const struct value n = {.number = 5};
	const struct session_adoption adoption = {
		.thread = 77, .function = 1, .cfa = TOP, .features = &n};
	struct fixture f;

	(void)state;
	PLAY(&f, ONE_CALL, EXIT(30000));
	assert_int_equal(next(&f).kind, SESSION_CALL);
	halt(&f);
	assert_false(session_adopt(f.session, &adoption));
	session_continue(f.session);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_halted_is_resumed_when_it_is_continued),
		cmocka_unit_test(a_thread_that_runs_is_interrupted),
		cmocka_unit_test(who_is_about_to_end_is_not_held),
		cmocka_unit_test(time_while_halted_is_in_no_calls_cost),
		cmocka_unit_test(a_call_that_ends_while_everybody_is_halted_is_told),
		cmocka_unit_test(who_has_run_into_a_breakpoint_says_so_first),
		cmocka_unit_test(a_signal_that_comes_meanwhile_is_delivered_afterwards),
		cmocka_unit_test(who_was_stopped_by_a_signal_stays_so),
		cmocka_unit_test(a_prompt_has_it_go_on),
		cmocka_unit_test(an_interrupt_is_not_the_programs),
		cmocka_unit_test(a_signal_that_is_handled_is_delivered_untold),
		cmocka_unit_test(a_signal_that_ends_the_program_can_be_replaced),
		cmocka_unit_test(nobody_goes_on_before_a_signal_was_told),
		cmocka_unit_test(what_is_executed_meanwhile_is_told_before_it_goes_on),
		cmocka_unit_test(a_fork_child_is_let_go_while_its_parent_is_halted),
		cmocka_unit_test(a_newborn_thread_is_halted_too),
		cmocka_unit_test(who_ends_while_everybody_is_halted_has_ended),
		cmocka_unit_test(what_is_in_both_catalogues_goes_on),
		cmocka_unit_test(what_is_new_is_planted),
		cmocka_unit_test(limits_are_told_of_the_functions_that_are_left),
		cmocka_unit_test(a_call_that_has_just_begun_can_be_forgotten),
		cmocka_unit_test(calls_of_functions_that_are_gone_are_not_told),
		cmocka_unit_test(nothing_may_be_measured_for_a_while),
		cmocka_unit_test(a_disabled_function_is_not_noticed),
		cmocka_unit_test(a_call_of_a_function_that_is_disabled_ends),
		cmocka_unit_test(an_adopted_call_ends_where_it_returns_to),
		cmocka_unit_test(a_thread_that_is_gone_has_no_calls_to_adopt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
