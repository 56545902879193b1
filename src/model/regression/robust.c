/*
 * Student-t regression by iteratively reweighted least squares on lsq.c, and the spread of noise by
 * level.
 */
#include "robust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "model/data/lanes.h"

enum {
	BIN_ROWS = 15, /* for a meaningful median; smaller bins for few rows */
	BIN_ROWS_FEW = 6,
	BINS_FEW = 5,
	LEVEL_ROWS = 20, /* below: a constant level */
	BINS_MAX = 20,
	PHIS = 4, /* of the grid */
	PHIS_FREE = 7,
	ROUNDS_TRIAL = 2,
	ROUNDS = 8,
	SCALE_ROUNDS = 8,
	MEDIAN_ROWS = 256,
	THIN_ROWS = 400,
	THIN_FROM = 2 * THIN_ROWS, /* rows for which some are tried first */
};

/* Metrics are scaled to at most 1; smaller residuals are rounding. */
#define SCALE_MIN 1e-9
#define CONVERGED 1e-6
/* The squared scale changes less than by this part: no more steps. */
#define SCALE_SETTLED 1e-5

struct robust *robust_create(size_t rows_max)
{
	struct robust *robust = mem_alloc(sizeof(*robust));

	robust->rows_max = rows_max;
	robust->spread = mem_alloc(5 * rows_max * sizeof(double));
	robust->weights = robust->spread + rows_max;
	robust->fitted = robust->weights + rows_max;
	robust->residual = robust->fitted + rows_max;
	robust->scratch = robust->residual + rows_max;
	if (rows_max >= THIN_FROM)
		robust->thin = robust_create(THIN_ROWS);
	return robust;
}

void robust_destroy(struct robust *robust)
{
	if (!robust)
		return;
	free(robust->spread);
	free(robust->level);
	free(robust->order);
	free(robust->thin_columns);
	robust_destroy(robust->thin);
	free(robust);
}

struct bins {
	size_t n;
	double centre[BINS_MAX + 1];
	double median[BINS_MAX + 1];
};

/* Cut the rows into bins of equal size by key; equal keys share a bin. */
static void make_bins(struct robust *robust, const double *y, size_t n, struct bins *bins)
{
	const size_t few = n / BINS_FEW > BIN_ROWS_FEW ? n / BINS_FEW : BIN_ROWS_FEW;
	const size_t rows = few < BIN_ROWS ? few : BIN_ROWS;
	size_t count = n / rows < BINS_MAX ? n / rows : BINS_MAX;
	size_t start = 0;
	size_t i;

	bins->n = 0;
	while (start < n) {
		size_t end = start + n / count;

		if (end + n / count / 2 > n)
			end = n;
		while (end < n && robust->order[end].x == robust->order[end - 1].x)
			end++;
		for (i = start; i < end; i++)
			robust->scratch[i - start] = y[robust->order[i].row];
		bins->centre[bins->n] = robust->order[(start + end) / 2].x;
		bins->median[bins->n++] = gsl_stats_median(robust->scratch, 1, end - start);
		start = end;
	}
}

static double interpolate(const struct bins *bins, size_t *at, double key)
{
	double part;

	while (*at + 1 < bins->n && bins->centre[*at + 1] <= key)
		++*at;
	if (key <= bins->centre[*at] || *at + 1 == bins->n)
		return bins->median[*at];
	part = (key - bins->centre[*at]) / (bins->centre[*at + 1] - bins->centre[*at]);
	return bins->median[*at] + part * (bins->median[*at + 1] - bins->median[*at]);
}

/* Constants need neither level nor order. */
static void need_level(struct robust *robust)
{
	if (robust->level)
		return;
	robust->level = mem_alloc(robust->rows_max * sizeof(*robust->level));
	robust->order = mem_alloc(2 * robust->rows_max * sizeof(*robust->order));
}

