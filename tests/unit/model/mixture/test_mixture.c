/*
 * Mixtures of known parts are found again, within what chance allows; and numbers of any size and
 * kind are no trouble.
 *
 * Limits are three standard errors of the number itself, of a sample whose parts are known:
 * deviation / sqrt(n_k) of a mean, deviation / sqrt(2 n_k) of a deviation, sqrt(p (1 - p) / n) of a
 * probability. The parts of these mixtures hardly overlap, so not knowing which is whose adds next
 * to nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <gsl/gsl_errno.h>

#include "model/mixture/mixture.h"

#include "random_numbers.h"

enum { ROWS_MAX = 20000 };

struct part {
	double share, mean, deviation;
};

static void fill(const struct part *parts, struct random *random, size_t n, double *y)
{
	size_t i;

	for (i = 0; i < n; i++) {
		double u = random_uniform(random);
		const struct part *part = parts;

		while (u >= part->share && part[1].share > 0)
			u -= part++->share;
		y[i] = part->mean + part->deviation * random_normal(random);
	}
}

static void assert_near(double number, double expected, double error)
{
	if (!(fabs(number - expected) <= 3 * error))
		fail_msg("%g is not %g within 3 times %g", number, expected, error);
}

/*
 * Numbers, no NaN; probabilities sum to 1; parts in order; the likelihood is that of a whole
 * mixture.
 */
static void assert_sound(const struct mixture *mixture)
{
	double sum = 0;
	unsigned k;

	assert_true(mixture->n >= 1 && mixture->n <= CLUSTERS_MAX);
	for (k = 0; k < mixture->n; k++) {
		const struct mixture_component *one = &mixture->components[k];

		assert_true(isfinite(one->coefficients[0]));
		assert_true(isfinite(one->deviation) && one->deviation >= 0);
		assert_true(one->probability > 0 && one->probability <= 1);
		assert_int_equal(one->p, 1);
		if (k)
			assert_true(one->coefficients[0] >= one[-1].coefficients[0]);
		sum += one->probability;
	}
	assert_true(fabs(sum - 1) < 1e-12);
	assert_true(isfinite(mixture->log_likelihood) && isfinite(mixture->bic));
}

static void assert_parts(const struct mixture *mixture, const struct part *parts, unsigned count,
			 size_t n)
{
	unsigned k;

	assert_sound(mixture);
	assert_int_equal(mixture->n, count);
	for (k = 0; k < count; k++) {
		const struct mixture_component *one = &mixture->components[k];
		double rows = n * parts[k].share;
		double share = parts[k].share;

		assert_near(one->coefficients[0], parts[k].mean, parts[k].deviation / sqrt(rows));
		assert_near(one->deviation, parts[k].deviation,
			    parts[k].deviation / sqrt(2 * rows));
		assert_near(one->probability, share, sqrt(share * (1 - share) / n));
	}
}

static void two_known_parts_are_found(void **state)
{
	static const struct part parts[] = {{0.7, 100, 3}, {0.3, 130, 4}, {0}};
	double y[1000];
	struct random random;
	struct mixture mixture;

	(void)state;
	random_init(&random, 1);
	fill(parts, &random, 1000, y);
	mixture_find(y, 1000, 0, 0, &mixture);
	assert_parts(&mixture, parts, 2, 1000);
}

static void three_known_parts_of_many_numbers_are_found(void **state)
{
	static const struct part parts[] = {{0.5, 1, 0.05}, {0.2, 1.5, 0.06}, {0.3, 6, 0.5}, {0}};
	static double y[ROWS_MAX];
	struct random random;
	struct mixture mixture;

	(void)state;
	random_init(&random, 2);
	fill(parts, &random, ROWS_MAX, y);
	mixture_find(y, ROWS_MAX, 0, 0, &mixture);
	assert_parts(&mixture, parts, 3, ROWS_MAX);
}

static void parts_that_are_decades_apart_are_found(void **state)
{
	static const struct part parts[] = {{0.4, 2, 0.1}, {0.3, 3e3, 100}, {0.3, 5e6, 3e5}, {0}};
	double y[900];
	struct random random;
	struct mixture mixture;

	(void)state;
	random_init(&random, 3);
	fill(parts, &random, 900, y);
	mixture_find(y, 900, 0, 0, &mixture);
	assert_parts(&mixture, parts, 3, 900);
}

