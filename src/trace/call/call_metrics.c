/* What a call cost: totals, and what remains of them without measured callees. */
#include "call_metrics.h"

#include <math.h>

#include "trace/cost/allocations.h"
#include "trace/cost/cost_probes.h"
#include "call_counters.h"
#include "trace/cost/lock_calls.h"
#include "trace/cost/transfers.h"
#include "trace/state/callee_sums.h"
#include "trace/state/thread_clock.h"

/* A measured cost is off by this part at most, besides its resolution. */
#define METRIC_ERROR 0.02

static struct open_call *find_caller(struct call_stack *stack, const struct open_call *call)
{
	size_t i;

	for (i = call->parent ? stack->n : 0; i > 0; i--)
		if (stack->calls[i - 1].id == call->parent)
			return &stack->calls[i - 1];
	return NULL;
}

/*
 * The calibrated part of @metric that is ours: each stop of the thread begins (if no pad does),
 * ends or interrupts the call. None if it ends in the stop in which it began.
 */
static double own_part(const struct tracee *tracee, const struct open_call *call,
		       enum metric metric)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;

	if (!call->start_ns)
		return 0;
	return calibration->pair[metric] +
	       calibration->stop[metric] * (double)(tracee->stops - call->stops - 1) +
	       calibration->far[metric] * (double)(tracee->far_stops - call->far_stops);
}

static uint64_t waited_ns(const struct tracee *tracee, const struct open_call *call)
{
	const struct target *target = &tracee->inferior->session->target;

	if (!call->start_ns)
		return 0;
	return target->ops->waited_ns(target->self, tracee->tid, call->start_ns, tracee->stop_ns);
}

/*
 * From the resume to this stop, less the tracee's time in known stops. Below 0 if the pads of many
 * callees cost less than is subtracted for them.
 */
static double span_ns(const struct tracee *tracee, const struct open_call *call)
{
	return (double)(int64_t)(tracee->stop_ns - call->start_ns) -
	       (double)(tracee->stopped_ns - call->stopped_ns);
}

/* That, less the time in which it waited for a processor. */
static struct value measure_time(const struct tracee *tracee, const struct open_call *call)
{
	if (!call->start_ns)
		return (struct value){.number = 0};
	return (struct value){.number = (span_ns(tracee, call) - (double)waited_ns(tracee, call)) /
					1000};
}

/*
 * Was the function left by exceptions or the like? Then a call open at its closing may be one of
 * these, and the return seen may belong to a call that was missed.
 */
static bool has_been_left(const struct tracee *tracee, unsigned function)
{
	const struct measured_function *measured = &tracee->inferior->image->functions[function];

	return measured->account.abandoned > measured->given_up;
}

struct value call_metrics_rest(double rest, double doubt)
{
	if (rest < -doubt)
		return (struct value){.absence = ABSENT_UNCERTAIN};
	return (struct value){.number = fmax(rest, 0)};
}

/* Each stop, and each callee, is as uncertain as is told. */
static double doubt_of(const struct tracee *tracee, const struct open_call *call, enum metric total)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const double stops = (double)(tracee->stops - call->stops + !call->by_pad);
	const double inner = total < METRIC_SUMS ? call->inner[total] : 0;

	return calibration->resolution[total] * stops + METRIC_ERROR * fmax(inner, 0);
}

/* Without our own part; absent if that says nothing. */
static struct value own_time(const struct tracee *tracee, const struct open_call *call)
{
	return call_metrics_rest(measure_time(tracee, call).number -
					 own_part(tracee, call, METRIC_TIME),
				 doubt_of(tracee, call, METRIC_TIME));
}

/* Our own part included. */
static struct value metrics_measure(const struct tracee *tracee, const struct open_call *call,
				    enum metric metric)
{
	if (call->outlived && has_been_left(tracee, call->function))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (call->moved) /* stops of several threads fell into it */
		return (struct value){.absence = ABSENT_OTHER_THREAD};
	if (metric == METRIC_TIME)
		return measure_time(tracee, call);
	if (COUNTED_METRICS & 1u << metric)
		return call_counters_value(tracee, call, metric);
	if (!cost_probes_noticed(tracee->inferior, call->cost_calls))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (metric == METRIC_WAIT || metric == METRIC_HOLD)
		return lock_calls_cost(tracee, call, metric, own_time(tracee, call));
	if (metric == METRIC_REMOTE)
		return transfers_remote(tracee, call, own_time(tracee, call));
	if (metric == METRIC_MEM)
		return allocations_mem(tracee, call);
	if (metric_set_from(METRIC_BLOCKS) & 1u << metric)
		return allocations_blocks(tracee, call, metric);
	return (struct value){.absence = ABSENT_NOT_MEASURED};
}

/* Bits of metrics that may be incomplete: while functions were closed, their calls were missed. */
static unsigned unknown(const struct tracee *tracee, const struct open_call *call)
{
	const struct inferior *inferior = tracee->inferior;

	if (call->closings != inferior->image->closings || inferior->blind)
		return ~0u;
	return call->inner_unknown;
}

/*
 * Before noise is cut off at 0: sums over many callees need chance errors with their sign to stay
 * unbiased.
 */
static struct value measure_own(const struct tracee *tracee, const struct open_call *call,
				enum metric metric)
{
	struct value value = metrics_measure(tracee, call, metric);

