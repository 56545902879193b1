/*
 * What calls cost, on a scripted target. Process 1 has the functions
 *   f at CODE+0x200 and g at CODE+0x300: push %rbx … ret at +0x10 h at CODE+0x380: ret alone, so
 *   that a call ends in the stop in which it begins
 * A stop that begins or ends a call adds a half of PAIR_US to it, any other one STOP_US; those that
 * are far FAR_US more, unless they begin it. Each stop is handled for HANDLED_NS.
 */
#include "check.h"

#include <signal.h>
#include <string.h>

#include "scripted_target.h"
#include "trace/state/engine.h"
#include "trace/session/session_inner.h"

enum { F = CODE + 0x200, F_RET = F + 0x10, G = CODE + 0x300, G_RET = G + 0x10, H = CODE + 0x380 };
enum { TOP = STACK + 0x1000, F_SP = TOP - 0x208, G_SP = TOP - 0x308, H_SP = TOP - 0x408 };
enum { PAIR_US = 2, STOP_US = 1, FAR_US = 4, HANDLED_NS = 3000 };
enum { FUNCTION_F, FUNCTION_G, FUNCTION_H };

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct address_range ranges[] = {
	{F - CODE, G - CODE}, {G - CODE, H - CODE}, {H - CODE, H + 1 - CODE}};
static const struct exit_site exits[] = {
	{F_RET - CODE, EXIT_RETURN}, {G_RET - CODE, EXIT_RETURN}, {H - CODE, EXIT_RETURN}};

#define FUNCTION(text, i, at)                                                             \
	{                                                                                 \
		.name = text, .linkage = text, .ranges = &ranges[i], .n_ranges = 1,       \
		.entry_addr = (at)-CODE, .probe_addr = (at)-CODE,                         \
		.cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8}, .exits = &exits[i], .n_exits = 1 \
	}
static const struct function functions[] = {FUNCTION("f", 0, F), FUNCTION("g", 1, G),
					    FUNCTION("h", 2, H)};
static const struct module module = {.path = "scripted", .entry_addr = ENTRY - CODE};
static const struct catalogue catalogue = {
	.modules = &module, .n_modules = 1, .functions = functions, .n_functions = 3};
static const struct calibration calibration = {.pair = {PAIR_US},
					       .stop = {STOP_US},
					       .far = {FAR_US},
					       .resolution = {0.5},
					       .far_resolution = {1.5}};

struct fixture {
	struct scripted_target target;
	struct session *session;
};

#define HIT(pc, sp, at)                                                                  \
	{                                                                                \
		.stop = {.tid = 1, .kind = STOP_BREAKPOINT}, .rip = (pc) + 1, .rsp = sp, \
		.now_ns = at                                                             \
	}
#define SIGNAL(at)                                                                       \
	{                                                                                \
		.stop = {.tid = 1, .kind = STOP_SIGNAL, .number = SIGALRM}, .now_ns = at \
	}
#define START HIT(ENTRY, TOP, 0)
#define EXIT                                                               \
	{                                                                  \
		.stop = {.tid = 1, .kind = STOP_EXITED}, .now_ns = 1000000 \
	}

static void play(struct fixture *f, const struct scripted_stop *script, size_t n)
{
	struct err err;

	memset(f, 0, sizeof(*f));
	f->target.script = script;
	f->target.n = n;
	memset(f->target.code, 0x90, sizeof(f->target.code));
	f->target.code[F - CODE] = f->target.code[G - CODE] = 0x53;
	f->target.code[F_RET - CODE] = f->target.code[G_RET - CODE] = f->target.code[H - CODE] =
		0xc3;
	assert_true(session_create(&catalogue, (struct target){&scripted_ops, &f->target}, 1,
				   &(struct session_options){.metrics = 1u << METRIC_TIME,
							     .calibration = &calibration},
				   &f->session, &err));
	f->target.resume_delay_ns = HANDLED_NS;
}

#define PLAY(f, ...)                                         \
	const struct scripted_stop script[] = {__VA_ARGS__}; \
	play(f, script, sizeof(script) / sizeof(script[0]))

/* The next call that ends is one of @function. */
static struct call_record call_of(struct fixture *f, unsigned function)
{
	struct session_event event;
	struct err err;

