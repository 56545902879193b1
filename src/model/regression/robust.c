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

enum {
	BIN_ROWS = 15, /* for a meaningful median; smaller bins for few rows */
	BIN_ROWS_FEW = 6,
	BINS_FEW = 5,
	LEVEL_ROWS = 20, /* below: a constant level */
	BINS_MAX = 20,
	ROUNDS_TRIAL = 2,
	ROUNDS = 8,
	SCALE_ROUNDS = 8,
};

/* Metrics are scaled to at most 1; smaller residuals are rounding. */
#define SCALE_MIN 1e-9
#define CONVERGED 1e-6

struct robust *robust_create(size_t rows_max)
{
	struct robust *robust = mem_alloc(sizeof(*robust));

	robust->level = mem_alloc(6 * rows_max * sizeof(double));
	robust->spread = robust->level + rows_max;
	robust->weights = robust->spread + rows_max;
	robust->fitted = robust->weights + rows_max;
	robust->residual = robust->fitted + rows_max;
	robust->scratch = robust->residual + rows_max;
	robust->index = mem_alloc(rows_max * sizeof(*robust->index));
	return robust;
}

void robust_destroy(struct robust *robust)
{
	if (!robust)
		return;
	free(robust->level);
	free(robust->index);
	free(robust);
}

static int robust_compare_keys(const void *a, const void *b, void *context)
{
	const double *key = context;
	size_t left = *(const size_t *)a;
	size_t right = *(const size_t *)b;

	if (key[left] != key[right])
		return key[left] < key[right] ? -1 : 1;
	return (left > right) - (left < right);
}

struct bins {
	size_t n;
	double centre[BINS_MAX + 1];
	double median[BINS_MAX + 1];
};

/* Cut the rows into bins of equal size by @key; equal keys share a bin. */
static void make_bins(struct robust *robust, const double *key, const double *y, size_t n,
		      struct bins *bins)
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
		while (end < n && key[robust->index[end]] == key[robust->index[end - 1]])
			end++;
		for (i = start; i < end; i++)
			robust->scratch[i - start] = y[robust->index[i]];
		bins->centre[bins->n] = key[robust->index[(start + end) / 2]];
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

/* The running median of @y in the order of @key. */
static void robust_find_level(struct robust *robust, const double *key, const double *y, size_t n)
{
	struct bins bins;
	size_t at = 0;
	size_t i;

	for (i = 0; i < n; i++)
		robust->index[i] = i;
	qsort_r(robust->index, n, sizeof(*robust->index), robust_compare_keys, (void *)key);
	make_bins(robust, key, y, n, &bins);
	for (i = 0; i < n; i++)
		robust->level[robust->index[i]] = interpolate(&bins, &at, key[robust->index[i]]);
}

static void set_spread(struct robust *robust, size_t n, double phi)
{
	double typical = 0;
	size_t i;

	if (isfinite(phi)) {
		for (i = 0; i < n; i++)
			robust->scratch[i] = fabs(robust->level[i]);
		typical = gsl_stats_median(robust->scratch, 1, n);
	}
	for (i = 0; i < n; i++)
		robust->spread[i] = typical > 0 ? hypot(robust->level[i], phi * typical) : 1;
}

/* Maximum-likelihood scale of the present residuals. */
static double find_scale(struct robust *robust, size_t n)
{
	double scale, sum = 0;
	unsigned round;
	size_t i;

	for (i = 0; i < n; i++) {
		robust->scratch[i] = fabs(robust->residual[i]) / robust->spread[i];
		sum += robust->scratch[i] * robust->scratch[i];
	}
	scale = 1.4826 * gsl_stats_median(robust->scratch, 1, n);
	if (!(scale > SCALE_MIN))
		scale = sqrt(sum / n);
	for (round = 0; round < SCALE_ROUNDS && scale > SCALE_MIN; round++) {
		sum = 0;
		for (i = 0; i < n; i++) {
			double z = robust->residual[i] / robust->spread[i];
			double square = z * z / (scale * scale);

			sum += z * z * (ROBUST_FREEDOM + 1) / (ROBUST_FREEDOM + square);
		}
		scale = sqrt(sum / n);
	}
	return fmax(scale, SCALE_MIN);
}

static void update_scale(struct robust *robust, size_t n)
{
	double sum = 0;
	size_t i;

	robust->scale = find_scale(robust, n);
	for (i = 0; i < n; i++) {
		double z = robust->residual[i] / robust->spread[i] / robust->scale;

		sum += 2 * log(robust->scale * robust->spread[i]) + student_loss(z * z);
	}
	robust->deviance = sum;
}

static void update_weights(struct robust *robust, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		double z = robust->residual[i] / robust->spread[i] / robust->scale;

		robust->weights[i] = sqrt(student_weight(z * z)) / robust->spread[i];
	}
}

void robust_judge(struct robust *robust, const struct lsq_design *design,
		  const struct lsq_solution *solution)
{
	size_t i;
	unsigned j;

	memset(robust->fitted, 0, design->n * sizeof(*robust->fitted));
	for (j = 0; j < design->p; j++) {
		if (solution->coefficients[j] == 0)
			continue;
		for (i = 0; i < design->n; i++)
			robust->fitted[i] += solution->coefficients[j] * design->columns[j][i];
	}
	for (i = 0; i < design->n; i++)
		robust->residual[i] = design->y[i] - robust->fitted[i];
	update_scale(robust, design->n);
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
		robust_judge(robust, design, &solution);
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
	update_scale(robust, design->n);
	update_weights(robust, design->n);
}

/* The choices of phi. */
static const double grid[] = {INFINITY, 0.5, 0.1, 0.03};

static double choose_phi(struct robust *robust, struct lsq *lsq, const struct lsq_design *design)
{
	struct lsq_solution solution;
	double best = INFINITY;
	double phi = INFINITY;
	size_t i;

	for (i = 0; i < sizeof(grid) / sizeof(*grid); i++) {
		robust_start(robust, design, grid[i]);
		if (!robust_refine(robust, lsq, design, ROUNDS_TRIAL, &solution))
			continue;
		if (robust->deviance < best) {
			best = robust->deviance;
			phi = grid[i];
		}
	}
	return phi;
}

bool robust_fit(struct robust *robust, struct lsq *lsq, const struct lsq_design *design,
		const double *key, struct lsq_solution *ret)
{
	double phi = INFINITY;
	size_t i;

	if (key && design->n >= LEVEL_ROWS) {
		robust_find_level(robust, key, design->y, design->n);
		phi = choose_phi(robust, lsq, design);
	} else {
		memcpy(robust->scratch, design->y, design->n * sizeof(*design->y));
		robust->level[0] = gsl_stats_median(robust->scratch, 1, design->n);
		for (i = 1; i < design->n; i++)
			robust->level[i] = robust->level[0];
	}
	robust_start(robust, design, phi);
	if (!key || design->n < LEVEL_ROWS)
		for (i = 0; i < design->n; i++)
			robust->weights[i] = 1;
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
		for (i = 0; i < sizeof(grid) / sizeof(*grid); i++) {
			set_spread(robust, n, grid[i]);
			update_scale(robust, n);
			phi = robust->deviance < best ? grid[i] : phi;
			best = fmin(best, robust->deviance);
		}
	}
	set_spread(robust, n, phi);
	update_scale(robust, n);
}