	if (value.absence == PRESENT && metric < METRIC_SUMS)
		value.number -= own_part(tracee, call, metric);
	return value;
}

static void charge_caller(struct open_call *caller, const struct value *totals)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_SUMS; metric++)
		if (totals[metric].absence == PRESENT)
			caller->inner[metric] += totals[metric].number;
		else
			caller->inner_unknown |= 1u << metric;
}

/* What locks a call held may still change when it has ended. */
static void charge_by_function(const struct session *session, struct open_call *caller,
			       const struct open_call *call, const struct value *totals)
{
	struct callee_sum sum = {
		.function = call->function, .unknown = 1u << METRIC_HOLD, .calls = 1};

	if (!callee_sums_wanted(&session->options))
		return;
	for (enum metric metric = 0; metric < METRIC_SUMS; metric++)
		if (totals[metric].absence == PRESENT)
			sum.costs[metric] = totals[metric].number;
		else
			sum.unknown |= 1u << metric;
	callee_sums_add(&caller->callees, &sum);
	caller->callees_changed = true;
}

/* Far stops vary more: after one, the resolution is worse. */
static void widen_resolution(struct calibration *calibration)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		if (calibration->resolution[metric] < calibration->far_resolution[metric])
			calibration->resolution[metric] = calibration->far_resolution[metric];
}

/*
 * Noise keeps its sign, so that it averages out. Waits for a processor are part of it, as of what
 * pads sum up, and of the time in which a function is open.
 */
static void add_time(struct function_account *account, struct value time, uint64_t waited_ns)
{
	if (time.absence == PRESENT)
		account->time_ns += llround(time.number * 1000) + (int64_t)waited_ns;
	else
		account->untimed++;
}

static void keep_rests(const struct tracee *tracee, const struct open_call *call,
		       struct value *metrics)
{
	for (enum metric metric = 0; metric < METRIC_MEASURED; metric++) {
		const enum metric total = metric < METRIC_SELF ? metric : metric_total(metric);

		if (metrics[metric].absence == PRESENT)
			metrics[metric] = call_metrics_rest(metrics[metric].number,
							    doubt_of(tracee, call, total));
	}
}

void call_metrics_end(struct tracee *tracee, struct open_call *call, struct call_record *ret)
{
	const unsigned totals =
		metric_totals(tracee->inferior->session->options.metrics | 1u << METRIC_TIME);
	struct open_call *caller = find_caller(&tracee->calls, call);
	enum metric metric;

	call->inner_unknown = unknown(tracee, call);
	call_counters_end(tracee);
	for (metric = 0; metric < METRIC_TOTALS; metric++)
		ret->metrics[metric] = totals & 1u << metric
					       ? measure_own(tracee, call, metric)
					       : (struct value){.absence = ABSENT_NOT_MEASURED};
	for (metric = METRIC_SELF; metric < METRIC_MEASURED; metric++)
		ret->metrics[metric] = thread_clock_without_callees(
			call, metric_total(metric), ret->metrics[metric_total(metric)]);
	add_time(&tracee->inferior->image->functions[call->function].account,
		 ret->metrics[METRIC_TIME], waited_ns(tracee, call));
	if (caller) {
		charge_caller(caller, ret->metrics);
		charge_by_function(tracee->inferior->session, caller, call, ret->metrics);
	}
	if (!call->moved && call->start_ns && tracee->far_stops != call->far_stops)
		widen_resolution(&tracee->inferior->session->account.calibration);
	keep_rests(tracee, call, ret->metrics);
	if (call->moved)
		return;
	ret->stops = call->start_ns ? tracee->stops - call->stops + !call->by_pad : 1;
	ret->stopped_ns = call->start_ns ? tracee->stopped_ns - call->stopped_ns : 0;
	ret->waited_ns = (int64_t)waited_ns(tracee, call);
}

struct callee_sums *call_metrics_callees(const struct tracee *tracee, struct open_call *call)
{
	struct callee_sums *ret = call->callees;

	call->callees = NULL;
	if (!callee_sums_wanted(&tracee->inferior->session->options) || call->callees_lost ||
	    call->moved || call->adopted || call->inner_unknown == ~0u) {
		callee_sums_destroy(ret);
		return NULL;
	}
	return ret ? ret : callee_sums_create();
}

double call_metrics_span_ns(const struct tracee *tracee, const struct open_call *call)
{
	return span_ns(tracee, call) - 1000 * own_part(tracee, call, METRIC_TIME);
}

int64_t call_metrics_elapsed(const struct tracee *tracee, const struct open_call *call,
			     uint64_t now_ns)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const double own_ns =
		calibration->stop[METRIC_TIME] * 1000 * (double)(tracee->stops - call->stops);
	const uint64_t until_ns = tracee->stopped ? tracee->stop_ns : now_ns;
	int64_t ns;

	if (!call->start_ns) /* began in this stop */
		return 0;
	ns = (int64_t)(until_ns - call->start_ns) -
	     (int64_t)(tracee->stopped_ns - call->stopped_ns) - (int64_t)own_ns;
	return ns > 0 ? ns : 0;
}

void call_metrics_lost(struct call_stack *stack, const struct open_call *call)
{
	struct open_call *caller = find_caller(stack, call);

	if (caller)
		caller->inner_unknown = ~0u;
}
