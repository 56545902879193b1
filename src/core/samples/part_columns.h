/*
 * The columns of a table, keys, that say of each call what part of a cost is due to one place:
 * mem.at(FILE:LINE), what a site in the code, a call of malloc() or the like, allocated in it;
 * METRIC.server(FUNCTION), what a server's function added to it. One of each kind is of all further
 * places.
 *
 * A place is a subject of its own, called like the function with what stands behind the metric:
 * FUNCTION.at(FILE:LINE), FUNCTION.server(FUNCTION).
 */
#pragma once

#include "samples.h"

#define PART_COLUMN_SITE   "mem.at("
#define PART_COLUMN_SERVER ".server("
#define PART_COLUMN_OTHERS "others"

/* In @column, what stands behind the metric; NULL: it is the column of no place. */
const char *part_columns_suffix(const char *column);

/* The metric of such a column. */
enum metric part_columns_metric(const char *column);

/* The function's name of a subject, in @arena; of a function its own. */
char *part_columns_function(const char *name, struct arena *arena);

/*
 * Make the columns with @suffix the metrics of @samples, in place of all metrics and keys (but that
 * of asked_rows.h), and name the function after it. A site that a call is not known to have used
 * has allocated nothing if the others account for all that it allocated. False: there is no such
 * column.
 */
bool part_columns_take(struct samples *samples, const char *suffix);
