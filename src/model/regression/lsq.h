/*
 * Weighted least squares, reduced once and solved for many subsets of columns.
 *
 * The weighted design with the response as its last column is turned into a triangle (QR, by
 * Householder). The least-squares problem of any subset of columns has the same solution and the
 * same residual sum of squares on the triangle's columns, at a cost that does not depend on the
 * number of rows.
 * Source: Golub and Van Loan, Matrix Computations, sections 5.2 and 5.3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LSQ_COLUMNS = 64 };

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

/* For designs of at most @rows_max rows and @columns_max columns. */
struct lsq *lsq_create(size_t rows_max, unsigned columns_max);
void lsq_destroy(struct lsq *lsq); /* NULL is fine */

/*
 * Reduce @design; row i is multiplied by weights[i] (the square root of its weight in the sum of
 * squares).
 */
bool lsq_reduce(struct lsq *lsq, const struct lsq_design *design, const double *weights);

/* Solve for the columns in @mask. False: they depend on one another. */
bool lsq_solve(struct lsq *lsq, uint64_t mask, struct lsq_solution *ret);

/* The same for all columns; dependent ones get 0. */
bool lsq_solve_all(struct lsq *lsq, struct lsq_solution *ret);

/*
 * The inverse of the p by p upper triangle R of the design, row by row, in @ret: inv(R) inv(R)' is
 * the inverse of X'WX. False: it is singular.
 */
bool lsq_inverse(struct lsq *lsq, double ret[LSQ_COLUMNS][LSQ_COLUMNS]);
