/*
 * What hits of branches mean, on a scripted target. Process 1 has three functions:
 *   f at CODE+0x200: push %rbx; A je; B jne; S movslq (%rdx,%rax,4),%rax, a switch from 2 on; OUT
 *   je g, a tail call;
 *                    ret; TAIL jmp g
 *   g at CODE+0x300: nop … ret h at CODE+0x400: je, which is where it is probed; ret
 */
#include "check.h"

#include <string.h>

#include "scripted_target.h"
#include "trace/call/branches.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/engine.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, A = F + 8, B = F + 0xb, S = F + 0x10, OUT = F + 0x18 };
enum { F_RET = F + 0x20, F_TAIL = F + 0x28 };
enum { G = CODE + 0x300, G_RET = G + 0x10, H = CODE + 0x400, H_RET = H + 2 };
enum { CALLER = CODE + 0x500, TOP = STACK + 0x1000 };
enum { ZERO = 0x40 /* the flag */ };
enum { AT_A, AT_B, AT_S, AT_OUT, N_BRANCHES };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range f_range = {F - CODE, G - CODE};
static const struct address_range g_range = {G - CODE, H - CODE};
static const struct address_range h_range = {H - CODE, CALLER - CODE};
static const struct exit_site f_exits[] = {
	{OUT - CODE, EXIT_TAIL_JUMP}, {F_RET - CODE, EXIT_RETURN}, {F_TAIL - CODE, EXIT_TAIL_JUMP}};
static const struct exit_site g_exits[] = {{G_RET - CODE, EXIT_RETURN}};
static const struct exit_site h_exits[] = {{H_RET - CODE, EXIT_RETURN}};
#define CONDITIONAL(name_, at, to)                                            \
	{                                                                     \
		.name = name_, .kind = BRANCH_CONDITIONAL, .addr = (at)-CODE, \
		.target_addr = (to)-CODE                                      \
	}
static const struct branch_site f_branches[N_BRANCHES] = {
	CONDITIONAL("a", A, A + 8),
	CONDITIONAL("b", B, B + 8),
	{.name = "s",
	 .kind = BRANCH_SWITCH,
	 .addr = S - CODE,
	 .index = {.reg = 0, .scale = 1, .bias = -2}},
	CONDITIONAL("out", OUT, G),
};
static const struct branch_site h_branches[] = {CONDITIONAL("h", H, H + 2)};

#define FUNCTION(name_, range, addr, exits_, n_exits_)                      \
	.name = name_, .linkage = name_, .ranges = &(range), .n_ranges = 1, \
	.entry_addr = (addr)-CODE, .probe_addr = (addr)-CODE,               \
	.cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8}, .exits = exits_, .n_exits = n_exits_

