/*
 * The criterion, against closed forms.
 *
 * Tolerances: a value is a sum or product of fewer than eight terms, log() is good to one unit in
 * the last place, and no terms cancel, so 8 DBL_EPSILON of the result. The likelihood says its own.
 */
#include "numbers.h"

#include <float.h>

#include "model/regression/score.h"

#define CLOSE (8 * DBL_EPSILON)

static void a_parameter_costs_the_logarithm_of_the_rows(void **state)
{
	unsigned k;

	(void)state;
	for (k = 0; k < 12; k++) {
		assert_near_part(score_penalty(k, exp(2)), 2.0 * k, CLOSE);
		assert_near_part(score_penalty(k, 1024), 10 * k * 0.693147180559945309, CLOSE);
		assert_near(score_penalty(k, 1), 0, 0);
	}
	assert_near_part(score_penalty(2.5, 100), 5 * 2.30258509299404568, CLOSE);
}

/* One of 8 rows that gains 3 log 2 = log 8 makes no difference; more is better, less is worse. */
static void the_criterion_is_the_deviance_and_the_penalty(void **state)
{
	const double gain = 3 * 0.693147180559945309;

	(void)state;
	assert_near(score_bic(-12.25, 0, 50), -12.25, 0);
	assert_near_part(score_bic(40, 3, exp(2)), 46, CLOSE);
	assert_near_part(score_bic(20 - gain, 3, 8), score_bic(20, 2, 8), CLOSE);
	assert_true(score_bic(19.9 - gain, 3, 8) < score_bic(20, 2, 8));
	assert_true(score_bic(20.1 - gain, 3, 8) > score_bic(20, 2, 8));
}

static void only_so_many_rows_count(void **state)
{
	static const size_t counts[] = {1, 2, SCORE_ROWS - 1, SCORE_ROWS, SCORE_ROWS + 1, 1000000};
	size_t i;

	(void)state;
	assert_near(score_rows(0), 0, 0);
	assert_near(score_weight(0), 1, 0);
	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const double n = counts[i];

		assert_near(score_rows(counts[i]), n < SCORE_ROWS ? n : SCORE_ROWS, 0);
		assert_near_part(n * score_weight(counts[i]), score_rows(counts[i]), CLOSE);
	}
	assert_near(score_weight(SCORE_ROWS), 1, 0);
	assert_true(score_weight(SCORE_ROWS + 1) < 1);
	assert_near(score_weight(4 * SCORE_ROWS), 0.25, 0);
}

/* All rows have the other unit, also those beyond the cap. */
static void a_change_of_unit_adds_twice_its_logarithm_a_row(void **state)
{
	(void)state;
	assert_near(score_unscale(17, 40, 1), 17, 0);
	assert_near(score_unscale(17, 0, 1000), 17, 0);
	assert_near_part(score_unscale(5, 40, exp(1)), 85, CLOSE);
	assert_near_part(score_unscale(0, 10 * SCORE_ROWS, 1024),
			 200.0 * SCORE_ROWS * 0.693147180559945309, CLOSE);
	assert_near_part(score_unscale(score_unscale(3, 9, 8), 9, 16), score_unscale(3, 9, 128),
			 CLOSE);
	assert_near(score_unscale(score_unscale(3, 9, 1e6), 9, 1e-6), 3, 3 * 249 * DBL_EPSILON);
}

/* -2 log likelihood of @n costs i², normal around 100 with deviation 50, all over @scale. */
static double normal_deviance(size_t n, double scale)
{
	const double mean = 100 / scale, deviation = 50 / scale;
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double z = ((double)(i * i) / scale - mean) / deviation;

		sum += z * z + log(2 * 3.14159265358979324 * deviation * deviation);
	}
	return sum;
}

/*
 * The sums of 20 terms of at most 30 round 20 times, to less than 600 each; their terms are good
 * to some units in the last place: 40 DBL_EPSILON of 600 is 6e-12.
 */
static void the_unit_of_a_likelihood_can_be_undone(void **state)
{
	static const double scales[] = {1e-3, 0.5, 1, 7, 1e6};
	const double expected = score_bic(normal_deviance(20, 1), 2, 20);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		const double bic = score_bic(normal_deviance(20, scales[i]), 2, 20);

		assert_near(score_unscale(bic, 20, scales[i]), expected, 6e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parameter_costs_the_logarithm_of_the_rows),
		cmocka_unit_test(the_criterion_is_the_deviance_and_the_penalty),
		cmocka_unit_test(only_so_many_rows_count),
		cmocka_unit_test(a_change_of_unit_adds_twice_its_logarithm_a_row),
		cmocka_unit_test(the_unit_of_a_likelihood_can_be_undone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