static void one_normal_distribution_is_one_component(void **state)
{
	static const struct part parts[] = {{1, -50, 7}, {0}};
	double y[500];
	struct random random;
	struct mixture mixture;

	(void)state;
	random_init(&random, 4);
	fill(parts, &random, 500, y);
	mixture_find(y, 500, 0, 0, &mixture);
	assert_parts(&mixture, parts, 1, 500);
}

/*
 * -2 log likelihood of a normal distribution with its own mean and variance is n (log(2 pi
 * variance) + 1).
 */
static void likelihood_and_bic_are_those_of_the_numbers_as_they_are(void **state)
{
	const double y[] = {1e6, 2e6, 3e6, 4e6, 5e6, 6e6};
	double variance = 17.5 / 6 * 1e12;
	double deviance = 6 * (log(2 * M_PI * variance) + 1);
	struct mixture mixture;

	(void)state;
	mixture_find(y, 6, 0, 0, &mixture);
	assert_int_equal(mixture.n, 1);
	assert_true(fabs(-2 * mixture.log_likelihood - deviance) < 1e-6);
	assert_true(fabs(mixture.bic - deviance - 2 * log(6)) < 1e-6);
}

static void the_order_of_numbers_does_not_matter(void **state)
{
	static const struct part parts[] = {{0.6, 10, 1}, {0.4, 20, 2}, {0}};
	double y[3000];
	struct random random;
	struct mixture one, two;
	size_t i;

	(void)state;
	random_init(&random, 5);
	fill(parts, &random, 3000, y);
	mixture_find(y, 3000, 0, 0, &one);
	for (i = 3000; i-- > 1;) {
		size_t j = random_uniform(&random) * (i + 1);
		double number = y[i];

		y[i] = y[j];
		y[j] = number;
	}
	mixture_find(y, 3000, 0, 0, &two);
	assert_memory_equal(&one, &two, sizeof(one));
}

static void values_that_repeat_are_components_of_little_deviation(void **state)
{
	double y[300];
	struct mixture mixture;
	size_t i;

	(void)state;
	for (i = 0; i < 300; i++)
		y[i] = i < 200 ? 0 : 4096;
	mixture_find(y, 300, 0, 0, &mixture);
	assert_sound(&mixture);
	assert_int_equal(mixture.n, 2);
	assert_true(fabs(mixture.components[0].coefficients[0]) < 1e-6);
	assert_true(fabs(mixture.components[1].coefficients[0] - 4096) < 1e-6);
	assert_true(mixture.components[0].deviation < 1);
	assert_true(fabs(mixture.components[1].probability - 1 / 3.0) < 1e-9);
}

static void zeros_and_a_distribution_far_from_them_are_two(void **state)
{
	double y[1000];
	struct random random;
	struct mixture mixture;
	size_t i;

	(void)state;
	random_init(&random, 6);
	for (i = 0; i < 1000; i++)
		y[i] = i < 900 ? 0 : 1e5 * (1 + 0.1 * random_normal(&random));
	mixture_find(y, 1000, 0, 0, &mixture);
	assert_sound(&mixture);
	assert_int_equal(mixture.n, 2);
	assert_near(mixture.components[1].coefficients[0], 1e5, 1e4 / sqrt(100));
}

/* Calls of a cold cache, say, beside the first of two modes. */
static void a_component_of_few_is_one_with_its_neighbour(void **state)
{
	double y[1000];
	struct random random;
	struct mixture mixture;
	size_t i;

	(void)state;
	random_init(&random, 7);
	for (i = 0; i < 1000; i++)
		y[i] = (i < 700 ? 10 : i < 730 ? 12 : 100) + 0.1 * random_normal(&random);
	mixture_find(y, 1000, 0, 0, &mixture);
	assert_int_equal(mixture.n, 3);
	mixture_find(y, 1000, 0, 50, &mixture);
	assert_sound(&mixture);
	assert_int_equal(mixture.n, 2);
	assert_near(mixture.components[0].probability, 0.73, 1e-3);
	assert_near(mixture.components[1].coefficients[0], 100, 0.1);
}

/* Three narrow parts, and @scattered of a thousand numbers anywhere between 100 and 2200. */
static void fill_scattered(size_t scattered, double *y)
{
	static const struct part parts[] = {{0.3, 308, 0.5}, {0.4, 608, 0.7}, {0.3, 908, 1}, {0}};
	struct random random;

	random_init(&random, 9);
	fill(parts, &random, 1000, y);
	for (size_t i = 0; i < scattered; i++)
		y[i] = 100 + 2100 * random_uniform(&random);
}

/*
 * Without a rest some component is wide. Shares are of the numbers that follow components. A
 * scattered number is within six deviations of a component with a chance of 1.3 %: of 150, more
 * than ten are in less than one of 10^4 tables.
 */
