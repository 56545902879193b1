/*
 * Functions that are closed and opened in a session on a scripted target. Process 1 has two functions:
 *   f at CODE+0x200: push %rbx … ret at CODE+0x210, jmp g at CODE+0x220 (a tail call)
 *   g at CODE+0x300: nop     … ret at CODE+0x310, jmp f at CODE+0x320
 * Each stop takes so long that the credit of the start is used up with the second, and that a function that was
 * hit once or twice is closed with the next hit; between stops there is little time, so that no cycle ends.
 */
#include "session_fixture.h"

/* Nothing stops; the clock goes on, so far that a cycle begins. */
#define LATER(at)                               \
	{                                       \
		.is_signal = true, .now_ns = at \
	}
#define MS UINT64_C(1000000)

static uint8_t byte_at(const struct fixture *f, uint64_t address)
{
	return f->target.code[address - CODE];
}

static void assert_function(const struct fixture *f, uint64_t entry, uint64_t exit, bool open)
{
	assert_int_equal(byte_at(f, entry) == 0xcc, open);
	assert_int_equal(byte_at(f, exit) == 0xcc, open);
}

static const struct function_account *account(const struct fixture *f, unsigned function)
{
	return session_function_account(f->session, 0, function);
}

#define PLAY_SLOWLY(f, ...)                                            \
	PLAY_WITHIN(f, 0.05, START, HIT(1, F, TOP - 8, 1, 61 * MS),    \
		    HIT(1, F_RET, TOP - 8, 0, 125 * MS), __VA_ARGS__); \
	(f)->target.resume_delay_ns = 60 * MS;                         \
	assert_int_equal(next(f).kind, SESSION_CALL)

static void a_call_that_begins_behind_the_window_is_not_measured_and_probes_are_lifted(void **state)
{
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, HIT(1, F, TOP - 8, 2, 190 * MS), EXIT(400 * MS));
	assert_function(&f, F, F_RET, true);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_function(&f, F, F_RET, false);
	assert_int_equal(byte_at(&f, F), 0x53);
	assert_int_equal(byte_at(&f, F_TAIL), 0xe9);
	assert_function(&f, G, G_RET, true);
	assert_int_equal(account(&f, 0)->calls, 1);
	assert_int_equal(account(&f, 0)->abandoned, 0);
	assert_int_equal(account(&f, 0)->stops, 3);
	assert_true(session_function_share(f.session, 0, 0) < 1);
	assert_true(session_function_share(f.session, 0, 1) == 1);
	session_destroy(f.session);
}

static void a_cycle_later_it_is_open_again(void **state)
{
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, HIT(1, F, TOP - 8, 2, 190 * MS), LATER(20000 * MS),
		    HIT(1, F, TOP - 8, 3, 20001 * MS), HIT(1, F_RET, TOP - 8, 0, 20070 * MS),
		    EXIT(20200 * MS));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_function(&f, F, F_RET, true);
	assert_true(next(&f).call.features[0].number == 3);
	assert_ends(&f);
}

/* The outer one of two is open when the inner one comes too late. */
static void an_open_call_ends_where_it_returns_to(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, LATER(20000 * MS), HIT(1, F, TOP - 8, 2, 20001 * MS),
		    HIT(1, G, TOP - 108, 0, 20130 * MS), HIT(1, G_RET, TOP - 108, 0, 20260 * MS),
		    HIT(1, F, TOP - 208, 3, 20390 * MS), HIT(1, CALLER, TOP - 200, 0, 20520 * MS),
		    HIT(1, CALLER, TOP, 0, 20650 * MS), EXIT(20800 * MS));
	f.target.resume_delay_ns = 120 * MS;
	event = next(&f);
	if (event.kind == SESSION_PAUSE)
		event = next(&f);
	assert_int_equal(event.call.function, 1);
	event = next(&f);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.features[0].number == 2);
	/* From 20121 to 20650, less four stops. */
	assert_true(event.call.metrics[METRIC_TIME].number == (529 - 4 * 120) * 1000.0);
	assert_int_equal(event.call.metrics[METRIC_TIME + METRIC_SELF].absence, ABSENT_CALLEE);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(byte_at(&f, CALLER), 0x90);
	assert_int_equal(account(&f, 0)->calls, 2);
	assert_int_equal(account(&f, 0)->abandoned, 0);
	session_destroy(f.session);
}

/* f is closed when it leaves for g, which takes its place. */
static void a_tail_call_of_a_closed_function_goes_on_in_its_place(void **state)
{
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, LATER(20000 * MS), HIT(1, F, TOP - 8, 2, 20001 * MS),
		    HIT(1, F, TOP - 208, 3, 20130 * MS), HIT(1, G, TOP - 8, 4, 20260 * MS),
		    HIT(1, G_RET, TOP - 8, 0, 20390 * MS), HIT(1, CALLER, TOP, 0, 20520 * MS),
		    EXIT(20700 * MS));
	f.target.resume_delay_ns = 120 * MS;
	event = next(&f);
	if (event.kind == SESSION_PAUSE)
		event = next(&f);
	assert_int_equal(event.call.function, 1);
	assert_int_not_equal(event.call.parent, 0);
	event = next(&f);
	assert_int_equal(event.call.function, 0);
	assert_true(event.call.features[0].number == 2);
	assert_ends(&f);
}