static const struct function functions[] = {
	{FUNCTION("f", f_range, F, f_exits, 3), .branches = f_branches, .n_branches = N_BRANCHES},
	{FUNCTION("g", g_range, G, g_exits, 1)},
	{FUNCTION("h", h_range, H, h_exits, 1), .branches = h_branches, .n_branches = 1},
};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {
	.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 3};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define HIT(tid_, pc, sp, ...)                                                              \
	{                                                                                   \
		.stop = {.tid = tid_, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		__VA_ARGS__                                                                 \
	}
#define EVENT(tid_, kind_, number_, child_)                                               \
	{                                                                                 \
		.stop = {.tid = tid_, .kind = kind_, .number = number_, .child = child_ } \
	}
#define START HIT(1, ENTRY, TOP, )
#define PAUSE                     \
	{                         \
		.is_signal = true \
	}
#define EXIT EVENT(1, STOP_EXITED, 0, 0)
/* Stack pointers at the entry, and within the frame. */
#define AT0 (TOP - 8)
#define IN0 (TOP - 16)
#define AT1 (TOP - 108)
#define IN1 (TOP - 116)

static void put(struct scripted_target *target, uint64_t address, const void *bytes, size_t n)
{
	memcpy(target->code + (address - CODE), bytes, n);
}

static void put_code(struct scripted_target *target)
{
	const int32_t out = G - (OUT + 6);
	const int32_t tail = G - (F_TAIL + 5);

	memset(target->code, 0x90, sizeof(target->code));
	put(target, F, "\x53", 1);
	put(target, A, "\x74\x06", 2);
	put(target, B, "\x75\x06", 2);
	put(target, S, "\x48\x63\x04\x82", 4);
	put(target, OUT, "\x0f\x84", 2);
	put(target, OUT + 2, &out, 4);
	put(target, F_RET, "\xc3", 1);
	put(target, F_TAIL, "\xe9", 1);
	put(target, F_TAIL + 1, &tail, 4);
	put(target, G_RET, "\xc3", 1);
	put(target, H, "\x74\x00", 2);
	put(target, H_RET, "\xc3", 1);
}

static void play_of(struct fixture *f, const struct catalogue *what,
		    const struct scripted_stop *script, size_t n, bool branches)
{
	const struct session_options options = {.branches = branches, .follow_fork = true};
	const uint64_t caller = CALLER;
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	put_code(&f->target);
	memcpy(f->target.stack + (AT0 - STACK), &caller, 8);
	memcpy(f->target.stack + (AT1 - STACK), &caller, 8);
	assert_true(session_create(what, (struct target){&scripted_ops, &f->target}, 1, &options,
				   &f->session, &err));
}

#define PLAY(f, ...)                                   \
	struct scripted_stop script[] = {__VA_ARGS__}; \
	play_of(f, &catalogue, script, sizeof(script) / sizeof(script[0]), true)

static struct session_event next(struct fixture *f)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
	return event;
}

static void assert_pauses(struct fixture *f)
{
	assert_int_equal(next(f).kind, SESSION_PAUSE);
}

static void assert_ends(struct fixture *f)
{
	assert_int_equal(next(f).kind, SESSION_ENDED);
	session_destroy(f->session);
}

static const struct value *next_call(struct fixture *f, unsigned function)
{
	static struct value values[N_BRANCHES];
	const struct session_event event = next(f);

	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.function, function);
	if (!event.call.branches)
		return NULL;
	memcpy(values, event.call.branches, functions[function].n_branches * sizeof(*values));
	return values;
}

static void assert_is(const struct value *value, double number)
{
	assert_int_equal(value->absence, PRESENT);
	assert_true(value->number == number);
}

static struct breakpoint *breakpoint_at(const struct fixture *f, uint64_t address)
{
	return breakpoint_find(f->session->inferiors->breakpoints, address);
}

static void outcomes_are_what_the_flags_say(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, A, IN0, .eflags = ZERO),
	     HIT(1, B, IN0, .eflags = ZERO), HIT(1, F_RET, AT0, ), HIT(1, F, AT0, ),
	     HIT(1, B, IN0, ), HIT(1, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_is(&values[AT_A], 1);
	assert_is(&values[AT_B], 0);
	assert_int_equal(values[AT_S].absence, ABSENT_NOT_REACHED);
	values = next_call(&f, 0);
	assert_int_equal(values[AT_A].absence, ABSENT_NOT_REACHED);
	assert_is(&values[AT_B], 1);
	assert_ends(&f);
}

static void the_program_goes_where_it_would_go(void **state)
{
	char to_target[64];
	char on[64];
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, A, IN0, .eflags = ZERO),
	     HIT(1, B, IN0, .eflags = ZERO), HIT(1, F_RET, AT0, ), EXIT);
	next_call(&f, 0);
	snprintf(to_target, sizeof(to_target), "rip 1 %x\n", A + 8);
	snprintf(on, sizeof(on), "rip 1 %x\n", B + 2);
	assert_non_null(strstr(f.target.log, to_target));
	assert_non_null(strstr(f.target.log, on));
	assert_ends(&f);
}

