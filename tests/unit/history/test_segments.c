/* Changes of level in a series: found where they are, and rarely where there are none. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/random.h"
#include "drawn.h"
#include "history/segments.h"

enum { COMMITS = 40 };

static double draw_normal(struct random_state *random)
{
	const double u = (random_next(random) >> 11) * 0x1p-53;
	const double v = (random_next(random) >> 11) * 0x1p-53;

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* Neighbours differ by 2 % where one commit differs from the next by 2.1 %: only the course tells. */
static void a_slow_drift_is_found_where_it_is(void **state)
{
	struct random_state random = {.state = 7};
	const unsigned n = drawn(200);
	unsigned found = 0, within = 0, i, j;

	(void)state;
	for (i = 0; i < n; i++) {
		double series[COMMITS];
		bool changes[COMMITS];
		unsigned inside = 0;

		for (j = 0; j < COMMITS; j++) {
			const unsigned steps = j < 20 ? 0 : j > 25 ? 6 : j - 19;

			series[j] = steps * log(1.02) + 0.015 * draw_normal(&random);
		}
		found += segments_find(series, COMMITS, 0.01, changes) > 0;
		for (j = 19; j <= 26; j++)
			inside += changes[j];
		within += inside > 0;
	}
	assert_int_equal(found, n);
	assert_true(within >= least_by_chance(n, 0.95, 0.01));
}

/* One in 100 of courses without a change, whatever their distribution. */
static void without_a_change_few_are_said_to_have_one(void **state)
{
	struct random_state random = {.state = 11};
	const unsigned n = drawn(1000);
	const unsigned most = most_by_chance(n, 0.01, 0.001);
	unsigned normal = 0, heavy = 0, i, j;

	(void)state;
	for (i = 0; i < n; i++) {
		double series[COMMITS];
		bool changes[COMMITS];

		for (j = 0; j < COMMITS; j++)
			series[j] = draw_normal(&random);
		normal += segments_find(series, COMMITS, 0.01, changes) > 0;
		for (j = 0; j < COMMITS; j++)
			series[j] = exp(2 * draw_normal(&random));
		heavy += segments_find(series, COMMITS, 0.01, changes) > 0;
	}
	assert_true(normal <= most);
	assert_true(heavy <= most);
}

static void a_step_is_found_to_the_commit(void **state)
{
	const double series[] = {1, 1.01, 0.99, 1, 1.02, 1, 3, 3.01, 2.99, 3, 3.02, 3.01};
	bool changes[12];
	unsigned i;

	(void)state;
	assert_int_equal(segments_find(series, 12, 0.01, changes), 1);
	for (i = 0; i < 12; i++)
		assert_int_equal(changes[i], i == 6);
}

/* Of n points with a step in their middle, 2 of C(n, n/2) orders are as extreme: 2 / 252 for 10. */
static void too_few_points_tell_nothing(void **state)
{
	const double series[] = {1, 1, 1, 1, 9, 9, 9, 9, 9};
	const double same[12] = {0};
	bool changes[12];

	(void)state;
	assert_int_equal(segments_least(0.01), 10);
	assert_int_equal(segments_least(0.05), 8);
	assert_int_equal(segments_find(series, 9, 0.01, changes), 0);
	assert_int_equal(segments_find(series, 9, 0.05, changes), 1);
	assert_int_equal(segments_find(same, 12, 0.05, changes), 0);
	assert_int_equal(segments_find(same, 0, 0.05, changes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_drift_is_found_where_it_is),
		cmocka_unit_test(without_a_change_few_are_said_to_have_one),
		cmocka_unit_test(a_step_is_found_to_the_commit),
		cmocka_unit_test(too_few_points_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
