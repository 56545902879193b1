/*
 * Calls that are left without a return, on the scripted process of session_fixture.h with
 *   the unwinder at CODE+0x600, which leaves by the ret at CODE+0x610 or the jmp *%rcx at CODE+0x620
 *   the one for the ends of threads at CODE+0x640, longjmp at CODE+0x680, a jmp_buf on the stack
 * f also has what it returns as a feature.
 */
#include "session_fixture.h"
#include "trace/probe/breakpoint.h"

enum { UNWIND = CODE + 0x600, UNWIND_RET = CODE + 0x610, UNWIND_JUMP = CODE + 0x620 };
enum { FORCED = CODE + 0x640, JUMP = CODE + 0x680, LANDING = CODE + 0x6c0 };
enum { THREAD = STACK + 0x100, BUFFER = STACK + 0x200, HANDLER = CODE + 0x1400 };
enum { F_SP = TOP - 8, G_SP = TOP - 108, INNER_SP = TOP - 308, DEEP_SP = TOP - 600 };

static const uint64_t GUARD = 0x123456789abcdef0;

static const struct plan_step rax_steps[] = {{PLAN_REG, 0}};
static const struct feature f_features[] = {
	{.expression = "n", .type = FEATURE_INT, .plan = {rdi_steps, 1, PLAN_SIGNED, 8}},
	{.expression = "return",
	 .type = FEATURE_INT,
	 .provenance = FROM_RETURN,
	 .plan = {rax_steps, 1, PLAN_SIGNED, 8}},
};
static const uint64_t unwind_exits[] = {UNWIND_RET - CODE, UNWIND_JUMP - CODE};
static const struct cost_function hooks[] = {
	{.name = "_Unwind_RaiseException",
	 .kind = COST_UNWIND,
	 .entry_addr = UNWIND - CODE,
	 .exits = unwind_exits,
	 .n_exits = 2},
	{.name = "_Unwind_ForcedUnwind", .kind = COST_UNWIND_FORCED, .entry_addr = FORCED - CODE},
	{.name = "longjmp", .kind = COST_JUMP, .entry_addr = JUMP - CODE},
};

struct exits_fixture {
	struct fixture f;
	struct function functions[2];
	struct catalogue catalogue;
};

static void put_word(struct scripted_target *target, uint64_t address, uint64_t word)
{
	uint8_t *area = address >= STACK ? target->stack + (address - STACK)
					 : target->code + (address - CODE);

	memcpy(area, &word, sizeof(word));
}

/* As glibc does. */
static uint64_t mangled(uint64_t word)
{
	word ^= GUARD;
	return word << 17 | word >> 47;
}

static void play_exits(struct exits_fixture *ret, const struct scripted_stop *script, size_t n)
{
	struct scripted_target *target = &ret->f.target;
	struct err err;

	memset(ret, 0, sizeof(*ret));
	target->script = script;
	target->n = n;
	memset(target->code, 0x90, sizeof(target->code));
	put(target, F_RET, "\xc3", 1);
	put(target, G_RET, "\xc3", 1);
	put(target, UNWIND_RET, "\xc3", 1);
	put(target, UNWIND_JUMP, "\xff\xe1", 2);
	put_word(target, THREAD + 0x30, GUARD);
	memcpy(ret->functions, functions, sizeof(functions));
	ret->functions[0].features = f_features;
	ret->functions[0].n_features = 2;
	ret->catalogue = catalogue;
	ret->catalogue.functions = ret->functions;
	ret->catalogue.cost_functions = hooks;
	ret->catalogue.n_cost_functions = 3;
	assert_true(session_create(&ret->catalogue, (struct target){&scripted_ops, target}, 1,
				   &(struct session_options){0}, &ret->f.session, &err));
}

#define PLAY_EXITS(fixture, ...)                             \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play_exits(fixture, script, sizeof(script) / sizeof(script[0]))

#define JUMPS(sp, at)                                                                    \
	{                                                                                \
		.stop = {.tid = 1, .kind = STOP_BREAKPOINT}, .rip = JUMP + 1, .rsp = sp, \
		.rdi = BUFFER, .fs_base = THREAD, .now_ns = at                           \
	}

static struct session_event assert_call(struct exits_fixture *e, unsigned function,
					enum call_exit exit, double time)
{
	struct session_event event = next(&e->f);

	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.function, function);
	assert_int_equal(event.call.exit, exit);
	assert_true(event.call.metrics[METRIC_TIME].number == time);
	return event;
}

