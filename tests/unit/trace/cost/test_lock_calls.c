/*
 * Waits and holds of measured calls on a scripted target. Process 1 has two measured functions and
 * four cost functions:
 *   f at CODE+0x200 … ret at CODE+0x210, g at CODE+0x300 … ret at CODE+0x310 lock at CODE+0x500 …
 *   ret at CODE+0x510, unlock at CODE+0x600 … ret at CODE+0x610, a spin lock's at CODE+0x700 … ret
 *   at CODE+0x710, malloc at CODE+0x800 … ret at CODE+0x810
 */
#include "check.h"

#include <string.h>

#include "scripted_target.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/engine.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = CODE + 0x210, G = CODE + 0x300, G_RET = CODE + 0x310 };
enum { LOCK = CODE + 0x500, LOCK_RET = CODE + 0x510 };
enum { UNLOCK = CODE + 0x600, UNLOCK_RET = CODE + 0x610, CALLER = CODE + 0x400 };
enum { SPIN = CODE + 0x700, SPIN_RET = CODE + 0x710 };
enum { MALLOC = CODE + 0x800, MALLOC_RET = CODE + 0x810 };
enum { TOP = STACK + 0x1000, A = 0xa000, B = 0xb000 };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range f_range = {F - CODE, G - CODE};
static const struct address_range g_range = {G - CODE, CALLER - CODE};
static const struct exit_site f_exits[] = {{F_RET - CODE, EXIT_RETURN}};
static const struct exit_site g_exits[] = {{G_RET - CODE, EXIT_RETURN}};
static const uint64_t lock_exits[] = {LOCK_RET - CODE};
static const uint64_t spin_exits[] = {SPIN_RET - CODE};
static const uint64_t malloc_exits[] = {MALLOC_RET - CODE};
static const uint64_t unlock_exits[] = {UNLOCK_RET - CODE};

static const struct function functions[] = {
	{.name = "f",
	 .linkage = "f",
	 .ranges = &f_range,
	 .n_ranges = 1,
	 .probe_addr = F - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = f_exits,
	 .n_exits = 1},
	{.name = "g",
	 .linkage = "g",
	 .ranges = &g_range,
	 .n_ranges = 1,
	 .probe_addr = G - CODE,
	 .cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8},
	 .exits = g_exits,
	 .n_exits = 1},
};
static const struct cost_function cost_functions[] = {
	{.name = "pthread_mutex_lock",
	 .kind = COST_LOCK_TAKE,
	 .entry_addr = LOCK - CODE,
	 .exits = lock_exits,
	 .n_exits = 1},
	{.name = "pthread_mutex_unlock",
	 .kind = COST_LOCK_RELEASE,
	 .entry_addr = UNLOCK - CODE,
	 .exits = unlock_exits,
	 .n_exits = 1},
	{.name = "malloc",
	 .kind = COST_ALLOCATE,
	 .entry_addr = MALLOC - CODE,
	 .exits = malloc_exits,
	 .n_exits = 1},
	{.name = "pthread_spin_lock",
	 .kind = COST_LOCK_TAKE_SPIN,
	 .entry_addr = SPIN - CODE,
	 .exits = spin_exits,
	 .n_exits = 1},
};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {.modules = &module,
					   .n_modules = 1,
					   .functions = functions,
					   .n_functions = 2,
					   .cost_functions = cost_functions,
					   .n_cost_functions = 4};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define HIT_BY(tid_, pc, sp, di, at)                                                        \
	{                                                                                   \
		.stop = {.tid = tid_, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		.rdi = di, .now_ns = (at)*1000                                              \
	}
#define HIT(pc, sp, di, at) HIT_BY(1, pc, sp, di, at)
#define EVENT(tid_, kind_, number_, child_, at)                                           \
	{                                                                                 \
		.stop = {.tid = tid_, .kind = kind_, .number = number_, .child = child_}, \
		.now_ns = (at)*1000                                                       \
	}
#define START    HIT(ENTRY, TOP, 0, 0)
#define EXIT(at) EVENT(1, STOP_EXITED, 0, 0, at)
/* Stops at times in µs; cost functions are called with the stack pointer at TOP - 0x200. */
#define F_BEGINS(at) HIT(F, TOP - 8, 0, at)
#define F_ENDS(at)   HIT(F_RET, TOP - 8, 0, at)
#define G_BEGINS(at) HIT(G, TOP - 0x108, 0, at)
#define G_ENDS(at)   HIT(G_RET, TOP - 0x108, 0, at)
#define TAKES(object, from, to) \
	HIT(LOCK, TOP - 0x208, object, from), HIT(LOCK_RET, TOP - 0x208, 0, to)
#define RELEASES(object, at) \
	HIT(UNLOCK, TOP - 0x208, object, at), HIT(UNLOCK_RET, TOP - 0x208, 0, at)

static void put(struct scripted_target *target, uint64_t address, uint8_t byte)
{
	target->code[address - CODE] = byte;
}

static void play(struct fixture *f, const struct scripted_stop *script, size_t n)
{
	const struct session_options options = {.metrics = 1u << METRIC_TIME | 1u << METRIC_WAIT |
							   1u << METRIC_HOLD | 1u << METRIC_MEM |
							   1u << (METRIC_SELF + METRIC_WAIT) |
							   1u << (METRIC_SELF + METRIC_HOLD)};
	const uint64_t caller = CALLER;
	struct err err;
	size_t i;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	put(&f->target, F_RET, 0xc3);
	put(&f->target, G_RET, 0xc3);
	put(&f->target, LOCK, 0x53); /* what runs in a slot */
	put(&f->target, LOCK_RET, 0xc3);
	put(&f->target, UNLOCK_RET, 0xc3);
	put(&f->target, SPIN_RET, 0xc3);
	put(&f->target, MALLOC_RET, 0xc3);
	for (i = 8; i <= 0x208; i += 0x100)
		memcpy(f->target.stack + (TOP - i - STACK), &caller, 8);
	assert_true(session_create(&catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   &options, &f->session, &err));
}

#define PLAY(f, ...)                                   \
	struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, script, sizeof(script) / sizeof(script[0]))

