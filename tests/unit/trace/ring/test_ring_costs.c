/* When a function's pads take so much of a thread's time that times of other calls are uncertain. */
#include "check.h"

#include <stdlib.h>

#include "trace/ring/ring_costs.h"
#include "trace/state/engine.h"

enum { FUNCTIONS = 3, MS = 1000000, CALL_NS = 20 };

static uint64_t clock_ns;

static uint64_t tell_clock(void *self)
{
	(void)self;
	return clock_ns;
}

struct listening {
	struct target_ops ops;
	struct ring ring;
	struct session session;
	struct inferior inferior;
	struct pad_thread pad;
	struct pad_sums before[FUNCTIONS], now[FUNCTIONS];
	struct tracee tracee;
};

static struct listening *begin(double max_overhead)
{
	struct listening *one = calloc(1, sizeof(*one));

	assert_non_null(one);
	clock_ns = 1000 * MS;
	one->ops.now_ns = tell_clock;
	one->ring.cost.call_ns = CALL_NS;
	one->session.target.ops = &one->ops;
	one->session.ring = &one->ring;
	one->session.start_ns = clock_ns;
	one->session.options.max_overhead = max_overhead;
	one->inferior.session = &one->session;
	one->pad.sums = one->before;
	one->tracee.inferior = &one->inferior;
	one->tracee.pad = &one->pad;
	return one;
}

/* 10 ms more, in which @calls of @function begin, or pass its pads where it is closed. */
static void pass(struct listening *one, unsigned function, unsigned calls)
{
	clock_ns += 10 * MS;
	if (one->before[function].closed)
		one->now[function].closed += calls;
	else
		one->now[function].begun += calls;
	ring_costs_listen(&one->tracee, one->now, FUNCTIONS);
	one->before[function] = one->now[function];
}

static bool is_beside(const struct listening *one, unsigned function, unsigned ms)
{
	return ring_costs_is_beside(&one->tracee, function, (1000 + (uint64_t)ms) * MS);
}

/* Of 10 ms, a million ns are a tenth: 50,000 calls. */
static void calls_that_begin_while_others_are_loud_are_beside_them(void **state)
{
	struct listening *one = begin(0.05);

	(void)state;
	pass(one, 1, 40000);
	assert_false(is_beside(one, 0, 5));
	pass(one, 1, 60000);
	assert_false(is_beside(one, 0, 5));
	assert_true(is_beside(one, 0, 15));
	assert_true(is_beside(one, 2, 15));
	assert_false(is_beside(one, 1, 15));
	/* Until it is known that it is over. */
	assert_true(is_beside(one, 0, 25));
	pass(one, 1, 60000);
	assert_true(is_beside(one, 0, 15));
	pass(one, 1, 0);
	assert_true(is_beside(one, 0, 29));
	assert_false(is_beside(one, 0, 30));
	/* Another time. */
	pass(one, 0, 60000);
	assert_false(is_beside(one, 1, 29));
	assert_true(is_beside(one, 1, 41));
	assert_false(is_beside(one, 0, 41));
	free(one);
}

static void two_loud_functions_are_beside_each_other(void **state)
{
	struct listening *one = begin(0.05);

	(void)state;
	one->now[1].begun = 60000;
	pass(one, 0, 60000);
	assert_true(is_beside(one, 0, 5) && is_beside(one, 1, 5) && is_beside(one, 2, 5));
	free(one);
}

/* Of RING_PASSED_NS each: 250,000 are a tenth. */
static void calls_that_pass_are_heard_too(void **state)
{
	struct listening *one = begin(0.05);

	(void)state;
	one->now[1].closed = one->before[1].closed = 1;
	pass(one, 1, 240000);
	assert_false(is_beside(one, 0, 5));
	pass(one, 1, 260000);
	assert_true(is_beside(one, 0, 15));
	free(one);
}

/* Nothing is ever closed: all calls would be beside others. */
static void without_a_budget_nothing_is_loud(void **state)
{
	struct listening *one = begin(0);

	(void)state;
	pass(one, 1, 400000);
	assert_false(is_beside(one, 0, 5));
	free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_begin_while_others_are_loud_are_beside_them),
		cmocka_unit_test(two_loud_functions_are_beside_each_other),
		cmocka_unit_test(calls_that_pass_are_heard_too),
		cmocka_unit_test(without_a_budget_nothing_is_loud),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
