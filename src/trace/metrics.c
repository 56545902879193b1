/* What a call cost: totals, and what is left of them without measured callees. */
#include "trace/engine.h"

static struct open_call *find_caller(struct call_stack *stack, const struct open_call *call)
{
	size_t i;

	for (i = call->parent ? stack->n : 0; i > 0; i--)
		if (stack->calls[i - 1].id == call->parent)
			return &stack->calls[i - 1];
	return NULL;
}

/* What is known to be the measurement's own part of @metric. */
static double own_part(const struct tracee *tracee, const struct open_call *call,
		       enum metric metric)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;

	return calibration->pair[metric] +
	       calibration->stop[metric] * (double)(tracee->stops - call->stops - 1);
}

/* The time between the resume and the stop that ends the call, less what the tracee spent in stops that we saw. */
static struct value measure_time(const struct tracee *tracee, const struct open_call *call)
{
	double ns;
	double us;

	if (!call->start_ns) /* it ends in the very stop in which it began */
		return (struct value){.number = 0};
	ns = tracee->stop_ns - call->start_ns;
	ns -= tracee->stopped_ns - call->stopped_ns;
	us = ns / 1000 - own_part(tracee, call, METRIC_TIME);
	return (struct value){.number = us > 0 ? us : 0};
}

/*
 * Has the function been left by exceptions or the like? A call of it that was open when it was closed may be
 * one of these, and what returned in its place another that nobody saw begin.
 */
static bool has_been_left(const struct tracee *tracee, unsigned function)
{
	const struct measured_function *measured = &tracee->inferior->image->functions[function];

	return measured->account.abandoned > measured->given_up;
}

static struct value measure(const struct tracee *tracee, const struct open_call *call,
			    enum metric metric)
{
	if (call->outlived && has_been_left(tracee, call->function))
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (call->moved) /* nobody knows which stops of which thread fell into it */
		return (struct value){.absence = ABSENT_OTHER_THREAD};
	if (metric == METRIC_TIME)
		return measure_time(tracee, call);
	return (struct value){.absence = ABSENT_NOT_MEASURED};
}

/* Bits of metrics of which something may be missing: of functions that were closed for a while, calls were not seen. */
static unsigned unknown(const struct tracee *tracee, const struct open_call *call)
{
	const struct inferior *inferior = tracee->inferior;

	if (call->closings != inferior->image->closings || inferior->blind)
		return ~0u;
	return call->inner_unknown;
}

static struct value without_callees(const struct open_call *call, unsigned unknown,
				    enum metric total, struct value value)
{
	double left = value.number - call->inner[total];

	if (value.absence != PRESENT)
		return value;
	if (unknown & 1u << total)
		return (struct value){.absence = ABSENT_CALLEE};
	return (struct value){.number = left > 0 ? left : 0};
}

static void charge_caller(struct open_call *caller, const struct call_record *record)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_SUMS; metric++)
		if (record->metrics[metric].absence == PRESENT)
			caller->inner[metric] += record->metrics[metric].number;
		else
			caller->inner_unknown |= 1u << metric;
}

void metrics_end(struct tracee *tracee, const struct open_call *call, struct call_record *ret)
{
	const unsigned totals =
		metric_totals(tracee->inferior->session->options.metrics | 1u << METRIC_TIME);
	struct open_call *caller = find_caller(&tracee->calls, call);
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		ret->metrics[metric] = totals & 1u << metric
					       ? measure(tracee, call, metric)
					       : (struct value){.absence = ABSENT_NOT_MEASURED};
	for (metric = METRIC_SELF; metric < METRIC_COUNT; metric++)
		ret->metrics[metric] =
			without_callees(call, unknown(tracee, call), metric_total(metric),
					ret->metrics[metric_total(metric)]);
	if (call->start_ns && !call->moved) {
		ret->stops = tracee->stops - call->stops + 1;
		ret->stopped_ns = tracee->stopped_ns - call->stopped_ns;
	}
	if (caller)
		charge_caller(caller, ret);
}

void metrics_lost(struct call_stack *stack, const struct open_call *call)
{
	struct open_call *caller = find_caller(stack, call);

	if (caller)
		caller->inner_unknown = ~0u;
}
