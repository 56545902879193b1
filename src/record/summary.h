/*
 * What is said on standard error when a measurement is over.
 */
#pragma once

#include <stdint.h>

#include "measure.h"

/*
 * How it ended; the calls that are not among the samples, and why; returns how many calls there
 * were.
 */
uint64_t summary_say(const struct measurement *m, const struct ending *ending);

/* ERR_NOT_FOUND: nothing was measured, and why. Always returns false. */
bool summary_nothing(const struct measurement *m, struct err *err);
