/*
 * Calibration: what the stops of a measurement add to what it measures, beyond the time that the
 * tracer sees.
 *
 * Between the resume and the running program, and between the int3 and the tracer's waking, time
 * passes that belongs to the measurement; so do some instructions. It is measured on this machine:
 * the engine measures, in a copy of this program,
 *   an empty function, whose calls seem to cost `pair`; one that calls the empty one ten times, and
 *   one that calls its twin, which is not measured, ten times: the difference of these two is that
 *   of twenty stops in the middle of a call, `stop` each.
 * These are medians over some hundred calls of one launch, and the mean of a few launches that are
 * about alike.
 *
 * With several tracees a stop may wake the tracer on another processor. What that adds (`far`) is
 * found with a copy that has a second thread, whose first one keeps to another processor than the
 * tracer.
 *
 * The resolution is three times the standard deviation of a single empty call: less a call must not
 * be said to cost. The deviation is estimated from the median distance of all launches' empty calls
 * to `pair`, so that luck of a launch counts. That of other metrics is found likewise. What is
 * counted at calls of the program alone (mem, peak) is exact; the times of locks (wait, hold) are
 * told by the clock of `time`, and have its resolution.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/run.h"

#define CALIBRATE_ARGUMENT     "--calibration-inferior"
#define CALIBRATE_FAR_ARGUMENT "--calibration-inferior-far"

/*
 * Launches this executable with one of these arguments, whose main() must then call
 * calibrate_inferior(). @metrics: bits of those that will be measured; what cannot be measured here
 * stays 0. Takes 0.1 to 0.2 s, on a busy machine longer, but never for ever. ERR_TARGET if nothing
 * can be launched here.
 */
bool calibrate(unsigned metrics, struct calibration *ret, struct err *err);

/*
 * Calls the functions many times, with CALIBRATE_FAR_ARGUMENT on the last processor; returns the
 * exit status.
 */
int calibrate_inferior(bool far);
