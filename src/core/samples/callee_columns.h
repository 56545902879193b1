/*
 * The columns of a caller's table, keys, that say of each call what calls it made itself of one
 * measured function, whichever of them are samples: callee.NAME.calls, how many there were, and
 * callee.NAME.METRIC, what they cost in sum.
 */
#pragma once

#include "samples.h"

/* @metric: METRIC_COUNT is the number of calls. In @arena. */
const char *callee_columns_name(struct arena *arena, const char *callee, enum metric metric);

/* The one of @caller, a table; NULL: there is none, as it never called it or does not know. */
const struct column *callee_columns_find(const struct samples *caller, const char *callee,
					 enum metric metric);
