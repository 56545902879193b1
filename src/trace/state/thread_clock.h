/*
 * The clock of a thread, and sums of a call without its callees. Private to trace/ and its tests.
 */
#pragma once

#include "engine.h"

/*
 * The tracee's own clock in this stop, in ns: it stands still in stops, and what they cost beyond
 * is subtracted. It may be wrong by some µs between two stops, and so even go back.
 */
int64_t thread_clock_ns(const struct tracee *tracee);
/* The part of @value, the @total of @call, that its measured callees did not cost. */
struct value thread_clock_without_callees(const struct open_call *call, enum metric total,
					  struct value value);
