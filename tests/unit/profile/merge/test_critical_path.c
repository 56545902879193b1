/* What of work that was done at once is waited for. */
#include "check.h"

#include "profile/merge/critical_path.h"

static void what_is_in_turn_adds_up(void **state)
{
	struct path_stretch list[] = {{0, 10, 10, 0}, {30, 50, 20, 0}, {10, 30, 20, 0}};
	double worked, lost;

	(void)state;
	critical_path_find(list, 3, &worked, &lost);
	assert_true(worked == 50 && lost == 0);
}

static void what_is_at_once_counts_once(void **state)
{
	struct path_stretch same[] = {{0, 10, 10, 0}, {0, 10, 10, 0}, {0, 10, 10, 0}};
	struct path_stretch within[] = {{2, 5, 3, 0}, {0, 10, 10, 0}, {12, 14, 2, 0}};
	struct path_stretch chain[] = {{4, 10, 6, 0}, {0, 6, 6, 0}};
	double worked, lost;

	(void)state;
	critical_path_find(same, 3, &worked, &lost);
	assert_true(worked == 10 && lost == 0);
	critical_path_find(within, 3, &worked, &lost);
	assert_true(worked == 12 && lost == 0);
	critical_path_find(chain, 2, &worked, &lost);
	assert_true(worked == 10 && lost == 0);
	assert_true(within[0].awaited_us + within[1].awaited_us + within[2].awaited_us == 12);
	assert_true(chain[0].awaited_us == 6 && chain[1].awaited_us == 4);
}

static void what_was_lost_is_of_the_path_only(void **state)
{
	/* the last 10 are of the second, half of which it lost; the first, alone for 10, lost 1 */
	struct path_stretch list[] = {{0, 20, 18, 2}, {10, 20.5, 5.25, 5.25}};
	double worked, lost;

	(void)state;
	critical_path_find(list, 2, &worked, &lost);
	assert_float_equal(worked, 9 + 5.25, 1e-9);
	assert_float_equal(lost, 1 + 5.25, 1e-9);
	critical_path_find(list, 0, &worked, &lost);
	assert_true(worked == 0 && lost == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_in_turn_adds_up),
		cmocka_unit_test(what_is_at_once_counts_once),
		cmocka_unit_test(what_was_lost_is_of_the_path_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
