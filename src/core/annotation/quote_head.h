/*
 * Names of what a model or a verdict is about: FUNCTION.METRIC. A place of a function, of which a
 * part of its cost is, has the name FUNCTION.PLACE (samples/part_columns.h), and what it costs is
 * written FUNCTION.METRIC.PLACE: mem of parse.at(parse.c:88) is parse.mem.at(parse.c:88).
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "core/metric.h"

/* How long the name of the function is in that of a place, and so where ".at(…)" begins. */
size_t quote_head_length(const char *function);

/* "FUNCTION.METRIC", "FUNCTION.METRIC.PLACE", in @arena. */
const char *quote_head(struct arena *arena, const char *function, enum metric metric);

/*
 * The metric whose keyword is at @at, and the place behind it, perhaps empty, up to *@ret_end.
 * METRIC_COUNT: there is none.
 */
enum metric quote_head_metric(const char *at, const char *end, const char **ret_place,
			      const char **ret_end);
