/*
 * Refits: the coefficients of given terms, on other samples than those that the terms were chosen
 * by.
 *
 * Weighted robust least squares, as models are fitted with. Terms are columns of numbers here;
 * where some depend on others (a feature that is always the same), as many are left out as need be,
 * and the others stand for them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/regression/lsq.h"

struct refit_rows {
	size_t n;
	unsigned p;
	const double *columns[LSQ_COLUMNS]; /* [n] each, in the order of the calls */
	const double *y;
	const double *
		/*
		 * an order of the rows, by what is expected: noise is a function of it. NULL: it is
		 * even
		 */
		key;
	bool plain; /* the mean counts, not the main trend: no row weighs less for being far away */
};

struct refit {
	size_t n;
	unsigned p;
	double coefficients[LSQ_COLUMNS];
	double std_errors[LSQ_COLUMNS];
	bool dropped[LSQ_COLUMNS]; /* depends on others: its coefficient is 0 */
	double freedom;            /* of errors: independent rows less coefficients; at least 1 */
	double r2;                 /* of all rows; NAN if they have all one value */
	/*
	 * Private: of terms and a cost that are at most 1, since squares of what there is may not
	 * be numbers.
	 */
	double covariance[LSQ_COLUMNS][LSQ_COLUMNS];
	double scale[LSQ_COLUMNS], y_scale;
};

enum { REFIT_ROWS_MIN = 8 };

/*
 * False: there are fewer rows than REFIT_ROWS_MIN, or twice the coefficients, or they have no
 * finite solution. The errors do not rely on the weights being right (the sandwich HC3), and count
 * calls that are alike as fewer.
 */
bool refit_terms(const struct refit_rows *rows, struct refit *ret);

/* The cost where the terms have the values @x, and its standard error. */
double refit_value(const struct refit *refit, const double *x, double *ret_error);

/* The standard error of the difference of the costs at @a and at @b. */
double refit_step_error(const struct refit *refit, const double *a, const double *b);