/* The frame of an exception's victim is used by another call, from elsewhere. */
static void a_kept_call_whose_frame_is_used_again_is_given_up(void **state)
{
	const uint64_t elsewhere = CALLER + 16;
	struct session_event event;
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, LATER(20000 * MS), HIT(1, F, TOP - 8, 2, 20001 * MS),
		    HIT(1, F, TOP - 208, 3, 20130 * MS), LATER(20255 * MS),
		    HIT(1, G, TOP - 8, 4, 20260 * MS), HIT(1, G_RET, TOP - 8, 0, 20390 * MS),
		    HIT(1, CALLER, TOP, 0, 20520 * MS), EXIT(20700 * MS));
	f.target.resume_delay_ns = 120 * MS;
	do
		event = next(&f);
	while (f.target.next < 7);
	assert_int_equal(event.kind, SESSION_PAUSE);
	memcpy(f.target.stack + (TOP - 8 - STACK), &elsewhere, 8);
	event = next(&f);
	assert_int_equal(event.call.function, 1);
	assert_int_equal(event.call.parent, 0);
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(account(&f, 0)->abandoned, 1);
	session_destroy(f.session);
}

/* Where g returns the frame of f, below, is gone, whose return address was never there. */
static void a_call_below_a_return_that_ends_none_is_given_up(void **state)
{
	struct fixture f;

	(void)state;
	PLAY_WITHIN(&f, 0.5, START, HIT(1, F, TOP - 208, 1, 1 * MS),
		    HIT(1, G_RET, TOP - 8, 0, 2 * MS), LATER(20000 * MS), EXIT(20001 * MS));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_int_equal(account(&f, 0)->abandoned, 1);
	assert_ends(&f);
}

/* The same with a return address that is still there: a coroutine's, for all that is known. */
static void a_call_below_very_many_such_returns_is_given_up(void **state)
{
	enum { RETURNS = 501 };
	const struct scripted_stop begin[] = {START, HIT(1, F, TOP - 208, 1, 1 * MS)};
	const struct scripted_stop returns = HIT(1, G_RET, TOP - 8, 0, 2 * MS);
	const struct scripted_stop end[] = {HIT(1, G, TOP - 8, 4, 3 * MS),
					    HIT(1, G_RET, TOP - 8, 0, 4 * MS), EXIT(5 * MS)};
	const struct session_options options = {.max_overhead = 0};
	const uint64_t caller = CALLER;

	(void)state;
	for (size_t n = RETURNS - 1; n <= RETURNS; n++) {
		struct scripted_stop script[RETURNS + 5];
		struct fixture f;

		memcpy(script, begin, sizeof(begin));
		for (size_t i = 0; i < n; i++)
			script[2 + i] = returns;
		memcpy(script + 2 + n, end, sizeof(end));
		play(&f, script, n + 5, &options);
		memcpy(f.target.stack + (TOP - 208 - STACK), &caller, 8);
		while (next(&f).kind != SESSION_CALL)
			continue;
		assert_int_equal(account(&f, 0)->abandoned, n == RETURNS);
		assert_ends(&f);
	}
}

/* A child's memory was copied before they were lifted: they are in it nevertheless. */
static void a_lifted_probe_that_is_hit_all_the_same_is_lifted_again(void **state)
{
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, HIT(1, F, TOP - 8, 2, 190 * MS), LATER(251 * MS),
		    HIT(1, F, TOP - 8, 2, 252 * MS), EXIT(400 * MS));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_int_equal(byte_at(&f, F), 0x53);
	f.target.code[F - CODE] = 0xcc;
	assert_int_equal(next(&f).kind, SESSION_ENDED);
	assert_int_equal(byte_at(&f, F), 0x53);
	session_destroy(f.session);
}

/* The code was replaced while it was closed. */
static void other_code_is_left_alone(void **state)
{
	struct fixture f;

	(void)state;
	PLAY_SLOWLY(&f, HIT(1, F, TOP - 8, 2, 190 * MS), LATER(251 * MS), LATER(20000 * MS),
		    EXIT(20100 * MS));
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	f.target.code[F_RET - CODE] = 0x90;
	assert_int_equal(next(&f).kind, SESSION_PAUSE);
	assert_function(&f, F, F_RET, false);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_call_that_begins_behind_the_window_is_not_measured_and_probes_are_lifted),
		cmocka_unit_test(a_cycle_later_it_is_open_again),
		cmocka_unit_test(an_open_call_ends_where_it_returns_to),
		cmocka_unit_test(a_tail_call_of_a_closed_function_goes_on_in_its_place),
		cmocka_unit_test(a_kept_call_whose_frame_is_used_again_is_given_up),
		cmocka_unit_test(a_call_below_a_return_that_ends_none_is_given_up),
		cmocka_unit_test(a_call_below_very_many_such_returns_is_given_up),
		cmocka_unit_test(a_lifted_probe_that_is_hit_all_the_same_is_lifted_again),
		cmocka_unit_test(other_code_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
