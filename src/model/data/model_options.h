/*
 * What whoever wants a model may ask for.
 */
#pragma once

#include <stddef.h>

/* The default of `correlation`. */
#define MODEL_CORRELATION 0.9

struct model_options {
	double min_r2; /* a regression that explains less of the variance is not believed */
	/*
	 * Features that are correlated as strongly are one group, with one representative; 1: only
	 * those that are the same; 0: the default.
	 */
	double correlation;
	/*
	 * Expressions of features to name rather than others that explain the metric about as well.
	 */
	const char *const *preferred;
	size_t n_preferred;
	/*
	 * Expressions of features that the reader wants in the model if they explain anything
	 * significantly, and of those that it must do without: they and those that are equivalent
	 * to them are as if they were not in the table.
	 */
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};