/* The level is there; @n_phis: the choices of phi. */
static void robust_take_level(struct robust *robust, size_t n, unsigned n_phis)
{
	size_t i;

	for (i = 0; i < n; i++)
		robust->scratch[i] = fabs(robust->level[i]);
	robust->typical = gsl_stats_median(robust->scratch, 1, n);
	robust->n_phis = n_phis;
}

/* The running median of @y in the order of @key. */
static void robust_find_level(struct robust *robust, const double *key, const double *y, size_t n)
{
	struct bins bins;
	size_t at = 0;
	size_t i;

	need_level(robust);
	for (i = 0; i < n; i++)
		robust->order[i] = (struct row_key){key[i], i};
	row_order_sort(robust->order, n, robust->order + n);
	make_bins(robust, y, n, &bins);
	for (i = 0; i < n; i++)
		robust->level[robust->order[i].row] = interpolate(&bins, &at, robust->order[i].x);
	robust_take_level(robust, n, PHIS);
}

LANES static void set_spread(struct robust *robust, size_t n, double phi)
{
	const double floor = phi * robust->typical;
	size_t i;

	if (!isfinite(phi) || !(robust->typical > 0)) {
		for (i = 0; i < n; i++)
			robust->spread[i] = 1;
		return;
	}
	for (i = 0; i < n; i++)
		robust->spread[i] = sqrt(robust->level[i] * robust->level[i] + floor * floor);
}

/* The median of a few hundred values: where the search for a scale begins. */
static double rough_median(const struct robust *robust, size_t n)
{
	const size_t step = n / MEDIAN_ROWS + 1;
	double some[MEDIAN_ROWS + 1];
	size_t m = 0;
	size_t i;

	for (i = step / 2; i < n; i += step)
		some[m++] = robust->scratch[i];
	return gsl_stats_median(some, 1, m);
}

static LANES_INLINE void add_losses(double *sums, const double *squares, double freedom)
{
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++)
		sums[i] += squares[i] / (freedom + squares[i]);
}

/* One step of the squared scale; the scratch has residual squares over the squared spread. */
static LANES_INLINE double scale_step(const double *squares, size_t n, double scale)
{
	const double freedom = ROBUST_FREEDOM * scale;
	lanes_row sums = {0}, some;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		add_losses(sums, squares + i, freedom);
	lanes_load_some(squares + i, n - i, 0, some);
	add_losses(sums, some, freedom);
	return (ROBUST_FREEDOM + 1) * scale * lanes_total(sums) / n;
}

/*
 * Maximum-likelihood scale of the present residuals, from @start, or from their median if that is
 * 0. Leaves residual squares, over the squared spread, in the scratch.
 */
LANES static double find_scale(struct robust *robust, size_t n, double start)
{
	double square = start * start;
	unsigned round;
	size_t i;

	for (i = 0; i < n; i++) {
		const double z = robust->residual[i] / robust->spread[i];

		robust->scratch[i] = z * z;
	}
	if (!(start > SCALE_MIN))
		square = 1.4826 * 1.4826 * rough_median(robust, n);
	if (!(square > SCALE_MIN * SCALE_MIN))
		square = lanes_sum(robust->scratch, n) / n;
	for (round = 0; round < SCALE_ROUNDS && square > SCALE_MIN * SCALE_MIN; round++) {
		const double next = scale_step(robust->scratch, n, square);
		const bool settled = fabs(next - square) <= SCALE_SETTLED * square;

		square = next;
		if (settled)
			break;
	}
	return fmax(sqrt(square), SCALE_MIN);
}

static LANES_INLINE void add_logs(struct lanes_logs *logs, const double *squares, double part)
{
	lanes_row some;
	unsigned i;

	for (i = 0; i < LANES_WIDE; i++)
		some[i] = 1 + squares[i] * part;
	lanes_logs_add(logs, some);
}

