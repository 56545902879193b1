/*
 * Selects calls by a condition, --where or that of an annotation.
 *
 * Its grammar is the prompt's (shell/condition.h): over features by expression or short name,
 * metrics, `exit` (returned, thrown or jumped), and `run`, `process`, `thread` and `start` (the
 * time in its run at which the call began) where no feature has that name.
 */
#pragma once

#include "base/err.h"
#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

/*
 * Keep the rows of @samples for which @where is known to hold; nothing is done if it is NULL.
 * @names: its features count by their names there, too; NULL: none. ERR_NOT_FOUND: it holds
 * for no row, or is about a value that these samples do not have, and no row is left. ERR_FORMAT,
 * ERR_USAGE: it means nothing.
 */
bool where_select(struct samples *samples, const char *where, const struct annotation *names,
		  struct err *err);

/* As a filter of csv_export(): @self is the text. */
bool where_filter(void *self, struct samples *samples, struct err *err);

/* Can it be read at all? NULL is fine. ERR_FORMAT. */
bool where_check(const char *where, struct err *err);
