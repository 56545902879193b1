/* Least squares by GSL's QR decompositions. */
#include "lsq.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_linalg.h>

#include "base/mem.h"

enum { SIDE = LSQ_COLUMNS + 1 };

/* Columns whose pivoted diagonal is below this part of the first are dependent. */
#define DEPENDENT 1e-9

struct lsq {
	double *rows; /* [rows_max + columns_max + 1] rows of p + 1 */
	double triangle[SIDE][SIDE];
	double lengths[SIDE]; /* of its columns */
	unsigned p;
};

struct lsq *lsq_create(size_t rows_max, unsigned columns_max)
{
	struct lsq *lsq = mem_alloc(sizeof(*lsq));

	lsq->rows =
		mem_alloc((rows_max + columns_max + 1) * (columns_max + 1) * sizeof(*lsq->rows));
	return lsq;
}

void lsq_destroy(struct lsq *lsq)
{
	if (!lsq)
		return;
	free(lsq->rows);
	free(lsq);
}

/* Zero rows keep the matrix at least square. */
static size_t lsq_fill(struct lsq *lsq, const struct lsq_design *design, const double *weights)
{
	unsigned p = design->p;
	double *to = lsq->rows;
	size_t i;
	unsigned j;

	for (i = 0; i < design->n; i++) {
		for (j = 0; j < p; j++)
			*to++ = design->columns[j][i] * weights[i];
		*to++ = design->y[i] * weights[i];
	}
	for (; i < design->n + p + 1; i++)
		for (j = 0; j <= p; j++)
			*to++ = 0;
	return i;
}

bool lsq_reduce(struct lsq *lsq, const struct lsq_design *design, const double *weights)
{
	unsigned side = design->p + 1;
	size_t n = lsq_fill(lsq, design, weights);
	gsl_matrix_view rows = gsl_matrix_view_array(lsq->rows, n, side);
	double work[SIDE * SIDE];
	gsl_matrix_view factors = gsl_matrix_view_array(work, side, side);
	unsigned i, j;

	if (gsl_linalg_QR_decomp_r(&rows.matrix, &factors.matrix) != GSL_SUCCESS)
		return false;
	for (i = 0; i < side; i++)
		for (j = 0; j < side; j++)
			lsq->triangle[i][j] = j < i ? 0 : gsl_matrix_get(&rows.matrix, i, j);
	lsq->p = design->p;
	for (j = 0; j < side; j++) {
		lsq->lengths[j] = 0;
		for (i = 0; i <= j; i++)
			lsq->lengths[j] = hypot(lsq->lengths[j], lsq->triangle[i][j]);
		if (!isfinite(lsq->lengths[j]))
			return false;
	}
	return true;
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
			gsl_matrix_set(to, i, k, lsq->triangle[i][j] / lsq->lengths[j]);
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

static bool lsq_solve_subset(struct lsq *lsq, uint64_t mask, bool need_rank,
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
		b[i] = lsq->triangle[i][lsq->p];
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

bool lsq_solve(struct lsq *lsq, uint64_t mask, struct lsq_solution *ret)
{
	return mask && lsq_solve_subset(lsq, mask, true, ret);
}

bool lsq_solve_all(struct lsq *lsq, struct lsq_solution *ret)
{
	uint64_t mask = 0;
	unsigned i, j;

	for (j = 0; j < lsq->p; j++)
		for (i = 0; i <= j; i++)
			if (lsq->triangle[i][j] != 0)
				mask |= (uint64_t)1 << j;
	return mask && lsq_solve_subset(lsq, mask, false, ret);
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
				ret[i][j] -= lsq->triangle[i][k] * ret[k][j];
			ret[i][j] /= lsq->triangle[i][i];
		}
	}
	return true;
}
