/*
 * Calls that a pad begins and a stop ends, or the other way round, in a copy of this process,
 * beside those of the same work that pads follow. Nothing is subtracted.
 */
#include "calibrate_mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "calibrate_copy.h"
#include "trace/calibrate.h"
#include "trace/counters.h"

static const uint64_t LAUNCH_NS = 100000000, LONGEST_NS = 1000000000;

enum {
	TRIALS_MAX = 4 * CALIBRATE_MIXED_ROUNDS,
	TRIALS_MIN = 5,
	PAUSE_NS = CALIBRATE_PAUSE_US * 1000 / 2,
};

/* Standard deviation over median absolute deviation, for a normal distribution. */
#define NORMAL_MEDIAN 1.4826

/* Of one metric, in its unit. */
struct series {
	double numbers[TRIALS_MAX];
	size_t n;
};

/* By metrics: calls without stops; ended by one, soon after another one or late; begun by one. */
struct mixed {
	struct series work[METRIC_SUMS], soon[METRIC_SUMS], late[METRIC_SUMS], begun[METRIC_SUMS];
	uint64_t far_stops; /* until the last call */
	int64_t start_ns;   /* of the last call that a stop ended */
};

/* NAN: too few. */
static double series_median(struct series *series)
{
	numbers_sort(series->numbers, series->n);
	return series->n < TRIALS_MIN ? NAN : series->numbers[series->n / 2];
}

static double series_deviation(const struct series *series, double middle)
{
	struct series distances = *series;

	for (size_t i = 0; i < distances.n; i++)
		distances.numbers[i] = fabs(distances.numbers[i] - middle);
	return NORMAL_MEDIAN * series_median(&distances);
}

static void mixed_add(struct series *series, const struct call_record *call)
{
	for (enum metric metric = 0; metric < METRIC_SUMS; metric++)
		if (call->metrics[metric].absence == PRESENT && series[metric].n < TRIALS_MAX)
			series[metric].numbers[series[metric].n++] = call->metrics[metric].number;
}

/*
 * Far stops are calibrated by themselves. A call that a stop begins is told of with the next stop,
 * so both are judged by the far ones since the call before.
 */
static void mixed_add_call(struct mixed *mixed, enum role role, const struct call_record *call,
			   uint64_t far_stops)
{
	const bool far = far_stops != mixed->far_stops;
	const bool late = call->start_ns - mixed->start_ns > PAUSE_NS;

	if (role == ROLE_WORK) {
		mixed_add(mixed->work, call);
		return;
	}
	if (role == ROLE_BEGUN) {
		if (!far)
			mixed_add(mixed->begun, call);
		return;
	}
	if (!far)
		mixed_add(late ? mixed->late : mixed->soon, call);
	mixed->far_stops = far_stops;
	mixed->start_ns = call->start_ns;
}

static bool mixed_has_enough(const struct mixed *mixed)
{
	return mixed->soon[METRIC_TIME].n >= TRIALS_MIN &&
	       mixed->begun[METRIC_TIME].n >= TRIALS_MIN;
}

/*
 * For LAUNCH_NS, or longer where the machine is busy: there are not many. But what they tell can be
 * done without, and no program begins meanwhile.
 */
static void mixed_collect(const struct calibrate_copy *copy, struct mixed *mixed)
{
	struct session *session = calibrate_copy_session(copy);
	const uint64_t begin_ns = clock_now_ns();
	struct session_event event;
	uint64_t spent_ns;
	struct err ignored;

	do {
		if (!session_next(session, &event, &ignored))
			return;
		if (event.kind == SESSION_CALL)
			mixed_add_call(mixed, calibrate_copy_role(copy, &event.call), &event.call,
				       session_account(session)->far_stops);
		spent_ns = clock_now_ns() - begin_ns;
	} while (event.kind != SESSION_ENDED &&
		 (spent_ns < LAUNCH_NS || (!mixed_has_enough(mixed) && spent_ns < LONGEST_NS)));
}

/*
 * What a stop adds to @metric, and how certain that is. Stops that follow each other count, as
 * their errors add up. Where too few were seen that were not far, it stays as it is.
 */
static void mixed_conclude(struct mixed *mixed, enum metric metric, struct calibration *ret)
{
	const double work = series_median(&mixed->work[metric]);
	const double soon = series_median(&mixed->soon[metric]);
	const double late = series_median(&mixed->late[metric]);
	const double begun = series_median(&mixed->begun[metric]);
	const double deviation = fmax(fmax(series_deviation(&mixed->soon[metric], soon),
					   series_deviation(&mixed->late[metric], late)),
				      series_deviation(&mixed->begun[metric], begun));

	if (!isnan(begun - work))
		ret->pads.begun[metric] = fmax(begun - work, 0);
	if (isnan(work) || (isnan(soon) && isnan(late)))
		return;
	ret->pads.ended[metric] = fmax((isnan(soon) ? late : soon) - work, 0);
	if (metric == METRIC_TIME && late > soon)
		ret->pads.late = late - soon;
	ret->resolution[metric] = fmax(ret->resolution[metric], RESOLUTION_DEVIATIONS * deviation +
									fmax(fabs(late - soon), 0));
}

void calibrate_mixed(const struct session_options *asked, struct calibration *calibration)
{
	const struct session_options options = {.probes = PROBES_PADS,
						.metrics = metric_totals(asked->metrics) &
							   COUNTED_METRICS,
						.every_call = true};
	struct calibrate_copy *copy;
	struct mixed *mixed;
	struct err ignored;
	const char *why;

	if (!session_pads_possible(asked, &why))
		return;
	memcpy(calibration->pads.ended, calibration->pair, sizeof(calibration->pair));
	if (!(copy = calibrate_copy_launch(&options, calibrate_inferior_mixed, &ignored)))
		return;
	mixed = mem_alloc(sizeof(*mixed));
	mixed_collect(copy, mixed);
	for (enum metric metric = 0; metric < METRIC_SUMS; metric++)
		mixed_conclude(mixed, metric, calibration);
	calibration->pads.ended[METRIC_TIME] += calibration->pads.pair;
	calibration->resolution[METRIC_WAIT] = calibration->resolution[METRIC_HOLD] =
		calibration->resolution[METRIC_TIME];
	free(mixed);
	calibrate_copy_destroy(copy);
}
