/*
 * Series: means, quantiles, autocorrelation and chances, as R prints them.
 *
 * Sums of some fifty numbers of one size: 1e-12 is a thousand times their rounding.
 */
#include "numbers.h"

#include "model/data/stats.h"
#include "textbook_data.h"

/* R: mean(lh); quantile(lh, c(.1, .25, .5, .9)); mean((lh - 2)^2) */
static void means_and_quantiles_are_those_of_r(void **state)
{
	(void)state;
	assert_near(stats_mean(lh, LH_ROWS), 2.4, 1e-12);
	assert_near(stats_quantile(lh, LH_ROWS, 0.1), 1.77, 1e-12);
	assert_near(stats_quantile(lh, LH_ROWS, 0.25), 2, 1e-12);
	assert_near(stats_median(lh, LH_ROWS), 2.3, 1e-12);
	assert_near(stats_quantile(lh, LH_ROWS, 0.9), 3.2, 1e-12);
	assert_near(stats_mean_square(lh, LH_ROWS, 2), 0.4579166666666667, 1e-12);
}

/*
 * R: n <- length(lh); rho <- acf(lh, plot = FALSE)$acf[2] * n / (n - 1); n * (1 - rho) / (1 + rho)
 * The autocorrelation is R's, whose sum of products is divided by n though it has n - 1 of them.
 */
static void what_follows_its_neighbour_counts_less(void **state)
{
	(void)state;
	assert_near(stats_effective(lh, LH_ROWS), 12.462169912101503, 1e-10);
	/* Of lh[-(1:4)], which does not begin with its mean. */
	assert_near(stats_effective(lh + 4, LH_ROWS - 4), 11.4753141000596, 1e-10);
	/* sqrt(mean((lh - mean(lh))^2) / 12.462169912101503) */
	assert_near(stats_error(lh, LH_ROWS), 0.15461462303546886, 1e-12);
}

/*
 * Neighbours that differ as much as can be say no more than independent ones; equal halves say
 * little.
 */
static void autocorrelation_is_bounded(void **state)
{
	double values[400];
	size_t i;

	(void)state;
	for (i = 0; i < 400; i++)
		values[i] = i % 2 ? 1 : -1;
	assert_near(stats_effective(values, 400), 400, 1e-9);
	for (i = 0; i < 400; i++)
		values[i] = i < 200 ? 1 : -1;
	/* 398 products of 399 are 1, and one is -1: rho is 397/399, held at 0.99. */
	assert_near(stats_effective(values, 400), 400 * 0.01 / 1.99, 1e-9);
	for (i = 0; i < 20; i++)
		values[i] = i < 10 ? 1 : -1;
	/* 17/19: 20 * 2/36 would be 1.1. */
	assert_near(stats_effective(values, 20), 2, 0);
	assert_near(stats_effective(values, 2), 2, 0);
}

static void without_numbers_there_is_no_error(void **state)
{
	static const double same[] = {3, 3, 3, 3};

	(void)state;
	assert_true(stats_error(same, 4) == 0 && stats_error(same, 1) == 0);
	assert_true(stats_effective(same, 4) == 4);
	assert_true(stats_mean(same, 0) == 0 && stats_median(same, 0) == 0);
	assert_true(isnan(stats_quantile(same, 0, 0.5)));
}

/*
 * R: 2 * pt(2.5, 17, lower = FALSE)
 * R: pt((3 - 1) / 0.8, 12, lower = FALSE) + pt((3 + 1) / 0.8, 12, lower = FALSE)
 */
static void chances_are_those_of_students_t(void **state)
{
	(void)state;
	assert_near(stats_chance(2.5, 0, 1, 17), 0.02294780698638494, 1e-12);
	assert_near(stats_chance(-2.5, 0, 1, 17), 0.02294780698638494, 1e-12);
	assert_near(stats_chance(3, 1, 0.8, 12), 0.014112355391304551, 1e-12);
	assert_true(stats_chance(0.9, 1, 0.8, 12) == 1);
	assert_true(stats_chance(1.1, 1, 0, 12) == 0);
	/* Less than one degree of freedom is one: a Cauchy distribution's tails of 1 are a half. */
	assert_near(stats_chance(1, 0, 1, 0.1), 0.5, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_and_quantiles_are_those_of_r),
		cmocka_unit_test(what_follows_its_neighbour_counts_less),
		cmocka_unit_test(autocorrelation_is_bounded),
		cmocka_unit_test(without_numbers_there_is_no_error),
		cmocka_unit_test(chances_are_those_of_students_t),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
