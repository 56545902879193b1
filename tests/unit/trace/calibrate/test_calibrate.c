/* Copies of this process, which no program is executed for, are calibrated with. */
#include "check.h"

#include <errno.h>
#include <sys/wait.h>

#include "core/metric.h"
#include "trace/calibrate.h"

static void what_a_stop_costs_is_found_in_copies_of_any_process(void **state)
{
	const struct session_options options = {.metrics = 1u << METRIC_TIME,
						.probes = PROBES_STOPS};
	struct calibration found;
	struct err err;

	(void)state;
	assert_true(calibrate(&options, &found, &err));
	assert_true(found.pair[METRIC_TIME] > 0);
	assert_true(found.stop_cost_ns > 0);
	assert_true(found.resolution[METRIC_TIME] > 0);
	assert_true(found.pads.resolution == 0);
}

static void no_copy_is_left(void **state)
{
	const struct session_options options = {.metrics = 1u << METRIC_TIME,
						.probes = PROBES_AUTO};
	struct calibration found;
	struct err err;

	(void)state;
	assert_true(calibrate(&options, &found, &err));
	assert_int_equal(waitpid(-1, NULL, WNOHANG | __WALL), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_stop_costs_is_found_in_copies_of_any_process),
		cmocka_unit_test(no_copy_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
