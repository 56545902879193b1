/*
 * Mixtures: each value of a metric comes from one of a few normal distributions, whose means may be
 * curves.
 *
 * EM refines given starting values. A component's mean is a sum of columns times coefficients; NULL
 * stands for a column of ones. EM is in mixture_refine.c, constants in mixture.c, starting curves
 * in mixture_curves.c. Deviations have a lower bound, so that no component collapses onto one row.
 * Source: Dempster, Laird, Rubin, Maximum likelihood from incomplete data via the EM algorithm,
 * JRSS B 39 (1977); DeSarbo, Cron, A maximum likelihood methodology for clusterwise linear
 * regression, J. of Classification 5 (1988).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/density/density_clusters.h"
#include "model/regression/robust.h"

enum { MIXTURE_COLUMNS = 4 };

struct mixture_component {
	double probability;
	double deviation; /* in the metric's unit; if `relative`, as a part of the mean */
	/* noise grows with the cost: the deviation at a row is deviation * |mean| there */
	bool relative;
	unsigned p;                             /* columns, at least 1 */
	const double *columns[MIXTURE_COLUMNS]; /* [n] each, of about unit size; NULL: ones */
	double coefficients[MIXTURE_COLUMNS];
};

struct mixture {
	unsigned n; /* components, in rising order of their mean costs */
	struct mixture_component components[CLUSTERS_MAX];
	double log_likelihood;
	double bic; /* less is better; parameters are coefficients, deviations and probabilities */
};

/*
 * The mixture with constant means that describes the @n finite numbers @y, in any order, best by
 * BIC; one component if no mixture is better, none if @n is 0. Starts with the clusters of the
 * density and joins neighbours while that improves BIC. Of numbers that were measured with
 * @resolution (0: exactly), deviations are at least its own, and nearer neighbours one; so are a
 * component of less than @least numbers and the neighbour that is nearer. Each component's only
 * column is NULL.
 */
void mixture_find(const double *y, size_t n, double resolution, double least, struct mixture *ret);

/*
 * The same with a rest: numbers that follow no component but are anywhere between the least and the
 * largest, evenly, such as calls that something delayed. They would widen a component, and make
 * those that are narrow one. Source: Banfield, Raftery, Model-based Gaussian and non-Gaussian
 * clustering, Biometrics 49 (1993). False: it has one component, or by the BIC of all it is not
 * better than @plain with fewer, nor clearly better with as many; @ret is undefined then.
 * @ret_rest [n]: is the number of the rest?
 */
bool mixture_find_beside(const double *y, size_t n, double resolution, double least,
			 const struct mixture *plain, struct mixture *ret, unsigned char *ret_rest);

/* A component's mean at @row. */
static inline double mixture_mean(const struct mixture_component *one, size_t row)
{
	double mean = 0;
	unsigned j;

	for (j = 0; j < one->p; j++)
		mean += one->coefficients[j] * (one->columns[j] ? one->columns[j][row] : 1);
	return mean;
}

/* The component that @y most likely belongs to, in a mixture of constants. */
unsigned mixture_most_likely(const struct mixture *mixture, double y);

/*
 * Refine @mixture, whose components have columns and starting coefficients, deviations (`relative`
 * or not) and probabilities. Where means are curves, noise that grows with the cost is tried too,
 * and `relative` set for all components if that is likelier. Deviations are at least @least,
 * relative ones at least @least over the mean of |y|. Sorts components by their mean costs.
 * @belongs ([n] or NULL): the most probable component of each row. False: a component lost its
 * rows; @mixture is undefined.
 */
bool mixture_refine(const double *y, size_t n, double least, struct mixture *mixture,
		    unsigned char *belongs);

/*
 * Two or three curves over the same @p columns, of which each row follows one by chance; @ret's
 * components have those columns. @y and @columns ([n] each, NULL: ones) are of about unit size.
 * False: one curve is as good, with even or relative, skewed or heavy-tailed noise (unimodal.h). A
 * mixture must be clearly better by BIC, and each curve must have its share of the rows wherever
 * they are. Of many rows, some hundred at even steps are tried first.
 */
bool mixture_regressions(const double *y, const double *const *columns, unsigned p, size_t n,
			 struct mixture *ret);

/*
 * BIC of one curve of @p terms, by the residuals and spreads of @noise at @n rows, if its noise has
 * one hump (unimodal.h). @ret_rising ([n]): the residuals over their spreads, sorted.
 */
double mixture_single(const struct robust *noise, size_t n, unsigned p, double *ret_rising);