	assert_true(session_next(f->session, &event, &err));
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

static void assert_costs(const struct call_record *call, double time_us, double self_us)
{
	const struct value *self = &call->metrics[METRIC_SELF + METRIC_TIME];

	assert_int_equal(call->metrics[METRIC_TIME].absence, PRESENT);
	assert_float_equal(call->metrics[METRIC_TIME].number, time_us, 1e-9);
	assert_int_equal(self->absence, PRESENT);
	assert_float_equal(self->number, self_us, 1e-9);
}

static void assert_stopped(const struct call_record *call, int64_t stops, int64_t stopped_ns)
{
	assert_int_equal(call->stops, stops);
	assert_int_equal(call->stopped_ns, stopped_ns);
}

/* 30 - 3 - 2 µs, and 90 - 3 × 3 - 2 - 2 × 1 µs. */
static void stops_of_callees_are_not_charged_to_their_callers(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 40000), HIT(G_RET, G_SP, 70000),
	     HIT(F_RET, F_SP, 100000), EXIT);
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 25, 25);
	assert_stopped(&call, 2, 0);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 77, 52);
	assert_stopped(&call, 4, 2 * HANDLED_NS);
	assert_ends(&f);
}

/* In G for 5 µs others have the processor: neither G's time nor F's. */
static void what_a_call_waited_for_a_processor_is_not_its_time(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 40000), HIT(G_RET, G_SP, 70000),
	     HIT(F_RET, F_SP, 100000), EXIT);
	f.target.waited_at_ns = 60000;
	f.target.waited_ns = 5000;
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 20, 20);
	assert_int_equal(call.waited_ns, 5000);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 72, 52);
	assert_int_equal(call.waited_ns, 5000);
	assert_ends(&f);
}

/* What stops add is subtracted from each; it is all in the sum, also what is less than nothing. */
static void times_of_all_calls_are_summed_up(void **state)
{
	const struct function_account *account;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(G, G_SP, 10000), HIT(G_RET, G_SP, 43000), HIT(G, G_SP, 50000),
	     HIT(G_RET, G_SP, 54000), HIT(H, H_SP, 80000), EXIT);
	account = session_function_account(f.session, 0, FUNCTION_G);
	call_of(&f, FUNCTION_G);
	assert_int_equal(account->time_ns, 28000);
	assert_true(call_of(&f, FUNCTION_G).metrics[METRIC_TIME].number == 0);
	assert_int_equal(account->time_ns, 27000);
	assert_int_equal(account->untimed, 0);
	call_of(&f, FUNCTION_H);
	assert_int_equal(session_function_account(f.session, 0, FUNCTION_H)->time_ns, 0);
	assert_ends(&f);
}

/* The signal belongs to both calls. 40 - 2 × 3 - 2 - 1 µs, and 100 - 4 × 3 - 2 - 3 × 1 µs. */
static void a_signal_in_a_call_is_not_charged_to_it(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 40000), SIGNAL(60000),
	     HIT(G_RET, G_SP, 80000), HIT(F_RET, F_SP, 110000), EXIT);
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 31, 31);
	assert_stopped(&call, 3, HANDLED_NS);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 83, 52);
	assert_stopped(&call, 5, 3 * HANDLED_NS);
	assert_ends(&f);
}

/*
 * Such a call costs nothing, though its stop costs its caller as any other: 60 - 2 × 3 - 2 - 1 µs.
 */
static void a_call_that_ends_in_the_stop_in_which_it_began_takes_no_time(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(H, H_SP, 40000), HIT(F_RET, F_SP, 70000),
	     HIT(H, H_SP, 80000), EXIT);
	call = call_of(&f, FUNCTION_H);
	assert_costs(&call, 0, 0);
	assert_stopped(&call, 1, 0);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 51, 51);
	assert_stopped(&call, 3, HANDLED_NS);
	call = call_of(&f, FUNCTION_H); /* nobody is open */
	assert_costs(&call, 0, 0);
	assert_ends(&f);
}

static void a_recursive_call_is_a_callee_like_others(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(F, G_SP, 40000), HIT(F, H_SP, 50000),
	     HIT(F_RET, H_SP, 60000), HIT(F_RET, G_SP, 70000), HIT(F_RET, F_SP, 100000), EXIT);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 5, 5);
	call = call_of(&f, FUNCTION_F); /* 30 - 3 × 3 - 2 - 2 × 1 µs */
	assert_costs(&call, 17, 12);
	call = call_of(
		&f,
		FUNCTION_F); /* 90 - 5 × 3 - 2 - 4 × 1 µs; only the middle one is its own callee */
	assert_costs(&call, 69, 52);
	assert_stopped(&call, 6, 4 * HANDLED_NS);
	assert_ends(&f);
}

