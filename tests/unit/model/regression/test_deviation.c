/*
 * Noise that is even, grows with the cost, or both. Residuals that are all one part of their
 * deviation make the likelihood's maximum exact: of shapes s in place of the true t, the sum of 2
 * log s and n log of the mean of (t / s)^2 is least where s is t (Jensen).
 */
#include "numbers.h"

#include <stdbool.h>

#include "model/regression/deviation.h"

enum { MANY = 100 };

struct noise {
	double mean[MANY], residual[MANY];
};

/* Means from 1 to 100, 50.5 in the middle, and residuals of @base + @part * mean to either side. */
static void fill(struct noise *noise, double base, double part)
{
	size_t i;

	for (i = 0; i < MANY; i++) {
		noise->mean[i] = i + 1;
		noise->residual[i] = (i % 2 ? 1 : -1) * (base + part * noise->mean[i]);
	}
}

static void noise_in_proportion_has_a_part_only(void **state)
{
	struct noise noise;
	double base = NAN, part = NAN;

	(void)state;
	fill(&noise, 0, 0.1);
	assert_true(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
	assert_near(part, 0.1, 1e-12);
	assert_near(base, 0, 1e-12);
}

/*
 * The part's share of the typical deviation is 0.6, as the grid has it: 0.1 * 0.4 * 50.5 and 0.1
 * * 0.6.
 */
static void noise_of_both_kinds_has_both(void **state)
{
	struct noise noise;
	double base = NAN, part = NAN;

	(void)state;
	fill(&noise, 0.1 * 0.4 * 50.5, 0.1 * 0.6);
	assert_true(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
	assert_near(part, 0.06, 1e-12);
	assert_near(base, 2.02, 1e-12);
}

static void even_noise_has_no_part(void **state)
{
	struct noise noise;
	double base = 7, part = 7;

	(void)state;
	fill(&noise, 3, 0);
	assert_false(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
	assert_true(base == 7 && part == 7);
}

/*
 * Of noise in proportion to the means m, -2 log likelihood is less by
 * n log(mean(m^2)) - 2 sum(log m) than with an even deviation. Here half of 30 means are 1 and half
 * 1 + a, and that must be more than 10 + log 30:
 * R: gain <- function(a, n) { m <- rep(c(1, 1 + a), n / 2); n * log(mean(m^2)) - sum(2 * log(m)) }
 *    uniroot(function(a) gain(a, 30) - 10 - log(30), c(0, 9))$root
 */
static bool grows(double a, size_t n)
{
	struct noise noise;
	double base, part;
	size_t i;

	for (i = 0; i < n; i++) {
		noise.mean[i] = i % 2 ? 1 + a : 1;
		noise.residual[i] = 0.1 * noise.mean[i] * (i % 4 < 2 ? 1 : -1);
	}
	return deviation_find(noise.residual, noise.mean, n, &base, &part);
}

static void a_part_must_explain_more_than_ten_and_a_parameter(void **state)
{
	(void)state;
	assert_true(grows(1.76459443054019 * 1.001, 30));
	assert_false(grows(1.76459443054019 * 0.999, 30));
	assert_false(grows(3, 28));
}

static void costs_of_nothing_have_no_part(void **state)
{
	struct noise noise;
	double base, part;
	size_t i;

	(void)state;
	fill(&noise, 1, 0.1);
	for (i = 0; i < MANY; i++)
		noise.mean[i] = 0;
	assert_false(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
	for (i = 0; i < MANY; i++)
		noise.residual[i] = 0, noise.mean[i] = i + 1;
	assert_false(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
}

/*
 * A mean below 0 has no deviation in proportion to it: the smallest base that makes all positive,
 * or none.
 */
static void the_deviation_is_positive_for_each_mean(void **state)
{
	struct noise noise;
	double base = 0, part = 0;

	(void)state;
	fill(&noise, 0, 0.1);
	noise.mean[0] = -20;
	noise.residual[0] = 0.1;
	assert_true(deviation_find(noise.residual, noise.mean, MANY, &base, &part));
	assert_true(base + part * noise.mean[0] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_in_proportion_has_a_part_only),
		cmocka_unit_test(noise_of_both_kinds_has_both),
		cmocka_unit_test(even_noise_has_no_part),
		cmocka_unit_test(a_part_must_explain_more_than_ten_and_a_parameter),
		cmocka_unit_test(costs_of_nothing_have_no_part),
		cmocka_unit_test(the_deviation_is_positive_for_each_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
