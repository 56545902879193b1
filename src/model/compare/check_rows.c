/* The rows of a model and their weights; check_tests.c tests them. */
#include "check_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/data/stats.h"

/*
 * Residuals beyond FAR robust deviations are outliers, if they are at most FAR_PART of all, plus
 * chance; of a main trend's others the model says nothing.
 */
#define FAR        12.0
#define FAR_PART   0.02
#define FAR_BESIDE 0.2
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

/* In deviations. */
static double *find_distances(const struct check_rows *rows, double *ret_limit)
{
	double *away = mem_alloc((rows->n + 1) * sizeof(*away));
	double middle;
	size_t i;

	for (i = 0; i < rows->n; i++)
		away[i] = rows->residual[i] / rows->deviation[i];
	middle = stats_median(away, rows->n);
	for (i = 0; i < rows->n; i++)
		away[i] = fabs(away[i] - middle);
	*ret_limit = FAR * 1.4826 * stats_median(away, rows->n);
	return away;
}

static size_t check_leave_out_far(struct check_rows *rows, enum heuristic heuristic)
{
	const double part = heuristic == HEURISTIC_TREND ? FAR_BESIDE : FAR_PART;
	const double n = (double)rows->n;
	double limit;
	double *away = find_distances(rows, &limit);
	size_t kept = 0, far = 0;
	size_t i;

	for (i = 0; i < rows->n; i++)
		far += limit > 0 && away[i] > limit;
	if (far > n * part + FAR_ERRORS * sqrt(n * part * (1 - part)))
		far = 0;
	for (i = 0; far && i < rows->n; i++) {
		if (away[i] > limit)
			continue;
		rows->expected[kept] = rows->expected[i];
		rows->residual[kept] = rows->residual[i];
		rows->deviation[kept] = rows->deviation[i];
		rows->part[kept] = rows->part[i];
		rows->index[kept++] = rows->index[i];
	}
	rows->n = far ? kept : rows->n;
	free(away);
	return far;
}

size_t check_rows_finish(struct check_rows *rows, enum heuristic heuristic)
{
	size_t far;
	size_t i;

	rows->exact = !annotated_rows_weigh(rows->expected, rows->deviation, rows->n);
	far = check_leave_out_far(rows, heuristic);
	for (i = 0; i < rows->n; i++)
		rows->n_parts += rows->part[i];
	return far;
}
