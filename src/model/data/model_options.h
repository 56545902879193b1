/* Options of a model. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/annotation/annotation.h"

#define MODEL_CORRELATION 0.9

struct model_options {
	double min_r2; /* a regression that explains less of the variance is rejected */
	/*
	 * Features correlated at least this strongly are one group with one representative; 1: only
	 * identical ones; 0: MODEL_CORRELATION.
	 */
	double correlation;
	/* Expressions of features to prefer over others that explain the metric about as well. */
	const char *const *preferred;
	size_t n_preferred;
	/*
	 * Expressions of features to use if they explain anything significantly, and of those to
	 * remove from the table, with their equivalents.
	 */
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
	enum smooth_kind curve; /* of studies, like the next one */
	const char *over;
	/* Does nobody wait any more? What is built then is thrown away. NULL: somebody does. */
	bool (*is_over)(void);
};

static inline bool model_options_are_over(const struct model_options *options)
{
	return options->is_over && options->is_over();
}