static void assert_end_without_loss(struct exits_fixture *e)
{
	assert_int_equal(next(&e->f).kind, SESSION_ENDED);
	assert_int_equal(session_function_account(e->f.session, 0, 0)->abandoned, 0);
	assert_int_equal(session_function_account(e->f.session, 0, 1)->abandoned, 0);
	session_destroy(e->f.session);
}

/* f calls g calls f, whose exception g catches. */
static void an_exception_ends_the_calls_below_the_handlers_frame(void **state)
{
	struct session_event event;
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, G, G_SP, 2, 20000),
		   HIT(1, F, INNER_SP, 3, 30000), HIT(1, UNWIND, DEEP_SP, 0, 40000),
		   HIT(1, UNWIND_RET, INNER_SP, 0, 50000), HIT(1, G_RET, G_SP, 0, 60000),
		   HIT(1, F_RET, F_SP, 0, 70000), EXIT(80000));
	event = assert_call(&e, 0, CALL_THROWN, 20);
	assert_true(event.call.features[0].number == 3);
	assert_int_equal(event.call.features[1].absence, ABSENT_NOT_REACHED);
	assert_call(&e, 1, CALL_RETURNED, 40);
	event = assert_call(&e, 0, CALL_RETURNED, 60);
	assert_int_equal(event.call.features[1].absence, PRESENT);
	assert_int_equal(session_function_account(e.f.session, 0, 0)->calls, 2);
	assert_end_without_loss(&e);
}

/* The stack pointer of the frame that goes on is that after a ret, and before a jmp. */
static void a_frame_at_the_new_stack_pointer_is_gone_and_one_above_is_not(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, G, G_SP, 2, 20000),
		   HIT(1, UNWIND, DEEP_SP, 0, 30000), HIT(1, UNWIND_RET, G_SP - 8, 0, 40000),
		   HIT(1, UNWIND, DEEP_SP, 0, 50000), HIT(1, UNWIND_JUMP, G_SP + 8, 0, 60000),
		   HIT(1, F_RET, F_SP, 0, 70000), EXIT(80000));
	assert_call(&e, 1, CALL_THROWN, 40);
	assert_call(&e, 0, CALL_RETURNED, 60);
	assert_end_without_loss(&e);
}

/* An unwinder that finds no handler returns to who called it. */
static void an_unwinder_that_returns_ends_nothing(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, UNWIND, DEEP_SP, 0, 20000),
		   HIT(1, UNWIND_RET, DEEP_SP, 0, 30000), HIT(1, F_RET, F_SP, 0, 40000),
		   EXIT(50000));
	assert_call(&e, 0, CALL_RETURNED, 30);
	assert_end_without_loss(&e);
}

/* Coroutines on lower parts of the region are suspended; the unwinder is above them. */
static void frames_below_the_unwinder_stay_open(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, DEEP_SP - 200, 1, 10000), HIT(1, G, G_SP, 2, 20000),
		   HIT(1, UNWIND, DEEP_SP, 0, 30000), HIT(1, UNWIND_RET, G_SP, 0, 40000),
		   HIT(1, F_RET, DEEP_SP - 200, 0, 50000), EXIT(60000));
	put_word(&e.f.target, DEEP_SP - 200, CALLER);
	assert_call(&e, 1, CALL_THROWN, 20);
	assert_call(&e, 0, CALL_RETURNED, 40);
	assert_end_without_loss(&e);
}

static void longjmp_ends_the_calls_up_to_the_stack_pointer_in_its_buffer(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, G, G_SP, 2, 20000),
		   JUMPS(DEEP_SP, 50000), HIT(1, F_RET, F_SP, 0, 60000), EXIT(70000));
	put_word(&e.f.target, BUFFER + 48, mangled(G_SP + 8));
	put_word(&e.f.target, BUFFER + 56, mangled(CALLER));
	assert_call(&e, 1, CALL_JUMPED, 30);
	assert_call(&e, 0, CALL_RETURNED, 50);
	assert_end_without_loss(&e);
}

static void musl_stores_the_stack_pointer_as_it_is(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, G, G_SP, 2, 20000),
		   JUMPS(DEEP_SP, 50000), HIT(1, F_RET, F_SP, 0, 60000), EXIT(70000));
	put_word(&e.f.target, BUFFER + 48, G_SP + 8);
	put_word(&e.f.target, BUFFER + 56, CALLER);
	assert_call(&e, 1, CALL_JUMPED, 30);
	assert_call(&e, 0, CALL_RETURNED, 50);
	assert_end_without_loss(&e);
}