static struct call_record next_call(struct fixture *f, unsigned function)
{
	struct session_event event;
	struct err err;

	do
		assert_true(session_next(f->session, &event, &err));
	while (event.kind == SESSION_PAUSE);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.function, function);
	return event.call;
}

static void assert_ends(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	assert_int_equal(event.kind, SESSION_ENDED);
	session_destroy(f->session);
}

static void assert_us(const struct call_record *call, enum metric metric, double expected)
{
	assert_int_equal(call->metrics[metric].absence, PRESENT);
	assert_true(call->metrics[metric].number == expected);
}

static void a_call_that_takes_and_releases_a_lock_waits_and_holds(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), TAKES(A, 20, 50), RELEASES(A, 60), F_ENDS(100), EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 30);
	assert_us(&call, METRIC_HOLD, 10);
	assert_us(&call, METRIC_SELF + METRIC_HOLD, 10);
	assert_us(&call, METRIC_TIME, 90);
	assert_ends(&f);
}

static void time_in_stops_is_neither_waited_nor_held(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), TAKES(A, 20, 50), RELEASES(A, 60), F_ENDS(100), EXIT(200));
	f.target.resume_delay_ns = 2000;
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 28);
	assert_us(&call, METRIC_HOLD, 8);
	assert_ends(&f);
}

/* What a stop takes was less than is calibrated, by more than that may be wrong. */
static void a_call_whose_time_is_not_certain_has_waited_and_held_nothing(void **state)
{
	struct fixture f;
	struct call_record call;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(11), EXIT(100));
	f.session->account.calibration = (struct calibration){.pair = {50}, .resolution = {1}};
	call = next_call(&f, 0);
	assert_int_equal(call.metrics[METRIC_TIME].absence, ABSENT_UNCERTAIN);
	assert_us(&call, METRIC_WAIT, 0);
	assert_us(&call, METRIC_HOLD, 0);
	assert_us(&call, METRIC_SELF + METRIC_WAIT, 0);
	assert_ends(&f);
}

static void a_callee_waits_and_holds_for_its_caller(void **state)
{
	struct call_record inner, outer;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), G_BEGINS(20), TAKES(A, 30, 50), G_ENDS(60), RELEASES(A, 80),
	     F_ENDS(100), EXIT(200));
	inner = next_call(&f, 1);
	outer = next_call(&f, 0);
	assert_us(&inner, METRIC_WAIT, 20);
	assert_us(&inner, METRIC_HOLD, 10);
	assert_us(&outer, METRIC_WAIT, 20);
	assert_us(&outer, METRIC_HOLD, 30);
	assert_us(&outer, METRIC_SELF + METRIC_WAIT, 0);
	assert_us(&outer, METRIC_SELF + METRIC_HOLD, 20);
	assert_ends(&f);
}

