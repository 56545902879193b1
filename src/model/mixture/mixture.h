/*
 * Mixtures: a metric as a choice, by chance, among a few normal distributions, whose means may be
 * curves.
 *
 * Refined by expectation and maximisation from given beginnings. A component's mean is a sum of
 * columns times coefficients; the constant 1 is a column like others, and NULL stands for it. A
 * deviation never falls below a least one, so that no component collapses onto one row. Source:
 * Dempster, Laird, Rubin, Maximum likelihood from incomplete data via the EM algorithm, JRSS B 39
 * (1977); DeSarbo, Cron, A maximum likelihood methodology for clusterwise linear regression, J. of
 * Classification 5 (1988).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/density/density_clusters.h"

enum { MIXTURE_COLUMNS = 4 };

struct mixture_component {
	double probability;
	double deviation; /* in the metric's unit; if @relative, as a part of the mean */
	/* the noise grows with the cost: its deviation at a row is deviation * |mean| there */
	bool relative;
	unsigned p; /* columns, at least 1 */
	const double
		*columns[MIXTURE_COLUMNS]; /* [n] each, of about unit size; NULL: 1 in each row */
	double coefficients[MIXTURE_COLUMNS];
};

struct mixture {
	unsigned n; /* components, those with less cost at their centre first */
	struct mixture_component components[CLUSTERS_MAX];
	double log_likelihood;
	double bic; /* less is better; parameters are coefficients, deviations and probabilities */
};

/*
 * The mixture of normal distributions with constant means that describes the @n finite numbers @y
 * best by BIC; one component if no mixture is better. Begins with the clusters of the density, and
 * joins neighbours as long as that is better. A component's only column is NULL. Of no numbers at
 * all there is no component. @y's order does not matter.
 */
void mixture_find(const double *y, size_t n, struct mixture *ret);

/* A component's mean at @row. */
static inline double mixture_mean(const struct mixture_component *one, size_t row)
{
	double mean = 0;
	unsigned j;

	for (j = 0; j < one->p; j++)
		mean += one->coefficients[j] * (one->columns[j] ? one->columns[j][row] : 1);
	return mean;
}

/* The component, all of constants, that a number belongs to most likely. */
unsigned mixture_most_likely(const struct mixture *mixture, double y);

/*
 * Refine @mixture, whose components have columns and, as a beginning, coefficients, deviations
 * (`relative` or not) and probabilities. Where means are curves, noise that grows with the cost is
 * tried too, and `relative` set for all components if that is likelier. Deviations are at least
 * @least, relative ones at least @least over the mean of |y|. Components are put in the order of
 * their mean costs. @belongs ([n] or NULL): which component is the most probable for a row. False:
 * it came to nothing (a component lost its rows); @mixture is undefined.
 */
bool mixture_refine(const double *y, size_t n, double least, struct mixture *mixture,
		    unsigned char *belongs);

/*
 * Two or three curves over the same @p columns, of which each row follows one by chance: in @ret,
 * whose components then have those columns. @y and @columns ([n] each, NULL: 1 in each row) are of
 * about unit size. False: one curve is as good, whatever its noise: even or in proportion to the
 * cost, skewed, with heavy tails (unimodal.h has the family); a mixture must be better by BIC,
 * clearly, and each curve must have its share of the rows wherever they are. More than some hundred
 * rows are tried by a part of them, at even steps.
 */
bool mixture_regressions(const double *y, const double *const *columns, unsigned p, size_t n,
			 struct mixture *ret);
