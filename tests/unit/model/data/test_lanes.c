/*
 * Sums of columns against sums one number at a time, at all lengths up to some rows of lanes, and at
 * addresses that are no multiple of a row.
 *
 * Tolerances: a sum of N numbers is rounded N times by DBL_EPSILON of the sum of sizes; so is a sum
 * of logarithms, whose products are rounded as often.
 */
#include "numbers.h"

#include <float.h>

#include <gsl/gsl_statistics_double.h>

#include "model/data/lanes.h"
#include "model/data/row_order.h"

enum { MOST = 300, BESIDE = 3 };

/* Of either sign, over six decades. */
static double number(size_t i)
{
	return ((double)(i * 7919 % 1009) - 504) * pow(10, (double)(i % 7) - 3) / 504;
}

static void fill(double *a, double *b)
{
	size_t i;

	for (i = 0; i < MOST + BESIDE; i++) {
		a[i] = number(i);
		b[i] = number(3 * i + 1);
	}
}

static void sums_are_those_of_single_numbers(void **state)
{
	double a[MOST + BESIDE], b[MOST + BESIDE];
	size_t beside, n, i;

	(void)state;
	fill(a, b);
	for (beside = 0; beside < BESIDE; beside++)
		for (n = 0; n <= MOST; n += n < 40 ? 1 : 13) {
			double sum = 0, sizes = 0, dot = 0, products = 0;

			for (i = beside; i < beside + n; i++) {
				sum += a[i];
				sizes += fabs(a[i]);
				dot += a[i] * b[i];
				products += fabs(a[i] * b[i]);
			}
			assert_near(lanes_sum(a + beside, n), sum, n * DBL_EPSILON * sizes);
			assert_near(lanes_dot(a + beside, b + beside, n), dot,
				    n * DBL_EPSILON * products);
		}
}

/* From 1e-300 to 1e300: products of as few as three leave the range of doubles. */
static void logarithms_of_all_sizes_are_added(void **state)
{
	double numbers[MOST];
	size_t n, i;

	(void)state;
	for (i = 0; i < MOST; i++)
		numbers[i] = pow(10, (double)(i * 37 % 601) - 300) * (1 + i / 7.);
	for (n = 0; n <= MOST; n += n < 40 ? 1 : 13) {
		double sum = 0, sizes = 1;

		for (i = 0; i < n; i++) {
			sum += log(numbers[i]);
			sizes += fabs(log(numbers[i]));
		}
		assert_near(lanes_sum_of_logs(numbers, n), sum, 2 * (n + 1) * DBL_EPSILON * sizes);
	}
}

/* Just below 2: the product of all mantissas is far beyond doubles. */
static void many_large_mantissas_do_not_overflow(void **state)
{
	static double numbers[20000];
	const size_t n = sizeof(numbers) / sizeof(*numbers);
	size_t i;

	(void)state;
	for (i = 0; i < n; i++)
		numbers[i] = 2 - 1e-9;
	assert_near(lanes_sum_of_logs(numbers, n), n * log(2 - 1e-9), n * n * DBL_EPSILON);
}

static void a_correlation_is_that_of_its_definition(void **state)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	double y[11];
	size_t i;

	(void)state;
	for (i = 0; i < 11; i++)
		y[i] = 1e6 - 3 * x[i];
	assert_near(lanes_correlation(x, y, 11), -1, 1e-12);
	/* A parabola around the middle. */
	for (i = 0; i < 11; i++)
		y[i] = (x[i] - 6) * (x[i] - 6);
	assert_near(lanes_correlation(x, y, 11), 0, 1e-12);
	y[10] += 22;
	/*
	 * 22 more at the end, 5 beside the mean of x: products of 22 * 5; squares of 110, and of
	 * 858 + 2 * 22 * 15 + 22^2 * 10 / 11.
	 */
	assert_near(lanes_correlation(x, y, 11), 110 / sqrt(110. * (858 + 660 + 440)), 1e-12);
	assert_near(lanes_correlation(x, x, 0), 0, 0);
	for (i = 0; i < 11; i++)
		y[i] = 4;
	assert_near(lanes_correlation(x, y, 11), 0, 0);
}

static void rows_are_sorted_by_number_and_equal_ones_keep_their_order(void **state)
{
	static const double values[] = {0, -0.0, 1, -1, 1e-300, -1e300, 1e300, 0.5, 2, -2, 1024};
	struct row_key keys[2 * MOST];
	size_t n, i;

	(void)state;
	for (n = 0; n <= MOST; n += n < 40 ? 1 : 13) {
		for (i = 0; i < n; i++)
			keys[i] = (struct row_key){values[i * 7 % 11] * (1 + i % 3), i};
		row_order_sort(keys, n, keys + MOST);
		for (i = 1; i < n; i++) {
			assert_true(keys[i - 1].x <= keys[i].x);
			if (keys[i - 1].x == keys[i].x)
				assert_true(keys[i - 1].row < keys[i].row);
		}
	}
}

static void numbers_alone_are_sorted(void **state)
{
	double numbers[MOST], sum = 0;
	size_t i;

	(void)state;
	for (i = 0; i < MOST; i++) {
		numbers[i] = number(i);
		sum += numbers[i];
	}
	row_order_sort_numbers(numbers, MOST);
	for (i = 1; i < MOST; i++)
		assert_true(numbers[i - 1] <= numbers[i]);
	for (i = 0; i < MOST; i++)
		sum -= numbers[i];
	assert_near(sum, 0, 1e-8);
}

/* Equal numbers among them; GSL's is as good and slower. */
static void a_rank_correlation_is_that_of_mean_ranks(void **state)
{
	double x[MOST], y[MOST], work[2 * MOST];

	(void)state;
	for (size_t n = 2; n <= MOST; n += n < 20 ? 1 : 31) {
		for (size_t i = 0; i < n; i++) {
			x[i] = (double)(i * 7919 % 101 % 13);
			y[i] = number(i) + x[i];
		}
		assert_near(row_order_correlation(x, y, n), gsl_stats_spearman(x, 1, y, 1, n, work),
			    1e-12);
		assert_near(row_order_correlation(y, x, n), gsl_stats_spearman(x, 1, y, 1, n, work),
			    1e-12);
	}
	for (size_t i = 0; i < MOST; i++)
		y[i] = 1;
	assert_near(row_order_correlation(x, y, MOST), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_single_numbers),
		cmocka_unit_test(logarithms_of_all_sizes_are_added),
		cmocka_unit_test(many_large_mantissas_do_not_overflow),
		cmocka_unit_test(a_correlation_is_that_of_its_definition),
		cmocka_unit_test(rows_are_sorted_by_number_and_equal_ones_keep_their_order),
		cmocka_unit_test(numbers_alone_are_sorted),
		cmocka_unit_test(a_rank_correlation_is_that_of_mean_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
