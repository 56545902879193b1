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

double fit_quality_spread(const double *values, size_t n); /* standard deviation */
double fit_quality_r2(const double *y, const double *residual, size_t n);

/* Fill in std_errors, deviation, r2, cv_r2 and error of a fit with coefficients and terms. */
void fit_quality_measure(struct fit_rows *rows, struct fit *fit);

/* The same for the mean of y, also filled in. */
void fit_quality_measure_constant(struct fit_rows *rows, struct fit *fit);
