/*
 * Refits: new coefficients for given terms, on other samples than those that the terms were chosen
 * by.
 *
 * Weighted robust least squares, as for models. Terms are columns of numbers; of linearly dependent
 * ones (a feature that never varies) some are dropped, and the others stand for them.
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
		 * order of the rows by expected cost: noise is a function of it. NULL: even noise
		 */
		key;
	bool plain; /* fit the mean, not the main trend: outliers keep their weight */
};

struct refit {
	size_t n;
	unsigned p;
	double coefficients[LSQ_COLUMNS];
	double std_errors[LSQ_COLUMNS];
	bool dropped[LSQ_COLUMNS]; /* linearly dependent: the coefficient is 0 */
	/* degrees of freedom: independent rows less coefficients; at least 1 */
	double freedom;
	double r2; /* of all rows; NAN if the cost never varies */
	/* Private: for terms and cost scaled to at most 1, since their squares could overflow. */
	double covariance[LSQ_COLUMNS][LSQ_COLUMNS];
	double scale[LSQ_COLUMNS], y_scale;
};

enum { REFIT_ROWS_MIN = 8 };

/*
 * False: fewer rows than REFIT_ROWS_MIN or twice the coefficients, or no finite solution. Standard
 * errors do not rely on the weights (sandwich estimator HC3) and allow for autocorrelation.
 */
bool refit_terms(const struct refit_rows *rows, struct refit *ret);

/* The cost for the terms @x, and its standard error. */
double refit_value(const struct refit *refit, const double *x, double *ret_error);

/* The standard error of the difference between the costs at @a and @b. */
double refit_step_error(const struct refit *refit, const double *a, const double *b);
