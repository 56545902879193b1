/*
 * Running means and squares against sums in two passes, also far from 0; and the points' order.
 *
 * Tolerances: next to @offset a mean is rounded by @offset DBL_EPSILON / 2 at each of N points,
 * and keeps (k - 1) / k of its error at each further one, so it is off by less than N / 2 of
 * @offset DBL_EPSILON, and two such errors times at most RANGE get into each square's addend. The
 * means and squares of small numbers round themselves, N times.
 */
#include "numbers.h"

#include <float.h>
#include <stdbool.h>

#include "model/data/moments.h"

enum { N = 101, RANGE = 510 };

static const double offsets[] = {0, 1, -1e6, 1e9};

enum { OFFSETS = sizeof(offsets) / sizeof(*offsets) };

/* Whole numbers below 101 in a mixed order, and a line of them with an error of -5 to 5. */
static double x_of(unsigned i)
{
	return i * 37 % N;
}

static double y_of(unsigned i)
{
	return 3 * x_of(i) + (double)(i * i % 11) - 5;
}

/* 1, 2 or 3 */
static double weight_of(unsigned i)
{
	return 1 + i % 3;
}

/* All without an offset, so that the first pass is exact. */
static struct moments two_passes(bool weighted)
{
	struct moments sums = {0};
	unsigned i;

	for (i = 0; i < N; i++) {
		const double weight = weighted ? weight_of(i) : 1;

		sums.weight += weight;
		sums.x += weight * x_of(i);
		sums.y += weight * y_of(i);
	}
	sums.x /= sums.weight;
	sums.y /= sums.weight;
	for (i = 0; i < N; i++) {
		const double weight = weighted ? weight_of(i) : 1;
		const double dx = x_of(i) - sums.x, dy = y_of(i) - sums.y;

		sums.xx += weight * dx * dx;
		sums.xy += weight * dx * dy;
		sums.yy += weight * dy * dy;
	}
	return sums;
}

static struct moments running(bool weighted, double offset)
{
	struct moments moments = {0};
	unsigned i;

	for (i = 0; i < N; i++)
		moments_add(&moments, weighted ? weight_of(i) : 1, offset + x_of(i),
			    offset + y_of(i));
	return moments;
}

static double mean_error(double offset)
{
	return N / 2.0 * (fabs(offset) + RANGE) * DBL_EPSILON;
}

/* Of a weight of @weight in all; the second term is that of the sum's own roundings. */
static double square_error(double offset, double weight, double square)
{
	return weight * 2 * RANGE * mean_error(offset) + N * DBL_EPSILON * square;
}

static void check_moments(bool weighted, double offset)
{
	const struct moments sums = two_passes(weighted), moments = running(weighted, offset);
	const double weight = sums.weight;

	assert_near(moments.weight, weight, 0);
	assert_near(moments.x, offset + sums.x, mean_error(offset));
	assert_near(moments.y, offset + sums.y, mean_error(offset));
	assert_near(moments.xx, sums.xx, square_error(offset, weight, sums.xx));
	assert_near(moments.xy, sums.xy, square_error(offset, weight, sums.xy));
	assert_near(moments.yy, sums.yy, square_error(offset, weight, sums.yy));
}

static void running_moments_are_those_of_two_passes(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < OFFSETS; i++)
		check_moments(false, offsets[i]);
}

static void weights_are_repetitions(void **state)
{
	struct moments repeated = {0}, weighted = running(true, 0);
	unsigned i, j;

	(void)state;
	for (i = 0; i < OFFSETS; i++)
		check_moments(true, offsets[i]);
	for (i = 0; i < N; i++)
		for (j = 0; j < weight_of(i); j++)
			moments_add(&repeated, 1, x_of(i), y_of(i));
	assert_near(weighted.weight, repeated.weight, 0);
	assert_near(weighted.x, repeated.x, 3 * mean_error(0));
	assert_near(weighted.xy, repeated.xy, 3 * square_error(0, repeated.weight, repeated.xy));
}

