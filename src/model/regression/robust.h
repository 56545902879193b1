/*
 * Fits that resist a few outliers and noise that grows with the cost.
 *
 * Residuals follow Student's t with ROBUST_FREEDOM degrees of freedom and a scale s * v; the spread
 * v of a row is sqrt(level^2 + (phi * L)^2): level is a running median of the metric, L its median,
 * and likelihood chooses phi from relative noise (small) to constant noise (infinite). Plain least
 * squares would see only large calls, and one preempted call in a hundred would decide.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/data/row_order.h"
#include "lsq.h"
#include "student.h"

struct robust {
	double *level;   /* NULL: not needed yet */
	double *spread;  /* v */
	double *weights; /* square roots of the row weights: robust weight over v^2 */
	double *fitted;
	double *residual;
	double scale;    /* s */
	double deviance; /* -2 log likelihood, without constants */
	double typical;  /* private, with all that follows: the median size of the level */
	unsigned n_phis; /* choices of spreads */
	double *scratch;
	size_t rows_max;
	struct row_key *order; /* there with the level */
	struct robust *thin;   /* of some rows; NULL: there are few */
	double *thin_columns;
	size_t thin_capacity;
};

struct robust *robust_create(size_t rows_max);
void robust_destroy(struct robust *robust); /* NULL is fine */

/*
 * Fit all columns of @design. @key orders rows for the level; NULL: the spread is 1. Leaves @lsq
 * reduced with the final weights. False: nothing can be fitted.
 */
bool robust_fit(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		const double *key, struct lsq_solution *ret);

/* The same where the level is known, which neighbours of a steep law do not have. */
bool robust_fit_along(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		      const double *level, struct lsq_solution *ret);

/* Iterate on from the present weights and spread, at most @rounds times. */
bool robust_refine(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		   unsigned rounds, struct lsq_solution *ret);

/*
 * Set all but the weights for the costs @fitted, however they were found; the spread is ordered by
 * them.
 */
void robust_measure(struct robust *robust, const double *y, const double *fitted, size_t n);

/* Set residuals, scale and deviance of a solution; weights and spread stay. */
void robust_judge(struct robust *robust, const struct lsq_design *design,
		  const struct lsq_solution *solution);
