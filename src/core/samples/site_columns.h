/*
 * The columns of a table, keys, that say of each call how many bytes each site in the code, a call
 * of malloc() or the like, allocated in it: mem.at(FILE:LINE). One is of all further sites.
 */
#pragma once

#include "samples.h"

#define SITE_COLUMN_PREFIX "mem.at("
#define SITE_COLUMN_OTHERS "others"

/*
 * What stands behind a function's name where what one site allocated is its cost: ".at(FILE:LINE)".
 */
static inline const char *site_columns_suffix(const char *column)
{
	return column + sizeof("mem") - 1;
}

/* The function's name of such a one, in @arena; of a function its own. */
char *site_columns_function(const char *name, struct arena *arena);

/*
 * Make the column @name the metric `mem` of @samples, in place of all metrics and keys, and name
 * the function after it. A site that a call is not known to have used has allocated nothing if the
 * others account for all that it allocated. False: there is no such column.
 */
bool site_columns_take(struct samples *samples, const char *name);