static void a_release_after_the_call_proves_that_it_was_made_under_the_lock(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), RELEASES(A, 60), EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 30);
	assert_us(&call, METRIC_WAIT, 0);
	assert_ends(&f);
}

static void a_proof_raises_all_calls_before_it_and_what_callers_hold_themselves(void **state)
{
	struct call_record inner, outer, second;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), G_BEGINS(20), TAKES(B, 30, 30), RELEASES(B, 40), G_ENDS(60),
	     F_ENDS(100), F_BEGINS(120), F_ENDS(130), RELEASES(A, 150), EXIT(200));
	inner = next_call(&f, 1);
	outer = next_call(&f, 0);
	second = next_call(&f, 0);
	assert_us(&inner, METRIC_HOLD, 40);
	assert_us(&outer, METRIC_HOLD, 90);
	assert_us(&outer, METRIC_SELF + METRIC_HOLD, 50);
	assert_us(&second, METRIC_HOLD, 10);
	assert_ends(&f);
}

static void a_proof_within_the_caller_raises_callees_that_have_ended(void **state)
{
	struct call_record inner, outer;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), G_BEGINS(20), G_ENDS(60), RELEASES(A, 70), F_ENDS(100),
	     EXIT(200));
	inner = next_call(&f, 1);
	outer = next_call(&f, 0);
	assert_us(&inner, METRIC_HOLD, 40);
	assert_us(&outer, METRIC_HOLD, 60);
	assert_us(&outer, METRIC_SELF + METRIC_HOLD, 20);
	assert_ends(&f);
}

static void a_call_that_begins_under_the_lock_of_the_one_before_holds_it(void **state)
{
	struct call_record first, second;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), TAKES(A, 20, 20), F_ENDS(30), F_BEGINS(40), F_ENDS(50),
	     RELEASES(A, 60), EXIT(200));
	first = next_call(&f, 0);
	second = next_call(&f, 0);
	assert_us(&first, METRIC_HOLD, 10);
	assert_us(&second, METRIC_HOLD, 10);
	assert_ends(&f);
}

/* The record is there before the program's end, which would be the next event. */
static void what_nothing_proves_is_told_after_some_operations(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), TAKES(A, 50, 50), RELEASES(A, 60),
	     TAKES(A, 70, 70), RELEASES(A, 80), TAKES(A, 90, 90), RELEASES(B, 100), EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 0);
	assert_int_equal(f.target.now_ns, 80000);
	assert_ends(&f);
	assert_non_null(strstr(f.target.log, "lift 1 400500\n"));
}

static void what_nothing_proves_is_told_after_some_time(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), EVENT(1, STOP_SIGNAL, 10, 0, 90000),
	     EVENT(1, STOP_SIGNAL, 10, 0, 110000), RELEASES(A, 110001), EXIT(120000));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 0);
	assert_int_equal(f.target.now_ns, 110000000);
	assert_ends(&f);
}

static void what_is_withheld_is_told_when_the_program_ends(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), TAKES(A, 20, 20), F_ENDS(40), EXIT(50));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 20);
	assert_ends(&f);
}

static void what_is_withheld_is_told_when_measuring_ends(void **state)
{
	struct call_record call;
	struct fixture f;
	struct session_event event;
	struct err err;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), {.is_signal = true, .now_ns = 50000}, EXIT(60));
	assert_true(session_next(f.session, &event, &err));
	assert_int_equal(event.kind, SESSION_PAUSE);
	session_detach(f.session);
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 0);
	session_destroy(f.session);
}

static void what_a_session_never_told_is_forgotten_with_it(void **state)
{
	struct session_event event;
	struct fixture f;
	struct err err;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), {.is_signal = true, .now_ns = 50000}, EXIT(60));
	assert_true(session_next(f.session, &event, &err));
	session_destroy(f.session);
}

