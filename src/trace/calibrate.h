/*
 * Calibration: what a stop adds to a measured duration beyond the time that the tracer sees.
 *
 * Between the resume and the running program, and between the int3 and the tracer's waking, time
 * passes that belongs to the measurement. It is measured on this machine: the engine measures calls
 * of an empty function in a copy of this program.
 */
#ifndef FATHOM_TRACE_CALIBRATE_H
#define FATHOM_TRACE_CALIBRATE_H

#include <stdbool.h>

#include "base/err.h"
#include "core/run.h"

#define CALIBRATE_ARGUMENT "--calibration-inferior"

/*
 * Launches this executable with CALIBRATE_ARGUMENT, whose main() must then call calibrate_inferior(). @metrics:
 * bits of those that will be measured. ERR_TARGET if nothing can be launched here.
 */
bool calibrate(unsigned metrics, struct calibration *ret, struct err *err);

/* Calls the empty function many times; returns the exit status. */
int calibrate_inferior(void);

#endif
