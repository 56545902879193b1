/*
 * How much of a metric's variance one feature explains alone.
 *
 * Of an ordered feature by the best law, step, or pair of lines; of a categorical one by the means
 * of its values. Rows without it are one more group. Adjusted for what was free to be chosen; at
 * least 0.
 * Source: Theil, Economic Forecasts and Policy (1961), for the adjustment.
 */
#pragma once

#include "core/samples/samples.h"

/* Numbers to explain, one a row of @rows (of the samples). */
struct variance_explained {
	const size_t *rows;
	const double *y; /* [n], of about unit size */
	size_t n;
	struct explainer *explainer; /* private */
};

void variance_explained_init(struct variance_explained *explaining, const size_t *rows,
			     const double *y, size_t n);
void variance_explained_deinit(struct variance_explained *explaining);

/* 0 to 1; NAN: the column does not vary, or is hardly ever there. */
double variance_explained(struct variance_explained *explaining, const struct column *column);
