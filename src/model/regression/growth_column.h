/* A growth of a whole column. */
#pragma once

#include <stddef.h>

#include "core/growth.h"

/* growth_product(@growth, @x[i], @log_x[i]) in @ret[i]; @log_x is not read without a logarithm. */
void growth_column_fill(enum growth growth, const double *x, const double *log_x, size_t n,
			double *ret);

/*
 * @x over @scale, and log(@x) over @log_scale, 0 where x is not positive: as growth_scaled().
 * @ret_x may be @x.
 */
void growth_column_scale(const double *x, size_t n, double scale, double log_scale, double *ret_x,
			 double *ret_log);
