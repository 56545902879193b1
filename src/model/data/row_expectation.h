/*
 * What an annotation expects of each row of a table.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"

/*
 * The mean and the deviation for every row of @samples, in @ret_mean and @ret_deviation ([n_rows],
 * the second may be NULL); NAN where a feature is not known, or no case holds.
 */
void row_expectation_find(const struct annotation *annotation, const struct samples *samples,
			  double *ret_mean, double *ret_deviation);