/* Two calls, each told 100 ms after its end. */
static void each_call_is_told_when_its_own_time_is_over(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), F_BEGINS(60000), F_ENDS(70000),
	     EVENT(1, STOP_SIGNAL, 10, 0, 101000), EVENT(1, STOP_SIGNAL, 10, 0, 169000),
	     EVENT(1, STOP_SIGNAL, 10, 0, 171000), EXIT(200000));
	next_call(&f, 0);
	assert_int_equal(f.target.now_ns, 101000000);
	next_call(&f, 0);
	assert_int_equal(f.target.now_ns, 171000000);
	assert_ends(&f);
}

static void a_spin_lock_that_loops_over_its_first_instruction_is_waited_for_once(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), HIT(SPIN, TOP - 0x208, A, 20), HIT(SPIN, TOP - 0x208, A, 30),
	     HIT(SPIN_RET, TOP - 0x208, A, 50), F_ENDS(100), EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 30);
	assert_us(&call, METRIC_HOLD, 50);
	assert_ends(&f);
}

static void the_locks_of_an_allocator_are_locks_and_its_allocation_goes_on(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), HIT(MALLOC, TOP - 0x108, 100, 15), TAKES(A, 20, 50),
	     RELEASES(A, 60),
	     {.stop = {.tid = 1, .kind = STOP_BREAKPOINT},
	      .rip = MALLOC_RET + 1,
	      .rsp = TOP - 0x108,
	      .rax = 0xc000,
	      .now_ns = 70000},
	     F_ENDS(100), EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 30);
	assert_us(&call, METRIC_HOLD, 10);
	assert_us(&call, METRIC_MEM, 100);
	assert_ends(&f);
}

static void an_operation_that_was_left_within_a_call_leaves_open_what_it_waited(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), HIT(LOCK, TOP - 0x208, A, 20), F_ENDS(100), F_BEGINS(110),
	     TAKES(B, 120, 130), F_ENDS(150), EXIT(200));
	call = next_call(&f, 0);
	assert_int_equal(call.metrics[METRIC_WAIT].absence, ABSENT_UNCERTAIN);
	assert_int_equal(call.metrics[METRIC_HOLD].absence, ABSENT_UNCERTAIN);
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 10);
	assert_ends(&f);
}

static void others_are_not_stopped_for_long_for_what_is_withheld(void **state)
{
	struct scripted_stop script[120] = {START, EVENT(1, STOP_CLONE, 0, 2, 5),
					    EVENT(2, STOP_EVENT, 0, 0, 6), F_BEGINS(10),
					    F_ENDS(30)};
	struct call_record call;
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 5; i < 119; i++)
		script[i] = (struct scripted_stop)HIT_BY(2, LOCK, TOP - 0x408, A, 40 + i);
	script[119] = (struct scripted_stop)EXIT(400);
	play(&f, script, 120);
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 0);
	assert_int_equal(f.target.now_ns, (40 + 5 + 99) * 1000);
	assert_ends(&f);
}

/* A signal comes before the first instruction of lock has run: it will be hit once more. */
static void an_operation_that_a_signal_keeps_from_beginning_is_not_lost(void **state)
{
	struct session_event event;
	struct call_record call;
	struct fixture f;
	struct err err;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), HIT(LOCK, TOP - 0x208, A, 15),
	     {.is_signal = true, .now_ns = 16000}, EVENT(1, STOP_SIGNAL, 10, 0, 17),
	     TAKES(A, 20, 30), RELEASES(A, 35), F_ENDS(40), EXIT(200));
	assert_true(session_next(f.session, &event, &err));
	assert_int_equal(event.kind, SESSION_PAUSE);
	script[4].rip = breakpoint_find(f.session->inferiors->breakpoints, LOCK)->displaced.slot;
	script[4].rsp = TOP - 0x208;
	assert_int_not_equal(script[4].rip, 0);
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 10);
	assert_us(&call, METRIC_HOLD, 5);
	assert_ends(&f);
}

static void a_failed_release_proves_nothing(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), F_ENDS(40), HIT(UNLOCK, TOP - 0x208, A, 50),
	     {.stop = {.tid = 1, .kind = STOP_BREAKPOINT},
	      .rip = UNLOCK_RET + 1,
	      .rsp = TOP - 0x208,
	      .rax = 1,
	      .now_ns = 51000},
	     EXIT(200));
	call = next_call(&f, 0);
	assert_us(&call, METRIC_HOLD, 0);
	assert_ends(&f);
}

