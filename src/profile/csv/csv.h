/*
 * CSV: import and export of samples.
 *
 * The first record names the columns: `function`; metrics by keyword; `id`, `parent`, `thread` and
 * `run`, all optional; features by native expression. A feature is a number if all its values are,
 * else values are names. An empty field is an absent value. A feature named like one of the other
 * columns stands in parentheses.
 */
#pragma once

#include <stdio.h>

#include "profile/profile.h"

/*
 * Add the samples of @file, which is seekable and called @path in messages, to @profile; a run for
 * each value of `run`, which is its number if the profile has no runs yet. *@ret_rows: how many.
 * ERR_FORMAT (with line and column), ERR_IO. What was added before an error stays.
 */
bool csv_import(FILE *file, const char *path, struct profile *profile, size_t *ret_rows,
		struct err *err);

/* What is exported. */
struct csv_selection {
	const char *const *keys; /* [n] of functions (profile_functions()) */
	size_t n;
	/* Removes the rows of @samples that are not wanted; NULL: all are. ERR_NOT_FOUND: none. */
	bool (*filter)(void *self, struct samples *samples, struct err *err);
	void *self;
	/* Texts that a spreadsheet would take for formulas begin with an apostrophe. */
	bool spreadsheet;
};

/*
 * Write the samples of @selection; control characters are ? on a terminal. ERR_IO, errors of its
 * filter; ERR_NOT_FOUND: none is left.
 */
bool csv_export(struct profile *profile, const struct csv_selection *selection, FILE *out,
		struct err *err);
