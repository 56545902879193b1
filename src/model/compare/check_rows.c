/* The rows of a model and their weights; check_tests.c tests them. */
#include "check_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/regression/far_rows.h"

/* Standard errors of a share by chance. */
#define FAR_ERRORS 3.0

void check_rows_init(struct check_rows *rows, struct arena *arena, size_t capacity)
{
	*rows = (struct check_rows){
		.expected = arena_array(arena, double, capacity + 1),
		.residual = arena_array(arena, double, capacity + 1),
		.deviation = arena_array(arena, double, capacity + 1),
		.part = arena_array(arena, double, capacity + 1),
		.index = arena_array(arena, size_t, capacity + 1),
	};
}

void check_rows_add(struct check_rows *rows, size_t index, double cost, double mean,
		    double deviation, double part)
{
	rows->expected[rows->n] = mean;
	rows->residual[rows->n] = cost - mean;
	rows->deviation[rows->n] = deviation;
	rows->part[rows->n] = part;
	rows->index[rows->n++] = index;
}

/* A constant's far calls are far from the centre of the others, which its mean is not. */
static void measure_around_centre(struct robust *robust, const double *y, const double *ones,
				  size_t n)
{
	struct lsq *lsq = lsq_create();
	const struct lsq_design design = {.n = n, .p = 1, .y = y, .columns = {ones}};
	struct lsq_solution ignored;

	robust_fit(robust, lsq, &design, NULL, &ignored);
	lsq_destroy(lsq);
}

/* As calls were left out of the model: by the noise of all of them. */
static size_t find_far(const struct check_rows *rows, bool constant, double resolution, bool *ret)
{
	struct robust *robust = robust_create(rows->n);
	double *y = mem_alloc(2 * rows->n * sizeof(*y));
	double *fitted = y + rows->n;
	double most = 0;
	size_t far, i;

	for (i = 0; i < rows->n; i++)
		most = fmax(most, fabs(rows->expected[i] + rows->residual[i]));
	for (i = 0; i < rows->n; i++) {
		fitted[i] = most > 0 ? rows->expected[i] / most : 0;
		y[i] = most > 0 ? fitted[i] + rows->residual[i] / most : 0;
		fitted[i] = constant ? 1 : fitted[i];
	}
	if (constant)
		measure_around_centre(robust, y, fitted, rows->n);
	else
		robust_measure(robust, y, fitted, rows->n);
	far = far_rows_find(robust, rows->n, most > 0 ? resolution / most : 0, ret);
	free(y);
	robust_destroy(robust);
	return far <= fmax(FAR_ROWS_FEW * rows->n, 1) ? far : 0;
}

/* Calls @scales deviations away from a trend, or above a mode, if they are @most of all. */
static size_t find_beyond(const struct check_rows *rows, double scales, bool above, double most,
			  bool *ret)
{
	const double n = (double)rows->n;
	size_t far = 0;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const double away = rows->residual[i] / rows->deviation[i];

		ret[i] = (above ? away : fabs(away)) > scales;
		far += ret[i];
	}
	return far <= n * most + FAR_ERRORS * sqrt(n * most * (1 - most)) ? far : 0;
}

static bool is_constant(const struct formula *mean)
{
	return !mean->n_terms || (mean->n_terms == 1 && !mean->terms[0].n_factors);
}

static size_t check_leave_out_far(struct check_rows *rows, const struct model *model,
				  bool of_mixture, double resolution)
{
	bool *is_far = mem_alloc((rows->n + 1) * sizeof(*is_far));
	size_t kept = 0, far;
	size_t i;

	if (of_mixture)
		far = find_beyond(rows, FAR_ROWS_ABOVE, true, FAR_ROWS_OF_NONE, is_far);
	else if (model->heuristic == HEURISTIC_TREND)
		far = find_beyond(rows, FAR_ROWS_SCALES, false, FAR_ROWS_BESIDE, is_far);
	else
		far = find_far(rows, is_constant(&model->mean), resolution, is_far);
	for (i = 0; far && i < rows->n; i++) {
		if (is_far[i])
			continue;
		rows->expected[kept] = rows->expected[i];
		rows->residual[kept] = rows->residual[i];
		rows->deviation[kept] = rows->deviation[i];
		rows->part[kept] = rows->part[i];
		rows->index[kept++] = rows->index[i];
	}
	rows->n = far ? kept : rows->n;
	free(is_far);
	return far;
}

size_t check_rows_finish(struct check_rows *rows, const struct annotation_case *in,
			 const struct model *model, double resolution)
{
	size_t far;
	size_t i;

	rows->exact = !annotated_rows_weigh(rows->expected, rows->deviation, rows->n);
	far = check_leave_out_far(rows, model, in->n_models > 1, resolution);
	for (i = 0; i < rows->n; i++)
		rows->n_parts += rows->part[i];
	return far;
}