static void numbers_beside_all_components_widen_none(void **state)
{
	static const struct part parts[] = {{0.3, 308, 0.5}, {0.4, 608, 0.7}, {0.3, 908, 1}};
	struct mixture plain, beside;
	unsigned char rest[1000];
	double widest = 0, y[1000];
	size_t missed = 0;

	(void)state;
	fill_scattered(150, y);
	mixture_find(y, 1000, 0, 50, &plain);
	for (unsigned k = 0; k < plain.n; k++)
		widest = fmax(widest, plain.components[k].deviation);
	assert_true(widest > 50);
	assert_true(mixture_find_beside(y, 1000, 0, 50, &plain, &beside, rest));
	assert_parts(&beside, parts, 3, 850);
	for (size_t i = 0; i < 1000; i++) {
		missed += i < 150 && !rest[i];
		assert_false(i >= 150 && rest[i] && fabs(y[i] - 308) < 2);
	}
	assert_in_range(missed, 0, 10);
}

/* Numbers beside all, but not evenly: what spans others is no component, though it is as good. */
static void what_spans_others_is_of_the_rest(void **state)
{
	static const struct part parts[] = {{0.3, 308, 0.5}, {0.4, 608, 0.7}, {0.3, 908, 1}, {0}};
	struct mixture plain, beside;
	unsigned char rest[150];
	unsigned found = 0;
	double y[150];

	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct random random;

		random_init(&random, seed);
		fill(parts, &random, 150, y);
		for (size_t i = 0; i < 20; i++)
			y[i] = i < 3 ? 1800 + 100 * i : 650 + 150 * random_normal(&random);
		mixture_find(y, 150, 0, 7, &plain);
		found += mixture_find_beside(y, 150, 0, 7, &plain, &beside, rest) && beside.n == 3;
	}
	print_message("of 20 tables in %u\n", found);
	assert_in_range(found, 18, 20);
}

static const struct mixture worst = {.bic = INFINITY};

/* Of two normals, of one, and of what is half a rest. */
static void where_all_follow_components_there_is_no_rest(void **state)
{
	static const struct part two[] = {{0.6, 10, 1}, {0.4, 20, 2}, {0}},
				 one[] = {{1, 5, 1}, {0}};
	unsigned char rest[1000];
	struct mixture mixture, ignored;
	struct random random;
	double y[1000];

	(void)state;
	random_init(&random, 10);
	fill(two, &random, 1000, y);
	mixture_find(y, 1000, 0, 50, &mixture);
	assert_false(mixture_find_beside(y, 1000, 0, 50, &mixture, &ignored, rest));
	fill(one, &random, 1000, y);
	assert_false(mixture_find_beside(y, 1000, 0, 50, &worst, &ignored, rest));
	fill_scattered(500, y);
	assert_false(mixture_find_beside(y, 1000, 0, 50, &worst, &ignored, rest));
	assert_false(mixture_find_beside(y, 0, 0, 5, &worst, &ignored, rest));
	assert_false(mixture_find_beside(y, 1, 0, 5, &worst, &ignored, rest));
}

/* Whatever they are. */
static void assert_finite(const double *y, size_t n)
{
	unsigned char rest[64];
	struct mixture mixture;

	assert_true(n <= sizeof(rest));
	mixture_find(y, n, 0, 0, &mixture);
	assert_sound(&mixture);
	if (mixture_find_beside(y, n, 0, 0, &worst, &mixture, rest))
		assert_sound(&mixture);
}

static void one_two_and_no_numbers_have_an_answer(void **state)
{
	const double y[] = {3, 5};
	const double zeros[] = {0, 0, 0};
	struct mixture mixture;

	(void)state;
	mixture_find(y, 0, 0, 0, &mixture);
	assert_int_equal(mixture.n, 0);
	mixture_find(y, 1, 0, 0, &mixture);
	assert_sound(&mixture);
	assert_int_equal(mixture.n, 1);
	assert_true(mixture.components[0].coefficients[0] == 3);
	mixture_find(y, 2, 0, 0, &mixture);
	assert_sound(&mixture);
	assert_true(fabs(mixture.components[0].coefficients[0] - 4) < 1e-9);
	mixture_find(zeros, 3, 0, 0, &mixture);
	assert_sound(&mixture);
	assert_true(mixture.components[0].coefficients[0] == 0);
}

