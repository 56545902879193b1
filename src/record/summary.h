/* The summary on standard error when a measurement is over. */
#pragma once

#include <stdint.h>

#include "measure.h"

/* How it ended, and which calls are no samples and why. Returns the number of calls. */
uint64_t summary_say(const struct measurement *m, const struct ending *ending);

/* Set ERR_NOT_FOUND: why nothing was measured. Always returns false. */
bool summary_nothing(const struct measurement *m, struct err *err);