/* A coroutine on a stack in the other region jumps back to who resumed it. */
static void a_jump_to_another_stack_ends_nothing(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, G, HANDLER + 8, 2, 20000),
		   JUMPS(HANDLER, 30000), HIT(1, G_RET, HANDLER + 8, 0, 40000),
		   HIT(1, F_RET, F_SP, 0, 50000), EXIT(60000));
	put_word(&e.f.target, BUFFER + 48, mangled(F_SP - 16));
	put_word(&e.f.target, HANDLER + 8, CALLER);
	assert_call(&e, 1, CALL_RETURNED, 20);
	assert_call(&e, 0, CALL_RETURNED, 40);
	assert_end_without_loss(&e);
}

/* A handler on an alternate stack calls g and jumps out of the inner f that it interrupted. */
static void a_jump_out_of_a_handler_ends_its_calls_and_the_interrupted_ones(void **state)
{
	const uint64_t frame = HANDLER + 0x80;
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, F, INNER_SP, 2, 20000),
		   HIT(1, G, HANDLER + 8, 3, 30000), JUMPS(HANDLER, 40000),
		   HIT(1, F_RET, F_SP, 0, 50000), EXIT(60000));
	put_word(&e.f.target, BUFFER + 48, mangled(G_SP));
	put_word(&e.f.target, frame + 16, 0); /* no link */
	put_word(&e.f.target, frame + 24, HANDLER - 0x100);
	put_word(&e.f.target, frame + 40, 0x400);
	put_word(&e.f.target, frame + 168, INNER_SP - 64); /* what was interrupted */
	put_word(&e.f.target, frame + 192, 0x33);
	assert_call(&e, 1, CALL_JUMPED, 10);
	assert_call(&e, 0, CALL_JUMPED, 20);
	assert_call(&e, 0, CALL_RETURNED, 40);
	assert_end_without_loss(&e);
}

/* The end of a thread unwinds to a buffer of the C library's, by a jump that has no symbol. */
static void the_end_of_a_thread_ends_its_calls_where_it_lands(void **state)
{
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, G_SP, 1, 10000),
		   {.stop = {.tid = 1, .kind = STOP_BREAKPOINT},
		    .rip = FORCED + 1,
		    .rsp = DEEP_SP,
		    .rdx = BUFFER,
		    .fs_base = THREAD,
		    .now_ns = 20000},
		   HIT(1, LANDING, F_SP, 0, 30000), EXIT(40000));
	put_word(&e.f.target, BUFFER + 48, mangled(F_SP));
	put_word(&e.f.target, BUFFER + 56, mangled(LANDING));
	assert_call(&e, 0, CALL_THROWN, 20);
	assert_end_without_loss(&e);
}

static void hooks_are_lifted_while_nothing_is_open_and_planted_by_the_next_call(void **state)
{
	struct breakpoint *hook;
	struct exits_fixture e;

	(void)state;
	PLAY_EXITS(&e, START, HIT(1, F, F_SP, 1, 10000), HIT(1, F_RET, F_SP, 0, 20000),
		   HIT(1, UNWIND, F_SP, 0, 30000), HIT(1, F, F_SP, 1, 40000),
		   HIT(1, F_RET, F_SP, 0, 50000), EXIT(60000));
	assert_call(&e, 0, CALL_RETURNED, 10);
	hook = breakpoint_find(e.f.session->inferiors->breakpoints, UNWIND_JUMP);
	assert_true(hook->planted);
	assert_null(strstr(e.f.target.log, "lift 1 400620"));
	assert_call(&e, 0, CALL_RETURNED, 10);
	assert_logged(&e.f, "lift 1 400620\n");
	assert_true(hook->planted);
	assert_end_without_loss(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exception_ends_the_calls_below_the_handlers_frame),
		cmocka_unit_test(a_frame_at_the_new_stack_pointer_is_gone_and_one_above_is_not),
		cmocka_unit_test(an_unwinder_that_returns_ends_nothing),
		cmocka_unit_test(frames_below_the_unwinder_stay_open),
		cmocka_unit_test(longjmp_ends_the_calls_up_to_the_stack_pointer_in_its_buffer),
		cmocka_unit_test(musl_stores_the_stack_pointer_as_it_is),
		cmocka_unit_test(a_jump_to_another_stack_ends_nothing),
		cmocka_unit_test(a_jump_out_of_a_handler_ends_its_calls_and_the_interrupted_ones),
		cmocka_unit_test(the_end_of_a_thread_ends_its_calls_where_it_lands),
		cmocka_unit_test(
			hooks_are_lifted_while_nothing_is_open_and_planted_by_the_next_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
