/* What is paid by the governor's budget that is no stop of one function. Times are in ns. */
#include "check.h"

#include <math.h>

#include "trace/probe/governor.h"

static const uint64_t SECOND = 1000000000;
static const double BUDGET = 0.05;
static const double START_CREDIT = 40e6; /* as in governor.c */

struct account {
	struct governor *governor;
	uint64_t now_ns;
};

static void begin(struct account *s, unsigned n, double budget, uint64_t seed)
{
	s->now_ns = 12345;
	s->governor = governor_create(budget, seed, s->now_ns);
	while (n--)
		governor_add(s->governor, s->now_ns);
}

/* A program's start, its signals: told as what they cost, but calls are not left out for them. */
static void stops_for_no_function_are_told_and_close_none(void **state)
{
	struct account s;

	(void)state;
	begin(&s, 1, BUDGET, 14);
	governor_spend_aside(s.governor, SECOND);
	s.now_ns += 2 * SECOND;
	assert_true(fabs(governor_overhead(s.governor, s.now_ns) - 1) < 1e-9);
	assert_true(governor_hit(s.governor, 0, s.now_ns));
	governor_spend_turning(s.governor, SECOND);
	s.now_ns += SECOND;
	governor_spend(s.governor, 0, SECOND, false);
	s.now_ns += SECOND;
	assert_false(governor_hit(s.governor, 0, s.now_ns));
	governor_destroy(s.governor);
}

/*
 * Two functions called in turns, which are all that the program does: 79 and 21 % of its time. Their
 * pads cost 35 ns a call, and it is feared that they cost 49.
 */
static void what_is_only_feared_makes_no_window_shorter(void **state)
{
	static const uint64_t own_ns[] = {79, 21};
	const uint64_t pad_ns = 35, feared_ns = 14, calls = 1000;
	double share[2] = {0};
	struct account s;

	(void)state;
	begin(&s, 2, 0, 15);
	for (int i = 0; i < 1000; i++)
		for (unsigned function = 0; function < 2; function++) {
			s.now_ns += calls * (own_ns[function] + pad_ns);
			share[function] += (double)(calls * own_ns[function]);
			governor_spend(s.governor, function, calls * pad_ns, false);
			governor_reserve(s.governor, function, calls * feared_ns);
		}
	for (unsigned function = 0; function < 2; function++) {
		share[function] /= (double)governor_open_ns(s.governor, function, s.now_ns);
		assert_true(fabs(share[function] - (double)own_ns[function] / 100) < 1e-6);
	}
	governor_destroy(s.governor);
}

/* It is paid by leaving calls out, all the same. */
static void what_is_feared_is_in_the_budget(void **state)
{
	struct account s;

	(void)state;
	begin(&s, 1, BUDGET, 16);
	governor_reserve(s.governor, 0, SECOND);
	s.now_ns += SECOND;
	assert_true(governor_overhead(s.governor, s.now_ns) == 0);
	assert_false(governor_hit(s.governor, 0, s.now_ns));
	governor_destroy(s.governor);
}

static void who_calls_most_pays_most_of_what_all_cost(void **state)
{
	struct account s;

	(void)state;
	begin(&s, 2, BUDGET, 18);
	governor_begun(s.governor, 0, 10);
	governor_begun(s.governor, 1, 990);
	governor_spend_in_common(s.governor, SECOND);
	s.now_ns += SECOND;
	assert_true(governor_hit(s.governor, 0, s.now_ns));
	assert_false(governor_hit(s.governor, 1, s.now_ns));
	governor_destroy(s.governor);
}

static void credit_may_be_spent_but_not_without_a_limit(void **state)
{
	struct account s;

	(void)state;
	for (int limited = 0; limited < 2; limited++) {
		begin(&s, 1, limited ? BUDGET : 0, 17);
		governor_spend_in_common(s.governor, (uint64_t)START_CREDIT);
		assert_false(governor_is_spent(s.governor));
		governor_spend_in_common(s.governor, 1);
		assert_int_equal(governor_is_spent(s.governor), limited);
		governor_destroy(s.governor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stops_for_no_function_are_told_and_close_none),
		cmocka_unit_test(what_is_only_feared_makes_no_window_shorter),
		cmocka_unit_test(what_is_feared_is_in_the_budget),
		cmocka_unit_test(who_calls_most_pays_most_of_what_all_cost),
		cmocka_unit_test(credit_may_be_spent_but_not_without_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
