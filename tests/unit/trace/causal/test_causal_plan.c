/* Which experiment comes next: pairs, chance, lengths. Times are ns of a clock that the test has. */
#include "check.h"

#include "core/causal/experiment.h"
#include "trace/causal/causal_plan.h"

static const uint64_t MS = 1000000;

static struct causal_plan begun(uint64_t seed)
{
	struct causal_plan plan = {.random = {seed}};

	causal_plan_begin(&plan);
	return plan;
}

/* Runs the experiment that is next to its end; returns its speedup. */
static double run_one(struct causal_plan *plan, uint64_t *now_ns, double visits)
{
	double speedup;

	assert_false(causal_plan_starts(plan, *now_ns)); /* it rests first */
	while (!causal_plan_starts(plan, *now_ns))
		*now_ns += MS;
	speedup = causal_plan_speedup(plan);
	while (!causal_plan_settles(plan, *now_ns, 0, 0))
		*now_ns += MS;
	while (!causal_plan_ends(plan, *now_ns, 0, 0))
		*now_ns += MS;
	causal_plan_ended(plan, *now_ns, visits);
	return speedup;
}

static void each_speedup_has_a_partner_without_in_either_order(void **state)
{
	struct causal_plan plan = begun(1);
	unsigned first = 0, pairs = 200;
	uint64_t now_ns = 0;

	(void)state;
	for (unsigned i = 0; i < pairs; i++) {
		double one, two;

		assert_int_equal(plan.pair, i);
		causal_plan_offer(&plan, 7, now_ns);
		assert_int_equal(plan.phase, CAUSAL_RESTING);
		causal_plan_offer(&plan, 8, now_ns); /* too late */
		one = run_one(&plan, &now_ns, CAUSAL_VISITS_WANTED);
		assert_int_equal(plan.unit, 7);
		two = run_one(&plan, &now_ns, CAUSAL_VISITS_WANTED);
		assert_true((one > 0) != (two > 0));
		assert_int_equal(plan.phase, CAUSAL_CHOOSING);
		first += one > 0;
	}
	/* 200 fair draws: the mean ± 5 deviations of 7 */
	assert_in_range(first, 65, 135);
}

static void every_speedup_comes_and_none_is_above_90_percent(void **state)
{
	struct causal_plan plan = begun(2);
	unsigned low = 0, high = 0;
	uint64_t now_ns = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		causal_plan_offer(&plan, 0, now_ns);
		assert_true(plan.speedup > 0 && plan.speedup <= 0.9);
		low += plan.speedup < 0.1;
		high += plan.speedup > 0.8;
		run_one(&plan, &now_ns, CAUSAL_VISITS_WANTED);
		run_one(&plan, &now_ns, CAUSAL_VISITS_WANTED);
	}
	assert_true(low > 0 && high > 0);
}

static void only_given_speedups_are_tried(void **state)
{
	static const double speedups[] = {0.25};
	struct causal_plan plan = {.speedups = speedups, .n_speedups = 1, .random = {3}};

	(void)state;
	causal_plan_begin(&plan);
	causal_plan_offer(&plan, 0, 0);
	assert_float_equal(plan.speedup, 0.25, 0);
}

static void pauses_make_an_experiment_longer_until_hardly_anything_else_is_left(void **state)
{
	struct causal_plan plan = begun(4);
	uint64_t now_ns = 0;

	(void)state;
	causal_plan_offer(&plan, 0, now_ns);
	while (!causal_plan_starts(&plan, now_ns))
		now_ns += MS;
	while (!causal_plan_settles(&plan, now_ns, 0, 0))
		now_ns += MS;
	assert_false(causal_plan_ends(&plan, now_ns + plan.length_ns, 100 * MS, 0));
	assert_true(causal_plan_ends(&plan, now_ns + plan.length_ns + 100 * MS, 100 * MS, 0));
	now_ns += (uint64_t)((double)plan.length_ns / EXPERIMENT_EFFECTIVE) + MS;
	assert_true(causal_plan_ends(&plan, now_ns, (int64_t)plan.length_ns * 100, 0));
}

static void rare_visits_make_later_experiments_longer_up_to_8_s_and_many_shorter(void **state)
{
	struct causal_plan plan = begun(5);
	const uint64_t first_ns = plan.length_ns;
	uint64_t now_ns = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		causal_plan_offer(&plan, 0, now_ns);
		run_one(&plan, &now_ns, 1);
		run_one(&plan, &now_ns, 1);
	}
	assert_int_equal(plan.length_ns, CAUSAL_LONGEST_NS);
	for (unsigned i = 0; i < 8; i++) {
		causal_plan_offer(&plan, 0, now_ns);
		run_one(&plan, &now_ns, 1000);
		run_one(&plan, &now_ns, 1000);
	}
	assert_int_equal(plan.length_ns, first_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_speedup_has_a_partner_without_in_either_order),
		cmocka_unit_test(every_speedup_comes_and_none_is_above_90_percent),
		cmocka_unit_test(only_given_speedups_are_tried),
		cmocka_unit_test(
			pauses_make_an_experiment_longer_until_hardly_anything_else_is_left),
		cmocka_unit_test(
			rare_visits_make_later_experiments_longer_up_to_8_s_and_many_shorter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
