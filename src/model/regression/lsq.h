/*
 * Weighted least squares, reduced once and solved for many subsets of columns.
 *
 * Householder QR turns the weighted design, with the response as last column, into a triangle. Any
 * subset of columns has the same solution and residual squares there, at a cost independent of the
 * number of rows. Source: Golub and Van Loan, Matrix Computations, sections 5.2 and 5.3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LSQ_COLUMNS = 64, LSQ_FEW = 12 /* private */ };

struct lsq_design {
	size_t n;
	unsigned p;
	const double *columns[LSQ_COLUMNS]; /* each of about unit size */
	const double *y;
};

struct lsq_solution {
	double coefficients[LSQ_COLUMNS]; /* 0 where the column is not in the subset */
	double sse;                       /* weighted */
};

struct lsq;

struct lsq *lsq_create(void);
void lsq_destroy(struct lsq *lsq); /* NULL is fine */

/*
 * Reduce @design; weights[i] multiplies row i (the square root of its weight). False: not finite.
 */
bool lsq_reduce(struct lsq *lsq, const struct lsq_design *design, const double *weights);

/* Solve for the columns in @mask. False: they are linearly dependent. */
bool lsq_solve(struct lsq *lsq, uint64_t mask, struct lsq_solution *ret);

/* The same for all columns; dependent ones get 0. */
bool lsq_solve_all(struct lsq *lsq, struct lsq_solution *ret);

/*
 * The inverse of the p × p upper triangle R, by rows: inv(R) inv(R)' inverts X'WX. False: singular.
 */
bool lsq_inverse(struct lsq *lsq, double ret[LSQ_COLUMNS][LSQ_COLUMNS]);
