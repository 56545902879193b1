/*
 * What is measured now: which functions are open, and which breakpoints are needed for that.
 * Private to trace/ and its tests.
 */
#pragma once

#include "engine.h"

struct breakpoint;

/*
 * Is the probe address of @function that of a loop, so that new calls are told by a breakpoint
 * where it begins?
 */
bool measured_has_first(const struct function *function);

/* Are its probes lifted, whoever wants that? */
bool measured_is_shut(const struct measured_function *measured);
/* The same of function @index of @inferior's program, or there is none: -1. */
bool measured_is_closed(const struct inferior *inferior, int index);

/* May a call of function @index begin now? */
bool measured_may_begin(const struct inferior *inferior, unsigned index);
/* Is @breakpoint to be planted, by all that it is used for? */
bool measured_wants(const struct inferior *inferior, const struct breakpoint *breakpoint);
