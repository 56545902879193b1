/* A thread's own clock, and costs of a call without its callees. */
#pragma once

#include "engine.h"

/*
 * @tracee's own clock in this stop, in ns: it stands still in stops, and the calibrated cost of
 * stops beyond that is subtracted. The error may be some µs between two stops, so it can go back.
 */
int64_t thread_clock_ns(const struct tracee *tracee);
/* What it showed when @call began. */
int64_t thread_clock_began_ns(const struct tracee *tracee, const struct open_call *call);
/*
 * @value, the @total of @call, less what its measured callees cost; ABSENT_CALLEE if that is
 * unknown.
 */
struct value thread_clock_without_callees(const struct open_call *call, enum metric total,
					  struct value value);
