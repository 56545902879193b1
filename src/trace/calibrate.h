/*
 * Calibration: what the stops of a measurement cost beyond the time that the tracer sees, between
 * the resume and the running program, and between the int3 and the tracer's waking.
 *
 * The engine measures, in a copy of this process, an empty function, whose calls seem to cost
 * `pair`; and two functions that call it, and its unprobed twin, ten times each: their difference
 * is that of twenty stops within a call, `stop` each. These are medians over some hundred calls of
 * a launch, averaged over a few launches that agree.
 *
 * `far` is what a stop costs in addition if it wakes the tracer on another processor, as with
 * several tracees: found with a copy that has a second thread and whose first thread keeps off the
 * tracer's processor.
 *
 * The resolution, the least cost that may be claimed, is three times the standard deviation of an
 * empty call, estimated from the median distance of all launches' empty calls to `pair`, to include
 * differences between launches. That of other metrics is found likewise. What is counted only at
 * calls of the program (mem, peak) is exact; lock times (wait, hold) have the resolution of `time`,
 * whose clock they use.
 *
 * Where calls will be measured by pads, these are calibrated likewise, see pad_trials.h. What a
 * stop adds to a call that a pad began is calibrated soon after another stop and after a pause,
 * when it takes longer. The first is subtracted, as the errors of many stops add up; the difference
 * is a part of the resolution of calls with stops.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/run.h"
#include "session.h"

/*
 * Measures copies of this process. @options: of the session that will measure; what cannot be
 * measured here stays 0. Takes 0.1 to 0.2 s, longer on a busy machine, but always ends. ERR_TARGET
 * if nothing can be launched.
 */
bool calibrate(const struct session_options *options, struct calibration *ret, struct err *err);
