/*
 * The triangle by Householder reflections of its columns, each with a block of rows that stays in
 * the processor's nearest cache; GSL's pivoted QR of the triangle where columns depend on others.
 * Source: Golub and Van Loan, Matrix Computations, section 6.5.3 (appending rows).
 */
#include "lsq.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_linalg.h>

#include "base/mem.h"
#include "model/data/lanes.h"

enum { SIDE = LSQ_COLUMNS + 1, BLOCK_ROWS = 96 };

/* Columns whose pivoted diagonal is below this part of the first are dependent. */
#define DEPENDENT 1e-9
/* Columns whose part beside those before is above this, in length, need no pivots. */
#define INDEPENDENT 1e-6
/*
 * Products of columns lose twice as many digits as columns. They are used where the squared part of
 * a column beside those before, and the residual squares, are above these parts of the whole: ten
 * digits remain.
 */
#define PRODUCT_INDEPENDENT 1e-4
#define PRODUCT_RESIDUAL    1e-4

struct lsq {
	double triangle[SIDE][SIDE]; /* [column][row] */
	double lengths[SIDE];        /* of its columns */
	double products[SIDE][SIDE]; /* of its columns, of unit length; the lower half */
	bool has_products;
	unsigned p;
};

/* Some weighted rows, by columns. */
struct block {
	double columns[SIDE][BLOCK_ROWS];
};

struct lsq *lsq_create(void)
{
	return mem_alloc(sizeof(struct lsq));
}

void lsq_destroy(struct lsq *lsq)
{
	free(lsq);
}

/* Zeros fill the last block. */
static LANES_INLINE void block_fill(struct block *block, unsigned column, const double *values,
				    const double *weights, size_t n)
{
	double *to = block->columns[column];
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = values[i] * weights[i];
	for (; i < BLOCK_ROWS; i++)
		to[i] = 0;
}

static LANES_INLINE double block_dot(const double *a, const double *b)
{
	lanes_row even = {0}, odd = {0};
	unsigned i;

	for (i = 0; i < BLOCK_ROWS; i += 2 * LANES_WIDE) {
		lanes_add_products(even, a + i, b + i);
		lanes_add_products(odd, a + i + LANES_WIDE, b + i + LANES_WIDE);
	}
	lanes_add(even, odd);
	return lanes_total(even);
}

/* Rotate @block into the triangle of @side columns: reflections of (diagonal, block column). */
LANES static void lsq_absorb(struct lsq *lsq, struct block *block, unsigned side)
{
	unsigned i, j, k;

	for (k = 0; k < side; k++) {
		const double *v = block->columns[k];
		const double square = block_dot(v, v);
		const double old = lsq->triangle[k][k];
		double new, head, part;

		if (square == 0)
			continue;
		new = -copysign(sqrt(old * old + square), old);
		head = old - new;
		part = 1 / (new *head);
		lsq->triangle[k][k] = new;
		for (j = k + 1; j < side; j++) {
			double *column = block->columns[j];
			const double along =
				(head * lsq->triangle[j][k] + block_dot(v, column)) * part;

			lsq->triangle[j][k] += along * head;
			for (i = 0; i < BLOCK_ROWS; i++)
				column[i] += along * v[i];
		}
	}
}

static bool lsq_measure(struct lsq *lsq)
{
	unsigned j;

	for (j = 0; j <= lsq->p; j++) {
		lsq->lengths[j] = sqrt(lanes_dot(lsq->triangle[j], lsq->triangle[j], j + 1));
		if (!isfinite(lsq->lengths[j]))
			return false;
	}
	return true;
}

LANES bool lsq_reduce(struct lsq *lsq, const struct lsq_design *design, const double *weights)
{
	struct block block;
	size_t at;
	unsigned j;

	lsq->p = design->p;
	lsq->has_products = false;
	for (j = 0; j <= design->p; j++)
		memset(lsq->triangle[j], 0, (design->p + 1) * sizeof(double));
	for (at = 0; at < design->n; at += BLOCK_ROWS) {
		const size_t n = design->n - at < BLOCK_ROWS ? design->n - at : BLOCK_ROWS;

		for (j = 0; j < design->p; j++)
			block_fill(&block, j, design->columns[j] + at, weights + at, n);
		block_fill(&block, j, design->y + at, weights + at, n);
		lsq_absorb(lsq, &block, design->p + 1);
	}
	return lsq_measure(lsq);
}

