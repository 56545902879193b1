/*
 * What an annotation expects of each row of a table.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "core/samples/samples.h"

/*
 * Mean and deviation for each row of @samples, in @ret_mean and @ret_deviation ([n_rows]; the
 * latter may be NULL); NAN where a feature is unknown or no case holds.
 */
void row_expectation_find(const struct annotation *annotation, const struct samples *samples,
			  double *ret_mean, double *ret_deviation);

/* The means, where formulas refer to annotations of @all. */
void row_expectation_means(const struct annotation *annotation, const struct annotation_list *all,
			   const struct samples *samples, double *ret);