static void extreme_numbers_give_finite_answers(void **state)
{
	static const double sizes[] = {5e-324, 1e-300, 1, 1e300, 1.7e308};
	struct random random;
	size_t a, b, i;

	(void)state;
	random_init(&random, 7);
	for (a = 0; a < 5; a++) {
		for (b = 0; b < 5; b++) {
			double y[64];

			for (i = 0; i < 64; i++)
				y[i] = (i % 2 ? sizes[a] : -sizes[b] * (i % 4 > 1)) *
				       (i < 32 ? 1 : random_uniform(&random));
			assert_finite(y, 64);
			for (i = 0; i < 64; i++)
				y[i] = sizes[i % 2 ? a : b];
			assert_finite(y, 64);
		}
	}
}

static void numbers_at_random_exponents_give_finite_answers(void **state)
{
	struct random random;
	unsigned round;

	(void)state;
	random_init(&random, 8);
	for (round = 0; round < 100; round++) {
		double y[50];
		size_t n = 1 + random_uniform(&random) * 49;
		size_t i;

		for (i = 0; i < n; i++)
			y[i] = (random_uniform(&random) < 0.9 ? 1 : -1) *
			       pow(10, 600 * random_uniform(&random) - 300);
		assert_finite(y, n);
	}
}

/* Two curves over x in [0, 1], called by chance. */
struct curves {
	double y[1000], x[1000];
	bool first[1000];
	size_t n;
};

static void fill_curves(struct curves *curves, long seed, double even, double relative)
{
	struct random random;
	size_t i;

	random_init(&random, seed);
	curves->n = 1000;
	for (i = 0; i < 1000; i++) {
		double x = random_uniform(&random);
		bool first = random_uniform(&random) < 0.7;
		double mean = first ? 0.1 + 0.2 * x : 0.2 + x;

		curves->x[i] = x;
		curves->first[i] = first;
		curves->y[i] = mean + (even + relative * mean) * random_normal(&random);
	}
}

static struct mixture rough_curves(const struct curves *curves)
{
	struct mixture mixture = {.n = 2};
	unsigned k;

	for (k = 0; k < 2; k++)
		mixture.components[k] = (struct mixture_component){
			.probability = 0.5,
			.deviation = 0.1,
			.p = 2,
			.columns = {NULL, curves->x},
			/* The dearer one first, to see that they are put in order. */
			.coefficients = {k ? 0.05 : 0.3, k ? 0.3 : 0.8},
		};
	return mixture;
}

/*
 * Standard errors of a line over uniform x in [0, 1], whose variance is 1 / 12: of the slope
 * deviation sqrt(12 / n_k), of the constant deviation sqrt(4 / n_k). The curves meet nowhere; where
 * they are nearest, some rows may be either's, for which a tenth is added.
 */
static void curves_that_chance_chooses_among_are_found(void **state)
{
	static struct curves curves;
	unsigned char belongs[1000];
	struct mixture mixture;
	size_t i, wrong = 0;

	(void)state;
	fill_curves(&curves, 11, 0.02, 0);
	mixture = rough_curves(&curves);
	assert_true(mixture_refine(curves.y, curves.n, 1e-6, &mixture, belongs));
	assert_int_equal(mixture.n, 2);
	assert_false(mixture.components[0].relative);
	assert_near(mixture.components[0].coefficients[0], 0.1, 1.1 * 0.02 * sqrt(4 / 700.0));
	assert_near(mixture.components[0].coefficients[1], 0.2, 1.1 * 0.02 * sqrt(12 / 700.0));
	assert_near(mixture.components[1].coefficients[0], 0.2, 1.1 * 0.02 * sqrt(4 / 300.0));
	assert_near(mixture.components[1].coefficients[1], 1, 1.1 * 0.02 * sqrt(12 / 300.0));
	assert_near(mixture.components[0].deviation, 0.02, 1.1 * 0.02 / sqrt(2 * 700));
	assert_near(mixture.components[0].probability, 0.7, sqrt(0.21 / 1000));
	assert_true(fabs(mixture.components[0].probability + mixture.components[1].probability -
			 1) < 1e-12);
	for (i = 0; i < curves.n; i++)
		wrong += belongs[i] != !curves.first[i];
	/* The curves are at least 5 deviations apart: fewer than 1 % are beyond the middle. */
	assert_true(wrong < 10);
}