/* Copy the columns in @mask into @to, scaled to unit length; false: one is zero. */
static bool lsq_gather(const struct lsq *lsq, uint64_t mask, gsl_matrix *to, double *scales)
{
	unsigned side = lsq->p + 1;
	unsigned k = 0;
	unsigned i, j;

	for (j = 0; j < lsq->p; j++) {
		if (!(mask & (uint64_t)1 << j))
			continue;
		if (!(lsq->lengths[j] > 0))
			return false;
		for (i = 0; i < side; i++)
			gsl_matrix_set(to, i, k, lsq->triangle[j][i] / lsq->lengths[j]);
		scales[k++] = lsq->lengths[j];
	}
	return true;
}

static unsigned lsq_rank_of(const gsl_matrix *pivoted, unsigned k)
{
	double limit = DEPENDENT * fabs(gsl_matrix_get(pivoted, 0, 0));
	unsigned rank = 0;

	while (rank < k && fabs(gsl_matrix_get(pivoted, rank, rank)) > limit)
		rank++;
	return rank;
}

static void scatter(uint64_t mask, const double *x, const double *scales, double *coefficients)
{
	unsigned k = 0;
	unsigned j;

	for (j = 0; j < LSQ_COLUMNS; j++) {
		coefficients[j] = 0;
		if (mask & (uint64_t)1 << j) {
			coefficients[j] = x[k] / scales[k];
			k++;
		}
	}
}

static bool lsq_solve_pivoted(const struct lsq *lsq, uint64_t mask, bool need_rank,
			      struct lsq_solution *ret)
{
	unsigned side = lsq->p + 1;
	unsigned k = __builtin_popcountll(mask);
	double matrix[SIDE * SIDE], tau[SIDE], norm[SIDE], scales[SIDE];
	double b[SIDE], x[SIDE] = {0}, residual[SIDE];
	size_t order[SIDE];
	gsl_permutation permutation = {k, order};
	gsl_matrix_view a = gsl_matrix_view_array(matrix, side, k);
	gsl_vector_view tau_view = gsl_vector_view_array(tau, k);
	gsl_vector_view norm_view = gsl_vector_view_array(norm, k);
	gsl_vector_view b_view = gsl_vector_view_array(b, side);
	gsl_vector_view x_view = gsl_vector_view_array(x, k);
	gsl_vector_view residual_view = gsl_vector_view_array(residual, side);
	struct lsq_solution solution = {.sse = 0};
	unsigned i, rank;
	int sign;

	if (!lsq_gather(lsq, mask, &a.matrix, scales))
		return false;
	for (i = 0; i < side; i++)
		b[i] = lsq->triangle[lsq->p][i];
	if (gsl_linalg_QRPT_decomp(&a.matrix, &tau_view.vector, &permutation, &sign,
				   &norm_view.vector))
		return false;
	rank = lsq_rank_of(&a.matrix, k);
	if (!rank || (need_rank && rank < k))
		return false;
	if (gsl_linalg_QRPT_lssolve2(&a.matrix, &tau_view.vector, &permutation, &b_view.vector,
				     rank, &x_view.vector, &residual_view.vector))
		return false;
	scatter(mask, x, scales, solution.coefficients);
	for (i = 0; i < side; i++)
		solution.sse += residual[i] * residual[i];
	if (!isfinite(solution.sse))
		return false;
	*ret = solution;
	return true;
}

/* Products of columns of unit length; those of the response are in the last row. */
LANES static void lsq_multiply(struct lsq *lsq)
{
	unsigned i, j;

	for (i = 0; i <= lsq->p; i++)
		for (j = 0; j <= i; j++)
			lsq->products[i][j] = lanes_dot(lsq->triangle[i], lsq->triangle[j], j + 1) /
					      (lsq->lengths[i] * lsq->lengths[j]);
	lsq->has_products = true;
}

