/* Measuring other functions from now on. */
#pragma once

#include "measure.h"

/*
 * The patterns of the options have changed: measure what they name now in the first program, which
 * is halted for a moment if it is not. An error changes nothing.
 */
bool replan_first(struct measurement *m, struct err *err);

/*
 * Have a thread look at the profile @path (NULL: there is none) meanwhile, where options ask for
 * what it finds: m->precise. ERR_USAGE: nothing to look at.
 */
bool replan_watch(struct measurement *m, const char *path, struct err *err);

/*
 * Measure no longer what m->precise says is known, and read less what it says never mattered.
 * False: now everything that was called is known, and there is nothing left to measure.
 */
bool replan_learned(struct measurement *m);