static void the_index_of_a_switch_is_counted_from_its_first_entry(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, S, IN0, .rax = 7), HIT(1, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_is(&values[AT_S], 5);
	assert_ends(&f);
}

static void a_branch_that_runs_twice_in_a_call_is_looked_at_no_more(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, A, IN0, ), HIT(1, F_RET, AT0, ), HIT(1, F, AT0, ),
	     HIT(1, A, IN0, ), HIT(1, B, IN0, ), HIT(1, A, IN0, ), HIT(1, A, IN0, ),
	     HIT(1, F_RET, AT0, ), HIT(1, F, AT0, ), HIT(1, F_RET, AT0, ), EXIT);
	assert_is(&next_call(&f, 0)[AT_A], 0);
	assert_true(breakpoint_at(&f, A)->planted);
	values = next_call(&f, 0);
	assert_int_equal(values[AT_A].absence, ABSENT_LOOPED);
	assert_is(&values[AT_B], 1);
	assert_false(breakpoint_at(&f, A)->planted);
	assert_true(breakpoint_at(&f, B)->planted);
	assert_int_equal(next_call(&f, 0)[AT_A].absence, ABSENT_LOOPED);
	assert_ends(&f);
	/* The hit that was under way when it was lifted counts for nothing. */
	assert_int_equal(f.target.next, f.target.n);
}

static void every_recursive_call_has_outcomes_of_its_own(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, A, IN0, .eflags = ZERO), HIT(1, F, AT1, ),
	     HIT(1, A, IN1, ), HIT(1, F_RET, AT1, ), HIT(1, B, IN0, ), HIT(1, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_is(&values[AT_A], 0);
	assert_int_equal(values[AT_B].absence, ABSENT_NOT_REACHED);
	values = next_call(&f, 0);
	assert_is(&values[AT_A], 1);
	assert_is(&values[AT_B], 1);
	assert_ends(&f);
}

static void a_branch_may_be_where_calls_are_noticed(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, H, AT0, .eflags = ZERO), HIT(1, H_RET, AT0, ), HIT(1, H, AT0, ),
	     HIT(1, H_RET, AT0, ), EXIT);
	assert_is(&next_call(&f, 2)[0], 1);
	assert_is(&next_call(&f, 2)[0], 0);
	assert_ends(&f);
}

static void a_branch_that_leaves_the_function_is_one(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, OUT, AT0, ), HIT(1, F_RET, AT0, ),
	     HIT(1, F, AT0, ), HIT(1, OUT, AT0, .eflags = ZERO), HIT(1, G, AT0, ),
	     HIT(1, G_RET, AT0, ), HIT(1, CALLER, TOP, ), EXIT);
	assert_is(&next_call(&f, 0)[AT_OUT], 0);
	assert_null(next_call(&f, 1));
	assert_is(&next_call(&f, 0)[AT_OUT], 1);
	assert_ends(&f);
}

/* f waits for what g returns; a hit below is not its own. */
static void a_call_that_waits_comes_to_no_branch(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, B, IN0, ), HIT(1, F_TAIL, AT0, ), HIT(1, A, IN1, ),
	     HIT(1, CALLER, TOP, ), EXIT);
	values = next_call(&f, 0);
	assert_is(&values[AT_B], 1);
	assert_int_equal(values[AT_A].absence, ABSENT_NOT_MEASURED);
	assert_ends(&f);
}

/* One that was not seen to begin, as when the tool attaches: other calls may be taken for it. */
static void strangers_make_what_was_not_seen_unknown(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 0, 2), EVENT(2, STOP_EVENT, 0, 0), HIT(1, F, AT0, ),
	     HIT(1, B, IN0, ), HIT(2, A, TOP + 500, ), HIT(1, F_RET, AT0, ), HIT(1, F, AT0, ),
	     HIT(1, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_int_equal(values[AT_A].absence, ABSENT_NOT_MEASURED);
	assert_is(&values[AT_B], 1);
	assert_int_equal(next_call(&f, 0)[AT_A].absence, ABSENT_NOT_REACHED);
	assert_ends(&f);
}

