/*
 * The share of a metric's variance that one feature explains alone.
 *
 * An ordered feature explains it by the best curve, step, or pair of lines; a categorical one by
 * the means of its values. Rows without the feature are one more group. Adjusted for degrees of
 * freedom; at least 0. Source of the adjustment: Theil, Economic Forecasts and Policy (1961).
 */
#pragma once

#include "core/samples/samples.h"

/* The numbers to explain, one for each of @rows (rows of the samples). */
struct variance_explained {
	const size_t *rows;
	const double *y; /* [n], of about unit size */
	size_t n;
	struct explainer *explainer; /* private */
};

void variance_explained_init(struct variance_explained *explaining, const size_t *rows,
			     const double *y, size_t n);
void variance_explained_deinit(struct variance_explained *explaining);

/* 0 to 1; NAN: the column does not vary, or is almost always absent. */
double variance_explained(struct variance_explained *explaining, const struct column *column);
