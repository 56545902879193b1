/* Tests of several sides and of layouts: R 4.2's figures, and rates with fixed seeds. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "base/random.h"
#include "core/samples/run_places.h"
#include "model/compare/diff_sides.h"

static void analysis_of_variance_as_in_r(void **state)
{
	/* PlantGrowth: summary(aov(weight ~ group)). */
	const double a[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14};
	const double b[] = {4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69};
	const double c[] = {6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26};
	const struct diff_runs groups[] = {{a, 10}, {b, 10}, {c, 10}};
	const struct diff_runs same[] = {{a, 1}, {b, 1}};
	double freedom[2];
	const double f = diff_sides_f(groups, 3, freedom);

	(void)state;
	assert_true(fabs(f - 4.846) < 0.0005);
	assert_true(freedom[0] == 2 && freedom[1] == 27);
	assert_true(fabs(gsl_cdf_fdist_Q(f, freedom[0], freedom[1]) - 0.01591) < 5e-6);
	assert_true(isnan(diff_sides_f(same, 2, freedom)));
}

/* Stabilizer's two suites of 18 programs (Curtsinger, 2016, table 3.2). */
static void the_p_values_of_stabilizer(void **state)
{
	(void)state;
	assert_true(fabs(gsl_cdf_fdist_Q(3.235, 1, 17) - 0.0898) < 2e-4);
	assert_true(fabs(gsl_cdf_fdist_Q(1.335, 1, 17) - 0.264) < 2e-4);
}

static double uniform(struct random_state *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

static void draw_runs(struct random_state *random, double times, struct run_place *runs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const double place = 16 * floor(256 * uniform(random));
		const double noise = 1 + 0.05 * (uniform(random) - 0.5);

		runs[i] = (struct run_place){place, noise * (place >= 2048 ? times : 1)};
	}
}

static size_t count_found(double times, size_t n, size_t tables)
{
	struct random_state random = {.state = 7};
	struct run_place runs[40];
	const struct run_places places = {.runs = runs, .n = n};
	struct run_parting parting;
	size_t found = 0, i;

	for (i = 0; i < tables; i++) {
		draw_runs(&random, times, runs, n);
		found += run_places_part(&places, &parting) && parting.p <= RUN_PLACES_CHANCE;
	}
	return found;
}

/* At 0.003 each, more than 3 of 200 are drawn once in 300 series. */
static void runs_that_differ_by_chance_do_not_depend_on_their_places(void **state)
{
	(void)state;
	assert_true(count_found(1, 20, 200) <= 3);
	assert_int_equal(count_found(3, RUN_PLACES_LEAST - 1, 20), 0);
}

static void a_place_that_matters_is_found(void **state)
{
	(void)state;
	assert_true(count_found(1.2, 24, 50) >= 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(analysis_of_variance_as_in_r),
		cmocka_unit_test(the_p_values_of_stabilizer),
		cmocka_unit_test(runs_that_differ_by_chance_do_not_depend_on_their_places),
		cmocka_unit_test(a_place_that_matters_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