static void noise_that_grows_with_the_cost_is_recognised(void **state)
{
	static struct curves curves;
	struct mixture mixture;

	(void)state;
	fill_curves(&curves, 12, 0, 0.1);
	mixture = rough_curves(&curves);
	assert_true(mixture_refine(curves.y, curves.n, 1e-6, &mixture, NULL));
	assert_true(mixture.components[0].relative && mixture.components[1].relative);
	assert_near(mixture.components[0].deviation, 0.1, 1.1 * 0.1 / sqrt(2 * 700));
	assert_near(mixture.components[1].deviation, 0.1, 1.1 * 0.1 / sqrt(2 * 300));
	assert_near(mixture.components[1].coefficients[1], 1, 1.1 * 0.1 * sqrt(12 / 300.0));
}

static void even_noise_is_not_called_growing(void **state)
{
	static struct curves curves;
	struct mixture mixture;
	long seed;

	(void)state;
	for (seed = 20; seed < 30; seed++) {
		fill_curves(&curves, seed, 0.02, 0);
		mixture = rough_curves(&curves);
		assert_true(mixture_refine(curves.y, curves.n, 1e-6, &mixture, NULL));
		assert_false(mixture.components[0].relative);
	}
}

/* What mixture_find finds is where refining stops. */
static void constants_are_refined_to_themselves(void **state)
{
	static const struct part parts[] = {{0.7, 1, 0.03}, {0.3, 1.3, 0.04}, {0}};
	double y[1000];
	struct random random;
	struct mixture found, refined;

	(void)state;
	random_init(&random, 13);
	fill(parts, &random, 1000, y);
	mixture_find(y, 1000, 0, 0, &found);
	refined = found;
	assert_true(mixture_refine(y, 1000, 1e-6, &refined, NULL));
	assert_true(fabs(refined.components[1].coefficients[0] -
			 found.components[1].coefficients[0]) < 1e-4);
	assert_true(fabs(refined.bic - found.bic) < 1e-3);
	assert_false(refined.components[0].relative);
}

static void a_component_that_loses_its_rows_is_an_end(void **state)
{
	static struct curves curves;
	struct mixture mixture;

	(void)state;
	fill_curves(&curves, 14, 0.02, 0);
	mixture = rough_curves(&curves);
	mixture.components[0].coefficients[0] = 1e6;
	assert_false(mixture_refine(curves.y, curves.n, 1e-6, &mixture, NULL));
	mixture = rough_curves(&curves);
	assert_false(mixture_refine(curves.y, 3, 1e-6, &mixture, NULL));
	assert_false(mixture_refine(curves.y, 0, 1e-6, &mixture, NULL));
}

static void exact_curves_keep_the_least_deviation(void **state)
{
	static struct curves curves;
	struct mixture mixture;

	(void)state;
	fill_curves(&curves, 15, 0, 0);
	mixture = rough_curves(&curves);
	assert_true(mixture_refine(curves.y, curves.n, 1e-5, &mixture, NULL));
	assert_true(isfinite(mixture.bic));
	assert_true(fabs(mixture.components[1].coefficients[1] - 1) < 1e-6);
	if (!mixture.components[0].relative)
		assert_true(mixture.components[0].deviation == 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_known_parts_are_found),
		cmocka_unit_test(three_known_parts_of_many_numbers_are_found),
		cmocka_unit_test(parts_that_are_decades_apart_are_found),
		cmocka_unit_test(one_normal_distribution_is_one_component),
		cmocka_unit_test(likelihood_and_bic_are_those_of_the_numbers_as_they_are),
		cmocka_unit_test(the_order_of_numbers_does_not_matter),
		cmocka_unit_test(values_that_repeat_are_components_of_little_deviation),
		cmocka_unit_test(zeros_and_a_distribution_far_from_them_are_two),
		cmocka_unit_test(a_component_of_few_is_one_with_its_neighbour),
		cmocka_unit_test(numbers_beside_all_components_widen_none),
		cmocka_unit_test(what_spans_others_is_of_the_rest),
		cmocka_unit_test(where_all_follow_components_there_is_no_rest),
		cmocka_unit_test(one_two_and_no_numbers_have_an_answer),
		cmocka_unit_test(extreme_numbers_give_finite_answers),
		cmocka_unit_test(numbers_at_random_exponents_give_finite_answers),
		cmocka_unit_test(curves_that_chance_chooses_among_are_found),
		cmocka_unit_test(noise_that_grows_with_the_cost_is_recognised),
		cmocka_unit_test(even_noise_is_not_called_growing),
		cmocka_unit_test(constants_are_refined_to_themselves),
		cmocka_unit_test(a_component_that_loses_its_rows_is_an_end),
		cmocka_unit_test(exact_curves_keep_the_least_deviation),
	};

	gsl_set_error_handler_off();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
