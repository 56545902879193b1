/*
 * Measuring functions that cost nothing: an empty one, and two that call it, or its twin, ten
 * times. call_metrics.c uses the result.
 */
#include "trace/calibrate.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "core/catalogue/cost_call.h"
#include "calibrate_copy.h"
#include "calibrate_mixed.h"
#include "calibrate_pads.h"
#include "trace/session.h"

/*
 * Fewer rounds suffice on a busy machine, where each stop waits for a processor: the user wants to
 * begin.
 */
enum { ROUNDS_MIN = 5, LAUNCHES = 5 };
enum {
	CALLS_MAX = CALIBRATE_ROUNDS * (CALIBRATE_INNER + 2),
	CALLS_MIN = ROUNDS_MIN * (CALIBRATE_INNER + 2)
};

static const uint64_t LAUNCH_NS = 100000000;

/* Standard deviation over median absolute deviation, for a normal distribution. */
#define NORMAL_MEDIAN 1.4826

/* Launches are alike if their empty calls take up to this factor of the least. */
#define ALIKE 1.25

struct measured_call {
	enum role role;
	uint64_t far_stops;          /* since the previous call's end */
	double metrics[METRIC_SUMS]; /* NAN: absent */
};

struct launch {
	struct measured_call calls[CALLS_MAX];
	size_t n;
	double pair[METRIC_SUMS], stop[METRIC_SUMS]; /* NAN: not measured */
	double stop_cost_ns;
};

/* NAN for none. */
static double median(double *numbers, size_t n)
{
	numbers_sort(numbers, n);
	return n ? numbers[n / 2] : NAN;
}

static void calibration_add_call(struct launch *launch, const struct call_record *record,
				 uint64_t far_stops)
{
	struct measured_call *call = &launch->calls[launch->n++];
	enum metric metric;

	call->role = record->function;
	call->far_stops = far_stops;
	for (metric = 0; metric < METRIC_SUMS; metric++) {
		const struct value *value = &record->metrics[metric];

		call->metrics[metric] = value->absence == PRESENT ? value->number : NAN;
	}
}

/*
 * For LAUNCH_NS, and of @least calls. A stop's cost is taken between the ends of two calls, all the
 * tracer's work included.
 */
static bool collect(struct session *session, size_t least, struct launch *launch, struct err *err)
{
	const struct account *account = session_account(session);
	uint64_t begin_ns = clock_now_ns();
	const uint64_t until_ns = begin_ns + LAUNCH_NS;
	uint64_t begin_stops = 0;
	uint64_t far_stops = 0;
	struct session_event event;

	do {
		if (!session_next(session, &event, err))
			return false;
		if (event.kind != SESSION_CALL || launch->n == CALLS_MAX)
			continue;
		if (!launch->n) {
			begin_ns = clock_now_ns();
			begin_stops = account->stops;
		}
		calibration_add_call(launch, &event.call, account->far_stops - far_stops);
		far_stops = account->far_stops;
		if (account->stops > begin_stops)
			launch->stop_cost_ns = (double)(clock_now_ns() - begin_ns) /
					       (double)(account->stops - begin_stops);
	} while (event.kind != SESSION_ENDED && (launch->n < least || clock_now_ns() < until_ns));
	return true;
}

/* Skips absent ones; returns the number of values. */
static size_t numbers_of(const struct launch *launch, enum role role, enum metric metric,
			 double *ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < launch->n; i++)
		if (launch->calls[i].role == role && !isnan(launch->calls[i].metrics[metric]))
			ret[n++] = launch->calls[i].metrics[metric];
	return n;
}

static double typical(const struct launch *launch, enum role role, enum metric metric)
{
	double numbers[CALLS_MAX];
	size_t n = numbers_of(launch, role, metric, numbers);

	return n < ROUNDS_MIN ? NAN : median(numbers, n);
}