/* That the offset is a trial: its squares are 1e20 in all, whose last place is 16384. */
static void naive_sums_fail_where_these_do_not(void **state)
{
	const struct moments sums = two_passes(false);
	volatile double sum = 0, squares = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < N; i++) {
		const double x = 1e9 + x_of(i);

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(squares - sum * sum / N - sums.xx) > 100 * square_error(1e9, N, sums.xx));
}

/* The mean of 0 to 100 is 50, and their squares around it are N (N² - 1) / 12 = 85850. */
static void the_moments_of_whole_numbers_have_a_closed_form(void **state)
{
	const struct moments moments = running(false, 1e9);

	(void)state;
	assert_near(moments.x, 1e9 + 50, mean_error(1e9));
	assert_near(moments.xx, 85850, square_error(1e9, N, 85850));
}

/* y = 7 - 2 x / 5, without an error: its slope is as good as both sums. */
static void a_line_is_found_far_from_zero(void **state)
{
	unsigned i, j;

	(void)state;
	for (j = 0; j < OFFSETS; j++) {
		const double error = square_error(offsets[j], N, 85850) / 85850;
		struct moments moments = {0};
		double slope;

		for (i = 0; i < N; i++)
			moments_add(&moments, 1, offsets[j] + 5 * x_of(i), 7 - 2 * x_of(i));
		slope = moments.xy / moments.xx;
		assert_near(slope, -0.4, 2 * error);
		assert_near(moments.y + slope * (offsets[j] - moments.x), 7,
			    5 * N * 2 * error + mean_error(offsets[j]));
		assert_near(moments_correlation(&moments), -1, 2 * error);
	}
}

static void a_correlation_is_of_what_varies(void **state)
{
	const struct moments sums = two_passes(false), moments = running(false, 1e9);
	const struct moments huge = {.weight = 2, .xx = 1e200, .xy = 5e199, .yy = 1e200};
	struct moments level = {0};
	unsigned i;

	(void)state;
	assert_near(moments_correlation(&moments), sums.xy / sqrt(sums.xx * sums.yy),
		    2 * square_error(1e9, N, sums.xx) / sums.xx);
	assert_near(moments_correlation(&huge), 0.5, 4 * DBL_EPSILON);
	assert_near(moments_correlation(&level), 0, 0);
	for (i = 0; i < N; i++)
		moments_add(&level, 1, x_of(i), 1e9 + 0.1);
	assert_near(level.y, 1e9 + 0.1, 0);
	assert_near(level.yy, 0, 0);
	assert_near(moments_correlation(&level), 0, 0);
}

static void points_are_ordered_by_x_then_y(void **state)
{
	static const struct point expected[] = {{-INFINITY, 4}, {-1e-300, 9}, {0, -2},
						{0, -1},        {0, -1},      {0, 3},
						{1e-300, -5},   {2, 1},       {2, 1e9}};
	enum { POINTS = sizeof(expected) / sizeof(*expected) };
	struct point points[POINTS];
	unsigned i, step;

	(void)state;
	for (step = 1; step < POINTS; step++) {
		if (step % 3 == 0)
			continue;
		for (i = 0; i < POINTS; i++)
			points[i * step % POINTS] = expected[i];
		moments_sort_points(points, POINTS);
		for (i = 0; i < POINTS; i++) {
			assert_true(points[i].x == expected[i].x);
			assert_true(points[i].y == expected[i].y);
		}
	}
	points[0] = (struct point){3, 4};
	moments_sort_points(points, 1);
	assert_true(points[0].x == 3 && points[0].y == 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_moments_are_those_of_two_passes),
		cmocka_unit_test(weights_are_repetitions),
		cmocka_unit_test(naive_sums_fail_where_these_do_not),
		cmocka_unit_test(the_moments_of_whole_numbers_have_a_closed_form),
		cmocka_unit_test(a_line_is_found_far_from_zero),
		cmocka_unit_test(a_correlation_is_of_what_varies),
		cmocka_unit_test(points_are_ordered_by_x_then_y),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
