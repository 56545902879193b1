/* Measuring other functions from now on. */
#pragma once

#include "measure.h"

/*
 * The patterns of the options have changed: measure what they name now in the first program, which
 * is halted for a moment if it is not. An error changes nothing.
 */
bool replan_first(struct measurement *m, struct err *err);

/*
 * Measure no longer what m->precise says is known, and read less what it says never mattered.
 * False: now everything that was called is known, and there is nothing left to measure.
 */
bool replan_learned(struct measurement *m);
