/*
 * One hump or two: likelihoods of the family with one hump and of two normal distributions,
 * against those that R's optim() finds, a closed form, and the mixture of Old Faithful's waiting
 * times that textbooks have.
 *
 * Location and scale come from 20 rounds of EM, whose errors shrink by 3 / 7 or faster for three
 * degrees of freedom and more: below 1e-7 of what they were. Two normals that hardly overlap need
 * fewer than their 40 rounds. Likelihoods are flat at their maxima, so 1e-4 has a margin.
 */
#include "numbers.h"

#include "model/density/unimodal.h"
#include "textbook_data.h"

enum { SOME = 60 };

/* R: qt(ppoints(60, a = .5), 3) by its distribution function, which has a closed form. */
static double t3_below(double t)
{
	const double z = t / sqrt(3);

	return 0.5 + (z / (1 + z * z) + atan(z)) / M_PI;
}

static void fill_t3(double *ret)
{
	unsigned i, round;

	for (i = 0; i < SOME; i++) {
		double low = -100, high = 100;

		for (round = 0; round < 100; round++) {
			const double middle = (low + high) / 2;

			if (t3_below(middle) < (i + 0.5) / SOME)
				low = middle;
			else
				high = middle;
		}
		ret[i] = low;
	}
}

/*
 * R: q <- qt(ppoints(60, a = .5), 3)
 *    f <- function(p) -sum(dt((q - p[1]) / exp(p[2]), 3, log = TRUE) - p[2])
 *    optim(c(0, 0), f, control = list(reltol = 1e-14))$value
 * Of 1, 2, 5 and 10 degrees it is larger.
 */
static void numbers_with_heavy_tails_are_students(void **state)
{
	double x[SOME];

	(void)state;
	fill_t3(x);
	assert_near(unimodal_log_likelihood(x, SOME), -105.492947398678, 1e-4);
}

/*
 * The numbers 0 to 59, their ends a gap of 59 / 60 wider in all: each has the density 60 / (59 *
 * 61).
 */
static void numbers_that_are_even_are_uniform(void **state)
{
	double x[SOME];
	unsigned i;

	(void)state;
	for (i = 0; i < SOME; i++)
		x[i] = i;
	assert_near(unimodal_log_likelihood(x, SOME), -60 * log(59 * 61 / 60.), 1e-9);
	/* A likelihood in other units. */
	for (i = 0; i < SOME; i++)
		x[i] = 1e6 + 1000 * i;
	assert_near(unimodal_log_likelihood(x, SOME), -60 * log(59 * 61 / 60.) - 60 * log(1000),
		    1e-6);
}

/*
 * Numbers exp(u) - 1 of even u from -s to s. The family's logarithm at a bend of 0.9 is log(1 +
 * x), and so u again, if 0.9 = 1 - exp(-s) + (exp(s) - exp(-s)) / 61: the pole's distance from
 * the median 0 is 1. Its determinant is the sum of -u, 0.
 */
static void skewed_numbers_are_straightened(void **state)
{
	double x[61], mirrored[61], s = 0;
	int i;

	(void)state;
	while (1 - exp(-s) + (exp(s) - exp(-s)) / 61 < 0.9)
		s += 1e-6;
	for (i = 0; i < 61; i++) {
		x[i] = exp((i - 30) / 30. * s) - 1;
		mirrored[60 - i] = -x[i];
	}
	assert_near(unimodal_log_likelihood(x, 61), -61 * log(2 * s * 62 / 61), 1e-4);
	assert_near(unimodal_log_likelihood(mirrored, 61), -61 * log(2 * s * 62 / 61), 1e-4);
}

/* R: the mixture 0.361 N(54.61, 5.87) + 0.639 N(80.09, 5.87) by EM; sum(log(density)) */
static void waiting_times_are_two_normals(void **state)
{
	size_t below = 0;
	double two;

	(void)state;
	while (faithful_waiting[below] < 67)
		below++;
	two = unimodal_against_two(faithful_waiting, FAITHFUL_ROWS, below) +
	      unimodal_log_likelihood(faithful_waiting, FAITHFUL_ROWS);
	assert_near(two, -1034.00174983161, 1e-4);
	assert_true(unimodal_against_two(faithful_waiting, FAITHFUL_ROWS, below) > 5);
}

static void one_hump_is_no_two(void **state)
{
	double x[SOME];

	(void)state;
	fill_t3(x);
	assert_true(unimodal_against_two(x, SOME, SOME / 2) < 0);
	assert_true(unimodal_against_two(x, SOME, 3) < 0);
	assert_true(isinf(unimodal_against_two(x, SOME, 0)));
	assert_true(isinf(unimodal_against_two(x, SOME, SOME)));
	assert_true(isinf(unimodal_against_two(x, SOME, 1)));
}

/* Every second of 600 numbers is looked at, and the others say as much. */
static void of_many_numbers_some_count_for_all(void **state)
{
	double x[600], some[300];
	unsigned i;

	(void)state;
	for (i = 0; i < 600; i++)
		x[i] = i * (i % 2 ? 1 : 0.999);
	for (i = 0; i < 300; i++)
		some[i] = x[2 * i + 1];
	assert_near(unimodal_log_likelihood(x, 600), 2 * unimodal_log_likelihood(some, 300), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_with_heavy_tails_are_students),
		cmocka_unit_test(numbers_that_are_even_are_uniform),
		cmocka_unit_test(skewed_numbers_are_straightened),
		cmocka_unit_test(waiting_times_are_two_normals),
		cmocka_unit_test(one_hump_is_no_two),
		cmocka_unit_test(of_many_numbers_some_count_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
