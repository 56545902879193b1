/* A thread's own clock in a stop, and costs of a call without its callees. */
#include "thread_clock.h"

int64_t thread_clock_ns(const struct tracee *tracee)
{
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	const double stop_us = calibration->stop[METRIC_TIME] > 0 ? calibration->stop[METRIC_TIME]
								  : calibration->pair[METRIC_TIME];

	return (int64_t)(tracee->stop_ns - tracee->stopped_ns) -
	       (int64_t)(stop_us * 1000 * (double)tracee->stops);
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