/* The sum of log(1 + square / (freedom * scale^2)) over the scratch. */
static LANES_INLINE double sum_of_losses(const double *squares, size_t n, double scale)
{
	const double part = 1 / (ROBUST_FREEDOM * scale * scale);
	struct lanes_logs logs;
	lanes_row some;
	size_t i;

	lanes_logs_init(&logs);
	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE)
		add_logs(&logs, squares + i, part);
	lanes_load_some(squares + i, n - i, 0, some);
	add_logs(&logs, some, part);
	return lanes_logs_total(&logs, i + LANES_WIDE);
}

LANES static void update_scale(struct robust *robust, size_t n, double start)
{
	robust->scale = find_scale(robust, n, start);
	robust->deviance = 2 * (n * log(robust->scale) + lanes_sum_of_logs(robust->spread, n)) +
			   (ROBUST_FREEDOM + 1) * sum_of_losses(robust->scratch, n, robust->scale);
}

LANES static void update_weights(struct robust *robust, size_t n)
{
	const double part = 1 / robust->scale;
	size_t i;

	for (i = 0; i < n; i++) {
		const double z = robust->residual[i] / robust->spread[i] * part;

		robust->weights[i] = sqrt(student_weight(z * z)) / robust->spread[i];
	}
}

LANES static void find_residuals(struct robust *robust, const struct lsq_design *design,
				 const struct lsq_solution *solution)
{
	size_t i;
	unsigned j;

	memset(robust->fitted, 0, design->n * sizeof(*robust->fitted));
	for (j = 0; j < design->p; j++) {
		const double coefficient = solution->coefficients[j];
		const double *column = design->columns[j];

		if (coefficient == 0)
			continue;
		for (i = 0; i < design->n; i++)
			robust->fitted[i] += coefficient * column[i];
	}
	for (i = 0; i < design->n; i++)
		robust->residual[i] = design->y[i] - robust->fitted[i];
}

void robust_judge(struct robust *robust, const struct lsq_design *design,
		  const struct lsq_solution *solution)
{
	find_residuals(robust, design, solution);
	update_scale(robust, design->n, 0);
}

bool robust_refine(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		   unsigned rounds, struct lsq_solution *ret)
{
	struct lsq_solution solution;
	double before = INFINITY;
	unsigned round;

	for (round = 0; round < rounds; round++) {
		if (!lsq_reduce(lsq, design, robust->weights) || !lsq_solve_all(lsq, &solution))
			return false;
		find_residuals(robust, design, &solution);
		update_scale(robust, design->n, round ? robust->scale : 0);
		if (fabs(before - robust->deviance) <= CONVERGED * design->n)
			break;
		before = robust->deviance;
		if (round + 1 < rounds)
			update_weights(robust, design->n);
	}
	*ret = solution;
	return true;
}

/* Start from the level, which is robust. */
static void robust_start(struct robust *robust, const struct lsq_design *design, double phi)
{
	size_t i;

	set_spread(robust, design->n, phi);
	for (i = 0; i < design->n; i++)
		robust->residual[i] = design->y[i] - robust->level[i];
	update_scale(robust, design->n, 0);
	update_weights(robust, design->n);
}

/* A level that neighbours have is not known to less than a few hundredths. */
static const double grid[PHIS_FREE] = {INFINITY, 0.5, 0.1, 0.03, 1e-3, 1e-5, 1e-7};

/* The phi that fits @design best, and, with its spread, its solution. */
static bool choose_phi(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		       double *phi, struct lsq_solution *ret)
{
	struct lsq_solution solution;
	double best = INFINITY;
	size_t i;

	*phi = INFINITY;
	for (i = 0; i < robust->n_phis; i++) {
		robust_start(robust, design, grid[i]);
		if (!robust_refine(robust, lsq, design, ROUNDS_TRIAL, &solution))
			continue;
		if (robust->deviance < best) {
			best = robust->deviance;
			*phi = grid[i];
			*ret = solution;
		}
	}
	return isfinite(best);
}

