/*
 * Fits that a few wild calls and a noise that grows with the cost cannot mislead.
 *
 * Residuals are taken to follow Student's t with ROBUST_FREEDOM degrees of freedom and a scale s *
 * v, where the spread v of a row is sqrt(level^2 + (phi * L)^2): the level is a running median of
 * the metric, L its median, and phi is chosen by likelihood from relative noise (small) to the
 * same noise everywhere (infinite). Plain least squares would see the large calls only, and one
 * preempted call in a hundred would decide the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "lsq.h"
#include "student.h"

struct robust {
	double *level;
	double *spread;  /* v */
	double *weights; /* square roots of the rows' weights: robust weight over v^2 */
	double *fitted;
	double *residual;
	double scale;    /* s */
	double deviance; /* -2 log likelihood, without constants */
	double *scratch; /* private, as is the next */
	size_t *index;
};

struct robust *robust_create(size_t rows_max);
void robust_destroy(struct robust *robust); /* NULL is fine */

/*
 * Fit all columns of @design. @key orders the rows for the level; NULL: the spread is 1
 * everywhere. @lsq is left reduced with the final weights. False: nothing can be fitted.
 */
bool robust_fit(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		const double *key, struct lsq_solution *ret);

/* Iterate again from the present weights and spread, at most @rounds times. */
bool robust_refine(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		   unsigned rounds, struct lsq_solution *ret);

/* Set residuals, scale and deviance for given coefficients; weights and spread stay. */
void robust_judge(struct robust *robust, const struct lsq_design *design,
		  const struct lsq_solution *solution);