static void a_loop_of_a_stranger_costs_two_hits(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, A, IN0, ), PAUSE, HIT(1, A, IN0, ), PAUSE, HIT(1, F, AT0, ),
	     HIT(1, F_RET, AT0, ), EXIT);
	assert_pauses(&f);
	assert_true(breakpoint_at(&f, A)->planted);
	assert_pauses(&f);
	assert_false(breakpoint_at(&f, A)->planted);
	assert_int_equal(next_call(&f, 0)[AT_A].absence, ABSENT_LOOPED);
	assert_ends(&f);
}

static void different_frames_of_strangers_are_different_calls(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, A, IN1, ), HIT(1, A, IN0, ), HIT(1, F, AT0, ), HIT(1, A, IN0, ),
	     HIT(1, F_RET, AT0, ), EXIT);
	assert_is(&next_call(&f, 0)[AT_A], 0);
	assert_ends(&f);
}

/* Probes are lifted for a while: what a call does then nobody sees. */
static void a_call_says_nothing_of_what_it_did_behind_closed_probes(void **state)
{
	const struct value *values;
	struct inferior *inferior;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, B, IN0, ), PAUSE, HIT(1, S, IN0, .rax = 3),
	     HIT(1, F_RET, AT0, ), HIT(1, F, AT0, ), HIT(1, A, IN0, ), HIT(1, F_RET, AT0, ), EXIT);
	assert_pauses(&f);
	inferior = f.session->inferiors;
	branches_lift(inferior, 1, 0);
	assert_false(breakpoint_at(&f, A)->planted);
	assert_true(breakpoint_at(&f, OUT)->planted); /* an exit, too */
	branches_plant(inferior, 1, 0);
	assert_true(breakpoint_at(&f, A)->planted);
	values = next_call(&f, 0);
	assert_int_equal(values[AT_A].absence, ABSENT_NOT_MEASURED);
	assert_is(&values[AT_B], 1);
	assert_int_equal(values[AT_S].absence,
			 ABSENT_NOT_MEASURED); /* it may not be the first time */
	values = next_call(&f, 0);
	assert_is(&values[AT_A], 0);
	assert_int_equal(values[AT_B].absence, ABSENT_NOT_REACHED);
	assert_ends(&f);
}

static void a_looped_branch_is_not_planted_again(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, A, IN0, ), HIT(1, A, IN0, ), PAUSE,
	     HIT(1, F_RET, AT0, ), EXIT);
	assert_pauses(&f);
	branches_lift(f.session->inferiors, 1, 0);
	branches_plant(f.session->inferiors, 1, 0);
	assert_false(breakpoint_at(&f, A)->planted);
	assert_true(breakpoint_at(&f, B)->planted);
	assert_int_equal(next_call(&f, 0)[AT_A].absence, ABSENT_LOOPED);
	assert_ends(&f);
}

/* A signal comes before the instruction that reads the table has run: it will be hit once more. */
static void a_hit_that_a_signal_undoes_does_not_count(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(1, F, AT0, ), HIT(1, S, IN0, .rax = 4), PAUSE,
	     EVENT(1, STOP_SIGNAL, 10, 0), HIT(1, S, IN0, .rax = 4), HIT(1, F_RET, AT0, ), EXIT);
	assert_pauses(&f);
	script[4].rip = breakpoint_at(&f, S)->displaced.slot;
	script[4].rsp = IN0;
	assert_int_not_equal(script[4].rip, 0);
	assert_is(&next_call(&f, 0)[AT_S], 2);
	assert_ends(&f);
}