/*
 * Solve for the columns in @mask by Cholesky's factor of their products. False: some are nearly
 * dependent, or so little is left that a longer way is needed.
 */
static bool lsq_solve_products(const struct lsq *lsq, uint64_t mask, struct lsq_solution *ret)
{
	unsigned list[SIDE], n = 0, i, j, k;
	double factor[LSQ_FEW + 1][LSQ_FEW + 1], x[LSQ_FEW];

	for (j = 0; j < lsq->p; j++)
		if (mask & (uint64_t)1 << j) {
			if (n == LSQ_FEW || !(lsq->lengths[j] > 0))
				return false;
			list[n++] = j;
		}
	list[n] = lsq->p;
	for (i = 0; i <= n; i++)
		for (j = 0; j <= i; j++) {
			double rest = lsq->products[list[i]][list[j]];

			for (k = 0; k < j; k++)
				rest -= factor[i][k] * factor[j][k];
			if (j < i)
				factor[i][j] = rest / factor[j][j];
			else if (!(rest > (i < n ? PRODUCT_INDEPENDENT : PRODUCT_RESIDUAL)))
				return false;
			else
				factor[i][i] = sqrt(rest);
		}
	for (i = n; i-- > 0;) {
		x[i] = factor[n][i];
		for (j = i + 1; j < n; j++)
			x[i] -= factor[j][i] * x[j];
		x[i] /= factor[i][i];
	}
	memset(ret->coefficients, 0, sizeof(ret->coefficients));
	for (i = 0; i < n; i++)
		ret->coefficients[list[i]] = x[i] * lsq->lengths[lsq->p] / lsq->lengths[list[i]];
	ret->sse = pow(factor[n][n] * lsq->lengths[lsq->p], 2);
	return true;
}

bool lsq_solve(struct lsq *lsq, uint64_t mask, struct lsq_solution *ret)
{
	if (!lsq->has_products)
		lsq_multiply(lsq);
	return mask &&
	       (lsq_solve_products(lsq, mask, ret) || lsq_solve_pivoted(lsq, mask, true, ret));
}

/* All columns, if each is independent of those before. */
static bool lsq_solve_triangle(const struct lsq *lsq, struct lsq_solution *ret)
{
	const double *response = lsq->triangle[lsq->p];
	struct lsq_solution solution = {.sse = response[lsq->p] * response[lsq->p]};
	unsigned i, j;

	for (i = lsq->p; i-- > 0;) {
		double rest = response[i];

		if (!(fabs(lsq->triangle[i][i]) > INDEPENDENT * lsq->lengths[i]))
			return false;
		for (j = i + 1; j < lsq->p; j++)
			rest -= lsq->triangle[j][i] * solution.coefficients[j];
		solution.coefficients[i] = rest / lsq->triangle[i][i];
	}
	*ret = solution;
	return true;
}

bool lsq_solve_all(struct lsq *lsq, struct lsq_solution *ret)
{
	uint64_t mask = 0;
	unsigned j;

	if (lsq->p && lsq_solve_triangle(lsq, ret))
		return true;
	for (j = 0; j < lsq->p; j++)
		if (lsq->lengths[j] > 0)
			mask |= (uint64_t)1 << j;
	return mask && lsq_solve_pivoted(lsq, mask, false, ret);
}

bool lsq_inverse(struct lsq *lsq, double ret[LSQ_COLUMNS][LSQ_COLUMNS])
{
	int j, i, k;
	int p = lsq->p;

	for (j = 0; j < p; j++) {
		if (!(fabs(lsq->triangle[j][j]) > 0))
			return false;
		for (i = 0; i < p; i++)
			ret[i][j] = 0;
		ret[j][j] = 1 / lsq->triangle[j][j];
		for (i = j - 1; i >= 0; i--) {
			for (k = i + 1; k <= j; k++)
				ret[i][j] -= lsq->triangle[k][i] * ret[k][j];
			ret[i][j] /= lsq->triangle[i][i];
		}
	}
	return true;
}
