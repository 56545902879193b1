/*
 * Building an annotation from samples.
 */
#ifndef FATHOM_MODEL_BUILD_H
#define FATHOM_MODEL_BUILD_H

#include "core/annotation.h"
#include "core/samples.h"

/* The default of `correlation`. */
#define MODEL_CORRELATION 0.9

struct model_options {
	double min_r2; /* a regression that explains less of the variance is not believed */
	/*
	 * Features that are correlated as strongly are one group, with one representative; 1: only those that are the
	 * same; 0: the default.
	 */
	double correlation;
	/* Expressions of features to name rather than others that explain the metric about as well. */
	const char *const *preferred;
	size_t n_preferred;
	/*
	 * Expressions of features that the reader wants in the model if they explain anything significantly, and of those that it must do
	 * without: they and those that are equivalent to them are as if they were not in the table.
	 */
	const char *const *pinned, *const *excluded;
	size_t n_pinned, n_excluded;
};

/*
 * The annotation of @metric from @samples. It never fails: where no model can be made, the
 * annotation has no cases and a note says why. The same samples give the same annotation, whatever
 * the order of rows and columns. The caller owns the result.
 */
struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options);

/* From now on several threads may make models at the same time. */
void model_allow_threads(void);

#endif