/* THIN_ROWS of the rows of @design, evenly spaced, and their level. */
static struct lsq_design thin_out(struct robust *robust, const struct lsq_design *design)
{
	struct lsq_design thin = {.n = THIN_ROWS, .p = design->p};
	double *to;
	unsigned j;
	size_t i;

	robust->thin_columns = mem_grow(robust->thin_columns, &robust->thin_capacity,
					(design->p + 1) * THIN_ROWS, sizeof(*robust->thin_columns));
	to = robust->thin_columns;
	for (j = 0; j <= design->p; j++, to += THIN_ROWS) {
		const double *from = j < design->p ? design->columns[j] : design->y;

		for (i = 0; i < THIN_ROWS; i++)
			to[i] = from[i * design->n / THIN_ROWS];
		if (j < design->p)
			thin.columns[j] = to;
		else
			thin.y = to;
	}
	need_level(robust->thin);
	for (i = 0; i < THIN_ROWS; i++)
		robust->thin->level[i] = robust->level[i * design->n / THIN_ROWS];
	robust->thin->typical = robust->typical;
	robust->thin->n_phis = robust->n_phis;
	return thin;
}

/* Of many rows, some choose phi and give the first solution. */
static bool start_thin(struct robust *robust, struct lsq *lsq, const struct lsq_design *design)
{
	const struct lsq_design thin = thin_out(robust, design);
	struct lsq_solution solution;
	double phi;

	if (!choose_phi(robust->thin, lsq, &thin, &phi, &solution))
		return false;
	set_spread(robust, design->n, phi);
	find_residuals(robust, design, &solution);
	update_scale(robust, design->n, 0);
	update_weights(robust, design->n);
	return true;
}

/* Start from the median: all rows count alike. */
static void start_even(struct robust *robust, const struct lsq_design *design)
{
	double median;
	size_t i;

	memcpy(robust->scratch, design->y, design->n * sizeof(*design->y));
	median = gsl_stats_median(robust->scratch, 1, design->n);
	set_spread(robust, design->n, INFINITY);
	for (i = 0; i < design->n; i++) {
		robust->residual[i] = design->y[i] - median;
		robust->weights[i] = 1;
	}
	update_scale(robust, design->n, 0);
}

bool robust_fit(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		const double *key, struct lsq_solution *ret)
{
	struct lsq_solution solution;
	double phi;

	if (!key || design->n < LEVEL_ROWS) {
		start_even(robust, design);
	} else {
		robust_find_level(robust, key, design->y, design->n);
		if (design->n < THIN_FROM || !start_thin(robust, lsq, design)) {
			choose_phi(robust, lsq, design, &phi, &solution);
			robust_start(robust, design, phi);
		}
	}
	return robust_refine(robust, lsq, design, ROUNDS, ret);
}

bool robust_fit_along(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		      const double *level, struct lsq_solution *ret)
{
	double phi;

	need_level(robust);
	memcpy(robust->level, level, design->n * sizeof(*level));
	robust_take_level(robust, design->n, PHIS_FREE);
	choose_phi(robust, lsq, design, &phi, ret);
	robust_start(robust, design, phi);
	return robust_refine(robust, lsq, design, ROUNDS, ret);
}

static bool are_same(const double *values, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

void robust_measure(struct robust *robust, const double *y, const double *fitted, size_t n)
{
	double best = INFINITY, phi = INFINITY;
	size_t i;

	for (i = 0; i < n; i++) {
		robust->fitted[i] = fitted[i];
		robust->residual[i] = y[i] - fitted[i];
	}
	if (n >= LEVEL_ROWS && !are_same(fitted, n)) {
		robust_find_level(robust, fitted, y, n);
		for (i = 0; i < robust->n_phis; i++) {
			set_spread(robust, n, grid[i]);
			update_scale(robust, n, 0);
			phi = robust->deviance < best ? grid[i] : phi;
			best = fmin(best, robust->deviance);
		}
	}
	set_spread(robust, n, phi);
	update_scale(robust, n, 0);
}
