/*
 * Presence: conditions on whether features could be read, so that the calls that have them can be
 * described by them.
 */
#pragma once

#include "model/data/dataset.h"
#include "split.h"

/* Are @absent of @rows so few that they are left out, not a kind of calls? */
bool presence_is_rare(size_t absent, size_t rows);

/*
 * Whether @column has a value: a boolean that says so, if there is one (a pointer), or its own
 * absence; in @ret. False: so few have it, or lack it, that it is no condition.
 */
bool presence_split(const struct dataset *data, const struct column *column, struct split *ret);

/*
 * Features that many rows lack, and of which one goes with the metric in the rows that have them:
 * at most @max conditions on their presence in @ret, the strongest first; returns their number.
 * *@ret_tried: how many sets of rows have such features of their own.
 */
size_t presence_find(const struct dataset *data, struct split *ret, size_t max, size_t *ret_tried);