/* max(number, 0), but NAN stays. */
static double positive(double number)
{
	return number < 0 ? 0 : number;
}

/* Debug registers do not suffice for the bare function: an empty one takes some ns less. */
static void calibration_evaluate(struct launch *launch, enum session_probes probes)
{
	const enum role without = probes == PROBES_HARDWARE ? ROLE_EMPTY : ROLE_BARE;
	enum metric metric;

	for (metric = 0; metric < METRIC_SUMS; metric++) {
		const double outer = typical(launch, ROLE_OUTER, metric);
		const double bare = typical(launch, without, metric);

		launch->pair[metric] = positive(typical(launch, ROLE_EMPTY, metric));
		launch->stop[metric] = positive((outer - bare) / (2 * CALIBRATE_INNER));
	}
}

static void keep_to_first_processor(void)
{
	cpu_set_t set;
	int i;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (i = 0; i < CPU_SETSIZE - 1 && !CPU_ISSET(i, &set); i++)
		;
	calibrate_keep_to(i, &set);
}

/*
 * What far stops cost can be done without: where each waits for its turn, hundreds would take
 * minutes, in which no program begins and no signal is heard.
 */
static bool launch_once(const struct session_options *options, void (*calls)(void),
			struct launch *ret, struct err *err)
{
	const bool far = calls == calibrate_inferior_far;
	struct calibrate_copy *copy = calibrate_copy_launch(options, calls, err);
	bool done;

	if (!copy)
		return false;
	if (far)
		keep_to_first_processor();
	done = collect(calibrate_copy_session(copy), far ? 0 : CALLS_MIN, ret, err);
	calibrate_copy_destroy(copy);
	if (!done)
		return false;
	calibration_evaluate(ret, options->probes);
	if (options->probes == PROBES_HARDWARE && !ret->n)
		return err_set(err, ERR_UNSUPPORTED,
			       "the processor's debug registers stop nothing here (some virtual "
			       "machines have none): measure without --probes hardware");
	if (isnan(ret->pair[METRIC_TIME]) || isnan(ret->stop[METRIC_TIME]))
		return err_set(err, ERR_TARGET, "the cost of a stop could not be calibrated");
	return true;
}

/* Robust standard deviation of all launches' empty calls around @pair. */
static double calibration_deviation(const struct launch *launches, size_t n_launches,
				    enum metric metric, double pair)
{
	double *distances = mem_alloc(n_launches * CALLS_MAX * sizeof(*distances));
	size_t n = 0;
	double middle;
	size_t i;

	for (i = 0; i < n_launches; i++)
		n += numbers_of(&launches[i], ROLE_EMPTY, metric, distances + n);
	for (i = 0; i < n; i++)
		distances[i] = fabs(distances[i] - pair);
	middle = median(distances, n);
	free(distances);
	return NORMAL_MEDIAN * middle;
}

static double least_pair(const struct launch *launches, size_t n)
{
	double least = INFINITY;
	size_t i;

	for (i = 0; i < n; i++)
		least = fmin(least, launches[i].pair[METRIC_TIME]);
	return least;
}

/*
 * A stop costs ten times more if the scheduler puts tracer and tracee on different processors, so
 * only launches about as quick as the quickest count. These still differ by some 0.01 µs, as
 * measured calls will: their mean has the least error.
 */
static void average(const struct launch *launches, size_t n, enum metric metric,
		    struct calibration *ret)
{
	const double most = ALIKE * least_pair(launches, n);
	double pair = 0, stop = 0;
	size_t alike = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct launch *launch = &launches[i];

		if (launch->pair[METRIC_TIME] > most || isnan(launch->pair[metric]) ||
		    isnan(launch->stop[metric]))
			continue;
		pair += launch->pair[metric];
		stop += launch->stop[metric];
		alike++;
	}
	if (!alike)
		return;
	ret->pair[metric] = pair / alike;
	ret->stop[metric] = stop / alike;
	ret->resolution[metric] = RESOLUTION_DEVIATIONS *
				  calibration_deviation(launches, n, metric, ret->pair[metric]);
}

