/* Axes of figures: places and numbers, round numbers between the ends, short text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/figure/figure.h"

static struct figure_axis axis_of(double low, double high, bool is_log)
{
	return (struct figure_axis){.title = "n", .low = low, .high = high, .is_log = is_log};
}

static void assert_ticks(struct figure_axis axis, size_t max, const double *expected, size_t n)
{
	double ticks[64];
	size_t found = figure_ticks(&axis, max, ticks);
	size_t i;

	assert_int_equal(found, n);
	for (i = 0; i < n; i++)
		assert_true(ticks[i] == expected[i]);
}

static void ticks_are_round_numbers_within_the_ends(void **state)
{
	(void)state;
	assert_ticks(axis_of(0, 10, false), 6, (double[]){0, 2, 4, 6, 8, 10}, 6);
	assert_ticks(axis_of(-0.25, 0.31, false), 7, (double[]){-0.2, -0.1, 0, 0.1, 0.2, 0.3}, 6);
	assert_ticks(axis_of(3, 1720, false), 4, (double[]){500, 1000, 1500}, 3);
	assert_ticks(axis_of(1e6, 1e6 + 10, false), 3, (double[]){1e6, 1e6 + 5, 1e6 + 10}, 3);
	assert_ticks(axis_of(0, 1, false), 0, NULL, 0);
}

static void logarithmic_ticks_are_powers_of_ten_and_more_where_there_is_room(void **state)
{
	(void)state;
	assert_ticks(axis_of(1, 100, true), 10, (double[]){1, 2, 5, 10, 20, 50, 100}, 7);
	assert_ticks(axis_of(0.5, 2000, true), 6, (double[]){1, 10, 100, 1000}, 4);
	assert_ticks(axis_of(1, 1e12, true), 7, (double[]){1, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}, 7);
	/* Within a decade. */
	assert_ticks(axis_of(31, 39, true), 5, (double[]){32, 34, 36, 38}, 4);
}

static void ticks_of_names_are_whole_places(void **state)
{
	static const struct label labels[] = {{0, "A"}, {1, "B"}, {2, "C"}};
	struct figure_axis axis = axis_of(-0.5, 2.5, false);

	(void)state;
	axis.labels = labels;
	axis.n_labels = 3;
	assert_ticks(axis, 10, (double[]){0, 1, 2}, 3);
}

static const double ends[][2] = {
	{0, 1},           {-1e308, 1e308},   {-1.7e308, 1.7e308}, {0, 1e-306},
	{1e300, 1.1e300}, {-5e-300, 5e-300}, {1e15, 1e15 + 1},    {-3, -2.999},
	{0.1, 0.3},       {1, 1e300},        {1e-300, 1e300},     {4.9e-324, 1.7e308},
	{1e-310, 2e-300}, {1e16, 1e16 + 64},
};

static void ticks_hold_for_all_numbers(void **state)
{
	double ticks[64];
	size_t i, j, max, n;
	unsigned is_log;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		for (is_log = 0; is_log < 2; is_log++)
			for (max = 1; max <= 40; max += 3) {
				struct figure_axis axis = axis_of(ends[i][0], ends[i][1], is_log);

				if (is_log && !(axis.low > 0))
					continue;
				n = figure_ticks(&axis, max, ticks);
				assert_true(n <= max);
				for (j = 0; j < n; j++) {
					assert_true(isfinite(ticks[j]));
					assert_true(!j || ticks[j] > ticks[j - 1]);
					assert_true(figure_place(&axis, ticks[j]) > -1e-6);
					assert_true(figure_place(&axis, ticks[j]) < 1 + 1e-6);
				}
			}
}

static void places_and_numbers_go_both_ways(void **state)
{
	static const double places[] = {0, 0.25, 0.5, 1};
	size_t i, j;
	unsigned is_log;

	(void)state;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		for (is_log = 0; is_log < 2; is_log++)
			for (j = 0; j < sizeof(places) / sizeof(*places); j++) {
				struct figure_axis axis = axis_of(ends[i][0], ends[i][1], is_log);
				double number;

				if (is_log && !(axis.low > 0))
					continue;
				number = figure_number(&axis, places[j]);
				assert_true(isfinite(number));
				/*
				 * The axis' span may be a few units in the last place of its
				 * numbers.
				 */
				assert_true(fabs(figure_place(&axis, number) - places[j]) < 0.1);
			}
}

static void what_no_axis_has_is_outside(void **state)
{
	const struct figure_axis linear = axis_of(0, 10, false);
	const struct figure_axis log = axis_of(1, 10, true);

	(void)state;
	assert_true(figure_place(&linear, -5) == -0.5);
	assert_true(figure_place(&linear, 20) == 2);
	assert_true(figure_place(&log, 0) < 0 && isfinite(figure_place(&log, 0)));
	assert_true(figure_place(&log, -1) < 0);
	assert_true(isfinite(figure_place(&linear, 1e308)));
	assert_true(isfinite(figure_place(&linear, -1e308)));
}

static void numbers_are_short(void **state)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{0.5, "0.5"},
		{1500, "1500"},
		{1.2e6, "1.2e6"},
		{-1e-7, "-1e-7"},
		{123456, "123456"},
		{0.1 + 0.2, "0.3"},
		{1e308, "1e308"},
		{4.9e-324, "4.94066e-324"},
		{-1234567, "-1.23457e6"},
		{3.14159265, "3.14159"},
	};
	char text[FIGURE_TEXT];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		figure_text(cases[i].number, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_round_numbers_within_the_ends),
		cmocka_unit_test(logarithmic_ticks_are_powers_of_ten_and_more_where_there_is_room),
		cmocka_unit_test(ticks_of_names_are_whole_places),
		cmocka_unit_test(ticks_hold_for_all_numbers),
		cmocka_unit_test(places_and_numbers_go_both_ways),
		cmocka_unit_test(what_no_axis_has_is_outside),
		cmocka_unit_test(numbers_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
