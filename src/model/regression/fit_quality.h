/* Quality of a fit: standard errors, R2, deviation and cross-validation. */
#pragma once

#include "fit.h"

/* Rows of a fit, in canonical order, scaled; arrays are [design.n]. */
struct fit_rows {
	struct lsq_design design; /* its pointers are those below */
	double *columns[FIT_TERMS];
	double *y;
	double *key;
	double *x[BASIS_FEATURES];
	struct lsq *lsq;
	struct robust *robust; /* weights and residuals of the fit */
};

/*
 * Of a robust fit's coefficients, without relying on the weights (sandwich HC3). Source: MacKinnon
 * and White, J. of Econometrics 29 (1985).
 */
struct fit_errors {
	double covariance[LSQ_COLUMNS][LSQ_COLUMNS];
	/*
	 * 1 to 2: errors are larger by it since the weights depend on residuals. Source: Huber,
	 * Robust Statistics (1981), section 7.6.
	 */
	double correction;
	double effective; /* rows, as if they were independent */
};

/* Reduces @lsq with the weights of @robust. False: columns depend on each other. */
bool fit_quality_errors(struct lsq *lsq, const struct lsq_design *design,
			const struct robust *robust, struct fit_errors *ret);

double fit_quality_r2(const double *y, const double *residual, size_t n);

/* Fill in std_errors, deviation, r2, cv_r2 and error of a fit with coefficients and terms. */
void fit_quality_measure(struct fit_rows *rows, struct fit *fit);

/* The same for the mean of y, also filled in. */
void fit_quality_measure_constant(struct fit_rows *rows, struct fit *fit);
