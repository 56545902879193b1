/* Tests of how runs are distributed, against figures of R 4.2 (shapiro.test, pf, anova). */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/compare/run_shape.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 2e-4 * fabs(b))

static void shapiro_and_wilk_as_published(void **state)
{
	/* Shapiro and Wilk (1965), section 5. */
	const double weights[] = {148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236};
	const double outlier[] = {1, 1.1, 0.9, 1.05, 5};
	const double three[] = {1, 4, 2};
	const double fifteen[] = {5.1, 4.9, 4.7, 4.6, 5.0, 5.4, 4.6, 5.0,
				  4.4, 4.9, 5.4, 4.8, 4.8, 4.3, 9.8};
	const double same[] = {7, 7, 7, 7};

	(void)state;
	NEAR(run_shape_normal(weights, 11), 0.006703814057);
	NEAR(run_shape_normal(outlier, 5), 0.0005065802082);
	NEAR(run_shape_normal(three, 3), 0.636886845);
	NEAR(run_shape_normal(fifteen, 15), 4.301999392e-06);
	assert_true(isnan(run_shape_normal(same, 4)));
	assert_true(isnan(run_shape_normal(weights, 2)));
}

static void brown_and_forsythe_as_anova_of_distances(void **state)
{
	const double a[] = {24, 23, 31, 27, 25}, b[] = {21, 30, 22, 40, 28};
	const double same[] = {1, 1, 1};

	(void)state;
	NEAR(run_shape_equal(a, 5, b, 5), 0.2057939089);
	assert_true(isnan(run_shape_equal(same, 3, same, 3)));
	assert_true(isnan(run_shape_equal(a, 2, b, 5)));
}

static struct run_spread shape_of(double *old, double *new, size_t n)
{
	double errors[16] = {0};
	const struct run_means sides[2] = {{.n = n, .means = old, .errors = errors},
					   {.n = n, .means = new, .errors = errors}};
	struct run_spread spread = {.error = 1e-6, .freedom = 2.0 * n - 2};

	run_shape_find(sides, &spread);
	return spread;
}

/* Of 8 + 8 runs with an outlier on each side. */
static void permutations_judge_what_is_not_normal(void **state)
{
	double old[] = {0, .01, -.01, .02, -.02, .015, -.005, .3};
	double new[] = {0, .012, -.013, .021, -.018, .011, -.009, .31};
	const struct run_means sides[2] = {{.n = 8, .means = old}, {.n = 8, .means = new}};
	const struct run_means few[2] = {{.n = 4, .means = old + 4}, {.n = 4, .means = new + 4}};
	struct run_spread spread = shape_of(old, new, 8);

	(void)state;
	assert_true(spread.normal[0] < 0.05 && spread.normal[1] < 0.05 && spread.equal > 0.05);
	assert_true(run_shape_chance(sides, &spread, 0.01) > 0.1);
	assert_true(run_shape_chance(sides, &spread, 0.5) < 0.01);
	assert_true(run_shape_chance(few, &spread, 0.01) == 0);
	spread.normal[0] = spread.normal[1] = 0.5;
	assert_true(run_shape_chance(sides, &spread, 0.01) == 0);
}

/* Squares sum to 0.0028 and 0.28 of 6 and 6 runs: Welch, by hand. */
static void sides_that_vary_differently_are_judged_by_welch(void **state)
{
	double old[] = {-.03, -.02, -.01, .01, .02, .03};
	double new[] = {-.3, -.2, -.1, .1, .2, .3};
	const double a = 0.0028 / 30, b = 0.28 / 30;
	const struct run_spread spread = shape_of(old, new, 6);

	(void)state;
	assert_true(spread.equal < 0.05);
	NEAR(spread.error, sqrt(a + b));
	NEAR(spread.freedom, (a + b) * (a + b) / (a * a / 5 + b * b / 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapiro_and_wilk_as_published),
		cmocka_unit_test(brown_and_forsythe_as_anova_of_distances),
		cmocka_unit_test(permutations_judge_what_is_not_normal),
		cmocka_unit_test(sides_that_vary_differently_are_judged_by_welch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
