/* What processes count together, of variables that are read from a table. */
#include "check.h"

#include <math.h>

#include "trace/causal/causal_counters.h"

enum { PROCESSES = 8 };

/* NAN: it cannot be read. */
struct table {
	double values[PROCESSES][2];
};

static bool table_read(void *self, pid_t process, unsigned counter, double *ret)
{
	*ret = ((const struct table *)self)->values[process][counter];
	return !isnan(*ret);
}

static void a_child_does_not_count_again_what_its_parent_did(void **state)
{
	struct table table = {.values = {[1] = {100, 7}, [2] = {120, 7}}};
	const struct causal_counter_reader reader = {table_read, &table};
	const pid_t processes[] = {1, 2};
	struct causal_counters counters = {0};

	(void)state;
	assert_float_equal(causal_counters_sum(&counters, 0, processes, 1, &reader), 0, 0);
	table.values[1][0] = 120;
	assert_float_equal(causal_counters_sum(&counters, 0, processes, 2, &reader), 20, 0);
	table.values[1][0] = 121;
	table.values[2][0] = 130;
	assert_float_equal(causal_counters_sum(&counters, 0, processes, 2, &reader), 31, 0);
	assert_float_equal(causal_counters_sum(&counters, 1, processes, 2, &reader), 0, 0);
	causal_counters_deinit(&counters);
}

static void what_ended_processes_have_counted_stays(void **state)
{
	struct table table = {.values = {[1] = {5, 0}, [2] = {0, 0}, [3] = {1000, 0}}};
	const struct causal_counter_reader reader = {table_read, &table};
	const pid_t both[] = {1, 2}, one[] = {1}, third[] = {3}, again[] = {2, 3};
	struct causal_counters counters = {0};

	(void)state;
	causal_counters_sum(&counters, 0, both, 2, &reader);
	table.values[2][0] = 10;
	assert_float_equal(causal_counters_sum(&counters, 0, both, 2, &reader), 10, 0);
	assert_float_equal(causal_counters_sum(&counters, 0, one, 1, &reader), 10, 0);
	table.values[1][0] = NAN; /* it ends */
	assert_float_equal(causal_counters_sum(&counters, 0, one, 1, &reader), 10, 0);
	assert_float_equal(causal_counters_sum(&counters, 0, third, 1, &reader), 10, 0);
	table.values[2][0] = 500; /* another one with its number */
	assert_float_equal(causal_counters_sum(&counters, 0, again, 2, &reader), 10, 0);
	table.values[2][0] = 501;
	assert_float_equal(causal_counters_sum(&counters, 0, again, 2, &reader), 11, 0);
	causal_counters_deinit(&counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_does_not_count_again_what_its_parent_did),
		cmocka_unit_test(what_ended_processes_have_counted_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