static void what_one_thread_finds_looped_is_lifted_for_all(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 0, 2), EVENT(2, STOP_EVENT, 0, 0), HIT(1, F, AT0, ),
	     HIT(2, F, TOP - 508, ), HIT(2, A, TOP - 516, ), HIT(1, A, IN0, ), HIT(1, A, IN0, ),
	     HIT(2, F_RET, TOP - 508, ), HIT(1, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_int_equal(values[AT_A].absence, ABSENT_LOOPED);
	assert_int_equal(values[AT_B].absence, ABSENT_NOT_REACHED);
	assert_int_equal(next_call(&f, 0)[AT_A].absence, ABSENT_LOOPED);
	assert_ends(&f);
}

/* A coroutine: thread 2 goes on with the call that thread 1 began. */
static void branches_of_a_call_that_moved_are_its_own(void **state)
{
	const struct value *values;
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_CLONE, 0, 2), EVENT(2, STOP_EVENT, 0, 0), HIT(1, F, AT0, ),
	     HIT(1, B, IN0, ), HIT(2, A, IN0, ), HIT(2, F_RET, AT0, ), EXIT);
	values = next_call(&f, 0);
	assert_is(&values[AT_A], 0);
	assert_is(&values[AT_B], 1);
	assert_int_equal(values[AT_S].absence, ABSENT_OTHER_THREAD);
	assert_ends(&f);
}

static void a_branch_that_loops_in_one_process_is_lifted_in_all(void **state)
{
	struct fixture f;

	(void)state;
	PLAY(&f, START, EVENT(1, STOP_FORK, 0, 20), EVENT(20, STOP_EVENT, 0, 0), HIT(20, F, AT0, ),
	     HIT(20, A, IN0, ), HIT(20, A, IN0, ), PAUSE, EVENT(20, STOP_EXITED, 0, 0), EXIT);
	assert_pauses(&f);
	assert_non_null(f.session->inferiors->next);
	assert_false(breakpoint_at(&f, A)->planted);
	assert_false(breakpoint_find(f.session->inferiors->next->breakpoints, A)->planted);
	assert_ends(&f);
}

static void without_the_option_nothing_is_looked_at(void **state)
{
	static const struct scripted_stop script[] = {START, HIT(1, F, AT0, ), HIT(1, F_RET, AT0, ),
						      EXIT};
	struct fixture f;

	(void)state;
	play_of(&f, &catalogue, script, 4, false);
	assert_null(next_call(&f, 0));
	assert_ends(&f);
}

/* 300 branches; the first 280 are in a loop. */
static void of_many_branches_those_outside_of_loops_are_looked_at_first(void **state)
{
	static const struct scripted_stop script[] = {START,
						      HIT(1, G, AT0, ),
						      HIT(1, G_RET, AT0, ),
						      HIT(1, G, AT0, ),
						      HIT(1, G + 0x20, IN0, ),
						      HIT(1, G + 0x20, IN0, ),
						      HIT(1, G_RET, AT0, ),
						      HIT(1, G, AT0, ),
						      HIT(1, G_RET, AT0, ),
						      EXIT};
	const struct address_range range = {G - CODE, G + 0x1000 - CODE};
	static struct branch_site many[300];
	struct function function = functions[1];
	struct catalogue one = catalogue;
	struct session_event event;
	struct fixture f;
	unsigned i, watched = 0;

	(void)state;
	for (i = 0; i < 300; i++)
		many[i] = (struct branch_site){.name = "",
					       .addr = G + 0x20 + 2 * i - CODE,
					       .target_addr = G + 0x800 - CODE,
					       .in_loop = i < 280};
	function.ranges = &range;
	function.branches = many;
	function.n_branches = 300;
	one.functions = &function;
	one.n_functions = 1;
	play_of(&f, &one, script, sizeof(script) / sizeof(script[0]), true);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_NOTE);
	assert_string_equal(event.note,
			    "g has 300 branches; at most 256 of them are looked at at a "
			    "time, those outside of loops first");
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	for (i = 0; i < 300; i++)
		watched += event.call.branches[i].absence == ABSENT_NOT_REACHED;
	assert_int_equal(watched, 256);
	for (i = 280; i < 300; i++)
		assert_int_equal(event.call.branches[i].absence, ABSENT_NOT_REACHED);
	assert_int_equal(event.call.branches[235].absence, ABSENT_NOT_REACHED);
	assert_int_equal(event.call.branches[236].absence, ABSENT_NOT_MEASURED);
	/*
	 * The first one loops: the next in line takes its place, of which this call says nothing
	 * yet.
	 */
	event = next(&f);
	assert_int_equal(event.call.branches[0].absence, ABSENT_LOOPED);
	assert_int_equal(event.call.branches[236].absence, ABSENT_NOT_MEASURED);
	event = next(&f);
	assert_int_equal(event.call.branches[236].absence, ABSENT_NOT_REACHED);
	assert_int_equal(event.call.branches[237].absence, ABSENT_NOT_MEASURED);
	assert_ends(&f);
}

