/* A thread's own clock in a stop, and costs of a call without its callees. */
#include "thread_clock.h"

static int64_t clock_at(const struct tracee *tracee, uint64_t now_ns, uint64_t stopped_ns,
			uint64_t stops)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const double stop_us = calibration->stop[METRIC_TIME] > 0 ? calibration->stop[METRIC_TIME]
								  : calibration->pair[METRIC_TIME];

	return (int64_t)(now_ns - stopped_ns) - (int64_t)(stop_us * 1000 * (double)stops);
}

int64_t thread_clock_ns(const struct tracee *tracee)
{
	return clock_at(tracee, tracee->stop_ns, tracee->stopped_ns, tracee->stops);
}

int64_t thread_clock_began_ns(const struct tracee *tracee, const struct open_call *call)
{
	return clock_at(tracee, call->start_ns, call->stopped_ns, call->stops);
}

struct value thread_clock_without_callees(const struct open_call *call, enum metric total,
					  struct value value)
{
	if (value.absence != PRESENT)
		return value;
	if (call->inner_unknown & 1u << total)
		return (struct value){.absence = ABSENT_CALLEE};
	return (struct value){.number = value.number - call->inner[total]};
}