static void conclude(const struct launch *launches, size_t n, struct calibration *ret)
{
	double costs_ns[LAUNCHES];
	enum metric metric;
	size_t i;

	*ret = (struct calibration){.stop_cost_ns = 0};
	for (metric = 0; metric < METRIC_SUMS; metric++)
		average(launches, n, metric, ret);
	ret->resolution[METRIC_WAIT] = ret->resolution[METRIC_HOLD] =
		ret->resolution[METRIC_REMOTE] = ret->resolution[METRIC_TIME];
	for (i = 0; i < n; i++)
		costs_ns[i] = launches[i].stop_cost_ns;
	ret->stop_cost_ns = median(costs_ns, n);
}

/* Keep the empty calls whose stops were both far. */
static void keep_far(struct launch *launch)
{
	size_t kept = 0;
	size_t i;

	for (i = 0; i < launch->n; i++)
		if (launch->calls[i].role == ROLE_EMPTY && launch->calls[i].far_stops == 2)
			launch->calls[kept++] = launch->calls[i];
	launch->n = kept;
}

/*
 * A processor kept awake by others is not far; the next launch may differ. False: no call was far.
 */
static bool launch_far(const struct session_options *options, struct launch *launch)
{
	const uint64_t until_ns = clock_now_ns() + LAUNCH_NS;
	struct err err;
	cpu_set_t own;
	int i;

	if (sched_getaffinity(0, sizeof(own), &own) != 0 || CPU_COUNT(&own) < 2)
		return false;
	for (i = 0; i < LAUNCHES && launch->n < ROUNDS_MIN && clock_now_ns() < until_ns; i++) {
		launch->n = 0;
		if (!launch_once(options, calibrate_inferior_far, launch, &err))
			launch->n = 0;
		sched_setaffinity(0, sizeof(own), &own);
		keep_far(launch);
	}
	return launch->n >= ROUNDS_MIN;
}

/* What far stops add; 0 without any. */
static void find_far(const struct session_options *options, struct calibration *calibration)
{
	struct launch *launch = mem_alloc(sizeof(*launch));
	const bool done = launch_far(options, launch);
	enum metric metric;

	for (metric = 0; done && metric < METRIC_SUMS; metric++) {
		const double pair = typical(launch, ROLE_EMPTY, metric);

		if (isnan(pair))
			continue;
		calibration->far[metric] = positive(pair - calibration->pair[metric]);
		calibration->far_resolution[metric] =
			RESOLUTION_DEVIATIONS * calibration_deviation(launch, 1, metric, pair);
	}
	calibration->far_resolution[METRIC_WAIT] = calibration->far_resolution[METRIC_HOLD] =
		calibration->far_resolution[METRIC_REMOTE] =
			calibration->far_resolution[METRIC_TIME];
	free(launch);
}

bool calibrate(const struct session_options *options, struct calibration *ret, struct err *err)
{
	const struct session_options calibrated = {
		.metrics = metric_totals(options->metrics) & ~cost_call_metrics(),
		.probes = options->probes == PROBES_HARDWARE ? PROBES_HARDWARE : PROBES_STOPS};
	const uint64_t until_ns = clock_now_ns() + LAUNCH_NS;
	struct launch *launches = mem_alloc(LAUNCHES * sizeof(*launches));
	bool done = true;
	size_t n;

	for (n = 0; done && n < LAUNCHES && (!n || clock_now_ns() < until_ns); n++)
		done = launch_once(&calibrated, calibrate_inferior_stops, &launches[n], err);
	if (done) {
		conclude(launches, n, ret);
		find_far(&calibrated, ret);
		calibrate_pads(options, &ret->pads);
		calibrate_mixed(options, ret);
	}
	free(launches);
	return done || err_add(err, "calibration");
}