/* The callee's return address is overwritten by then: it was left, nobody knows after what time. */
static void what_a_callee_cost_that_was_left_is_not_known(void **state)
{
	const enum metric self = METRIC_SELF + METRIC_TIME;
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 40000), HIT(F_RET, F_SP, 100000),
	     HIT(F, F_SP, 110000), HIT(F_RET, F_SP, 120000), EXIT);
	call = call_of(&f, FUNCTION_F);
	assert_float_equal(call.metrics[METRIC_TIME].number, 81, 1e-9); /* 90 - 2 × 3 - 2 - 1 */
	assert_int_equal(call.metrics[self].absence, ABSENT_CALLEE);
	call = call_of(&f, FUNCTION_F); /* the next one has nothing to do with it */
	assert_costs(&call, 5, 5);
	assert_ends(&f);
}

/*
 * Callees that seem to take 1 µs less than nothing and 1 µs take 0 µs together, and their caller is
 * not charged for the noise: 60 - 5 × 3 - 2 - 4 × 1 µs.
 */
static void noise_below_nothing_is_cut_off_but_goes_into_sums(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 20000), HIT(G_RET, G_SP, 24000),
	     HIT(G, G_SP, 50000), HIT(G_RET, G_SP, 56000), HIT(F_RET, F_SP, 70000), EXIT);
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 0, 0);
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 1, 1);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 39, 39);
	assert_ends(&f);
}

/* Less than nothing by more than two stops are uncertain. */
static void what_is_far_below_nothing_is_absent_and_not_0(void **state)
{
	struct call_record call;
	struct fixture f;

	(void)state;
	PLAY(&f, START, HIT(F, F_SP, 10000), HIT(G, G_SP, 20000), HIT(G_RET, G_SP, 23900),
	     HIT(F_RET, F_SP, 70000), EXIT);
	call = call_of(&f, FUNCTION_G);
	assert_int_equal(call.metrics[METRIC_TIME].absence, ABSENT_UNCERTAIN);
	assert_int_equal(call.metrics[METRIC_SELF + METRIC_TIME].absence, ABSENT_UNCERTAIN);
	call = call_of(&f, FUNCTION_F);
	assert_int_equal(call.metrics[METRIC_SELF + METRIC_TIME].absence, PRESENT);
	assert_ends(&f);
}

/*
 * The stops that begin f and end g are far: the one is before f's time, the other in that of both.
 */
static void a_stop_that_woke_another_processor_is_charged_to_nobody(void **state)
{
	struct scripted_stop begins = HIT(F, F_SP, 10000);
	struct scripted_stop ends = HIT(G_RET, G_SP, 70000);
	struct call_record call;
	struct fixture f;

	(void)state;
	begins.stop.far = ends.stop.far = true;
	PLAY(&f, START, begins, HIT(G, G_SP, 40000), ends, HIT(F_RET, F_SP, 100000), EXIT);
	call = call_of(&f, FUNCTION_G);
	assert_costs(&call, 21, 21);
	call = call_of(&f, FUNCTION_F);
	assert_costs(&call, 73, 52);
	assert_int_equal(session_account(f.session)->far_stops, 2);
	assert_true(session_account(f.session)->calibration.resolution[METRIC_TIME] == 1.5);
	assert_ends(&f);
}

static void what_is_known_is_not_less_where_no_stop_was_far(void **state)
{
	struct scripted_stop begins = HIT(F, F_SP, 10000);
	struct fixture f;

	(void)state;
	begins.stop.far = true;
	PLAY(&f, START, begins, HIT(F_RET, F_SP, 100000), EXIT);
	call_of(&f, FUNCTION_F);
	assert_true(session_account(f.session)->calibration.resolution[METRIC_TIME] == 0.5);
	assert_ends(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_of_callees_are_not_charged_to_their_callers),
		cmocka_unit_test(what_a_call_waited_for_a_processor_is_not_its_time),
		cmocka_unit_test(times_of_all_calls_are_summed_up),
		cmocka_unit_test(a_signal_in_a_call_is_not_charged_to_it),
		cmocka_unit_test(a_call_that_ends_in_the_stop_in_which_it_began_takes_no_time),
		cmocka_unit_test(a_recursive_call_is_a_callee_like_others),
		cmocka_unit_test(what_a_callee_cost_that_was_left_is_not_known),
		cmocka_unit_test(noise_below_nothing_is_cut_off_but_goes_into_sums),
		cmocka_unit_test(what_is_far_below_nothing_is_absent_and_not_0),
		cmocka_unit_test(a_stop_that_woke_another_processor_is_charged_to_nobody),
		cmocka_unit_test(what_is_known_is_not_less_where_no_stop_was_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