static void a_thread_that_was_born_under_our_eyes_is_known(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, F_BEGINS(10), EVENT(1, STOP_CLONE, 0, 2, 20),
	     EVENT(2, STOP_EVENT, 0, 0, 21), HIT_BY(2, LOCK, TOP - 0x408, A, 30),
	     HIT_BY(2, LOCK_RET, TOP - 0x408, 0, 35), HIT_BY(2, G, TOP - 0x308, 0, 40),
	     HIT_BY(2, G_RET, TOP - 0x308, 0, 60), F_ENDS(80), EVENT(2, STOP_EXITED, 0, 0, 90),
	     EXIT(200));
	call = next_call(&f, 1);
	assert_int_equal(f.target.now_ns, 60000); /* it was not withheld */
	assert_us(&call, METRIC_HOLD, 20);
	next_call(&f, 0);
	assert_ends(&f);
}

/* Its holder's stops of 4 µs at 60, 70 and 80, but not that in which the lock is free already. */
static void who_waits_is_not_charged_with_stops_of_the_holder(void **state)
{
	static const struct scripted_stop script[] = {START,
						      EVENT(1, STOP_CLONE, 0, 2, 5),
						      EVENT(2, STOP_EVENT, 0, 0, 6),
						      F_BEGINS(10),
						      TAKES(A, 20, 30),
						      HIT_BY(2, F, TOP - 0x308, 0, 40),
						      HIT_BY(2, LOCK, TOP - 0x408, A, 50),
						      EVENT(1, STOP_SIGNAL, 10, 0, 60),
						      EVENT(1, STOP_SIGNAL, 10, 0, 70),
						      HIT(UNLOCK, TOP - 0x208, A, 80),
						      HIT(UNLOCK_RET, TOP - 0x208, 0, 90),
						      HIT_BY(2, LOCK_RET, TOP - 0x408, 0, 95),
						      HIT_BY(2, F_RET, TOP - 0x308, 0, 110),
						      F_ENDS(120),
						      EVENT(2, STOP_EXITED, 0, 0, 130),
						      EXIT(200)};
	struct call_record call;
	struct fixture f;

	(void)state;
	play(&f, script, sizeof(script) / sizeof(*script));
	f.target.resume_delay_ns = 4000;
	call = next_call(&f, 0);
	assert_us(&call, METRIC_WAIT, 95 - 54 - 3 * 4);
	assert_us(&call, METRIC_TIME, 110 - 44 - 2 * 4 - 3 * 4);
	next_call(&f, 0);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_takes_and_releases_a_lock_waits_and_holds),
		cmocka_unit_test(time_in_stops_is_neither_waited_nor_held),
		cmocka_unit_test(a_call_whose_time_is_not_certain_has_waited_and_held_nothing),
		cmocka_unit_test(a_callee_waits_and_holds_for_its_caller),
		cmocka_unit_test(a_release_after_the_call_proves_that_it_was_made_under_the_lock),
		cmocka_unit_test(
			a_proof_raises_all_calls_before_it_and_what_callers_hold_themselves),
		cmocka_unit_test(a_proof_within_the_caller_raises_callees_that_have_ended),
		cmocka_unit_test(a_call_that_begins_under_the_lock_of_the_one_before_holds_it),
		cmocka_unit_test(what_nothing_proves_is_told_after_some_operations),
		cmocka_unit_test(what_nothing_proves_is_told_after_some_time),
		cmocka_unit_test(what_is_withheld_is_told_when_the_program_ends),
		cmocka_unit_test(what_is_withheld_is_told_when_measuring_ends),
		cmocka_unit_test(what_a_session_never_told_is_forgotten_with_it),
		cmocka_unit_test(each_call_is_told_when_its_own_time_is_over),
		cmocka_unit_test(
			a_spin_lock_that_loops_over_its_first_instruction_is_waited_for_once),
		cmocka_unit_test(the_locks_of_an_allocator_are_locks_and_its_allocation_goes_on),
		cmocka_unit_test(
			an_operation_that_was_left_within_a_call_leaves_open_what_it_waited),
		cmocka_unit_test(others_are_not_stopped_for_long_for_what_is_withheld),
		cmocka_unit_test(an_operation_that_a_signal_keeps_from_beginning_is_not_lost),
		cmocka_unit_test(a_failed_release_proves_nothing),
		cmocka_unit_test(who_waits_is_not_charged_with_stops_of_the_holder),
		cmocka_unit_test(a_thread_that_was_born_under_our_eyes_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