/* As of a prologue that probes the stack: nobody knows of the call by then. */
static void branches_before_the_probe_address_are_not_looked_at(void **state)
{
	static const struct scripted_stop script[] = {START, HIT(1, G + 8, AT0, ),
						      HIT(1, G_RET, AT0, ), EXIT};
	static const struct branch_site early[] = {CONDITIONAL("early", G + 4, G),
						   CONDITIONAL("later", G + 0xc, G)};
	struct function function = functions[1];
	struct catalogue one = catalogue;
	struct session_event event;
	struct fixture f;

	(void)state;
	function.probe_addr = G + 8 - CODE;
	function.branches = early;
	function.n_branches = 2;
	one.functions = &function;
	one.n_functions = 1;
	play_of(&f, &one, script, 4, true);
	event = next(&f);
	assert_int_equal(event.kind, SESSION_CALL);
	assert_int_equal(event.call.branches[0].absence, ABSENT_NOT_MEASURED);
	assert_int_equal(event.call.branches[1].absence, ABSENT_NOT_REACHED);
	assert_null(breakpoint_at(&f, G + 4));
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_are_what_the_flags_say),
		cmocka_unit_test(the_program_goes_where_it_would_go),
		cmocka_unit_test(the_index_of_a_switch_is_counted_from_its_first_entry),
		cmocka_unit_test(a_branch_that_runs_twice_in_a_call_is_looked_at_no_more),
		cmocka_unit_test(every_recursive_call_has_outcomes_of_its_own),
		cmocka_unit_test(a_branch_may_be_where_calls_are_noticed),
		cmocka_unit_test(a_branch_that_leaves_the_function_is_one),
		cmocka_unit_test(a_call_that_waits_comes_to_no_branch),
		cmocka_unit_test(strangers_make_what_was_not_seen_unknown),
		cmocka_unit_test(a_loop_of_a_stranger_costs_two_hits),
		cmocka_unit_test(different_frames_of_strangers_are_different_calls),
		cmocka_unit_test(a_call_says_nothing_of_what_it_did_behind_closed_probes),
		cmocka_unit_test(a_looped_branch_is_not_planted_again),
		cmocka_unit_test(a_hit_that_a_signal_undoes_does_not_count),
		cmocka_unit_test(what_one_thread_finds_looped_is_lifted_for_all),
		cmocka_unit_test(branches_of_a_call_that_moved_are_its_own),
		cmocka_unit_test(a_branch_that_loops_in_one_process_is_lifted_in_all),
		cmocka_unit_test(without_the_option_nothing_is_looked_at),
		cmocka_unit_test(of_many_branches_those_outside_of_loops_are_looked_at_first),
		cmocka_unit_test(branches_before_the_probe_address_are_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
