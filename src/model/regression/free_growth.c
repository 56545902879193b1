/*
 * Profile likelihood over one number t: exp(t * u) is a power of x for u = log(x / max), and an
 * exponential for u = (x - max) / range. Rows are a few hundred, with the weights of the robust fit
 * of all fixed growths. Source: Bates and Watts, Nonlinear Regression Analysis and Its Applications
 * (1988), sections 2.1 and 6.1.
 */
#include "free_growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "score.h"

enum { ROWS_FEW = 30, STEPS = 24, HALVINGS = 24 };

/*
 * Quantile of chi-squared: 99 % with one degree of freedom; times what Student's weights of normal
 * noise take from its squares.
 */
#define INTERVAL (6.63 * 1.45)
/* Exponents, and the logarithm by which an exponential rises over the range. */
#define POWER_LEAST 0.1
#define POWER_MOST  8.0
#define RISE_LEAST  2.0
#define RISE_MOST   60.0
/* Smaller mean squares are rounding. */
#define SQUARE_MIN 1e-18
/* A number is rounded by at most this part of its interval. */
#define ROUND_PART 0.1

struct free_rows {
	size_t n;
	const double *y;
	double *weights, *u;
	double ww, wy, yy; /* sums of squares and products */
};

static void free_sum(struct free_rows *rows)
{
	size_t i;

	rows->ww = rows->wy = rows->yy = 0;
	for (i = 0; i < rows->n; i++) {
		const double weight = rows->weights[i] * rows->weights[i];

		rows->ww += weight;
		rows->wy += weight * rows->y[i];
		rows->yy += weight * rows->y[i] * rows->y[i];
	}
}

/* One line a + b exp(t u). */
struct free_line {
	double t, constant, slope, sse;
	bool has_constant;
	double score;
};

static double free_score(const struct free_rows *rows, double sse, double parameters)
{
	return rows->n * log(fmax(sse / rows->n, SQUARE_MIN)) +
	       score_penalty(parameters, (double)rows->n);
}

/* The better of the lines with and without a constant, which is not negative. */
static struct free_line free_line_at(const struct free_rows *rows, double t)
{
	struct free_line line = {.t = t}, plain = {.t = t};
	double wz = 0, zz = 0, zy = 0, determinant;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const double z = exp(t * rows->u[i]);
		const double weighted = z * rows->weights[i];

		wz += weighted * rows->weights[i];
		zz += weighted * weighted;
		zy += weighted * rows->weights[i] * rows->y[i];
	}
	plain.slope = zz > 0 ? zy / zz : 0;
	plain.sse = fmax(rows->yy - plain.slope * zy, 0);
	plain.score = free_score(rows, plain.sse, 2);
	determinant = rows->ww * zz - wz * wz;
	if (!(determinant > 1e-12 * rows->ww * zz))
		return plain;
	line.has_constant = true;
	line.constant = (rows->wy * zz - wz * zy) / determinant;
	line.slope = (rows->ww * zy - wz * rows->wy) / determinant;
	line.sse = fmax(rows->yy - line.constant * rows->wy - line.slope * zy, 0);
	line.score = free_score(rows, line.sse, 3);
	return line.constant > 0 && line.score < plain.score ? line : plain;
}

/* The best t, by steps and then halving; it is at an end only if there is none within. */
static struct free_line free_line_best(const struct free_rows *rows, double least, double most)
{
	const double step = pow(most / least, 1.0 / STEPS);
	struct free_line best = free_line_at(rows, least);
	double width = step;
	unsigned i, j;

	for (i = 1; i <= STEPS; i++) {
		const struct free_line one = free_line_at(rows, least * pow(step, i));

		if (one.score < best.score)
			best = one;
	}
	for (i = 0; i < HALVINGS; i++) {
		const double middle = best.t;

		width = sqrt(width);
		for (j = 0; j < 2; j++) {
			const struct free_line one =
				free_line_at(rows, j ? middle * width : middle / width);

			if (one.score < best.score)
				best = one;
		}
	}
	return best;
}

/* Where the likelihood falls by INTERVAL on one side of the best t, towards @end. */
static double free_bound(const struct free_rows *rows, const struct free_line *best, double end)
{
	double inside = best->t, outside = end;
	unsigned i;

	for (i = 0; i < HALVINGS; i++) {
		const double middle = (inside + outside) / 2;

		if (free_line_at(rows, middle).score < best->score + INTERVAL)
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

/*
 * Weigh rows by the noise around the line, whose level is the line itself: one of neighbours lags
 * where costs are steep.
 */
static bool free_weigh(struct free_rows *rows, const struct free_line *line, struct robust *robust,
		       struct lsq *lsq)
{
	double *columns = mem_alloc(3 * rows->n * sizeof(*columns));
	double *ones = columns + rows->n, *level = columns + 2 * rows->n;
	const struct lsq_design design = {.n = rows->n,
					  .p = line->has_constant ? 2 : 1,
					  .y = rows->y,
					  .columns = {columns, ones}};
	struct lsq_solution ignored;
	bool found;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		ones[i] = 1;
		columns[i] = exp(line->t * rows->u[i]);
		level[i] = line->constant + line->slope * columns[i];
	}
	found = robust_fit_along(robust, lsq, &design, level, &ignored);
	memcpy(rows->weights, robust->weights, rows->n * sizeof(*rows->weights));
	free(columns);
	free_sum(rows);
	return found;
}

/* Columns of all fixed growths. */
struct fixed_growths {
	struct lsq *lsq;
	const struct basis *basis;
	struct free_rows rows;
	double *columns;
	double best; /* the least score of a sum */
};

/* Evenly spaced rows of the chooser, which holds the predictor's candidate. */
static void fixed_read(const struct chooser *chooser, const struct candidate *candidate,
		       struct fixed_growths *ret)
{
	const struct basis *basis = &candidate->basis;
	const double scale = basis->features[0].scale;
	const double *x = chooser->data->predictors[candidate->predictors[0]].x;
	const size_t n = (size_t)score_rows(chooser->n);
	double *y, *weights;
	size_t i;
	unsigned j;

	ret->basis = basis;
	ret->columns = mem_alloc(size_product((basis->n_terms + 3) * sizeof(double), n));
	y = ret->columns + basis->n_terms * n;
	weights = y + n;
	ret->rows = (struct free_rows){.n = n, .y = y, .weights = weights, .u = weights + n};
	for (i = 0; i < n; i++) {
		const size_t row = i * chooser->n / n;
		const double part = x[chooser->rows[row]] / scale;

		y[i] = chooser->y[row];
		weights[i] = chooser->robust->weights[row];
		ret->rows.u[i] = part;
		for (j = 0; j < basis->n_terms; j++)
			ret->columns[j * n + i] = chooser->columns[j][row];
	}
	free_sum(&ret->rows);
}

static void fixed_try(struct fixed_growths *fixed, uint64_t mask)
{
	struct lsq_solution solution;

	if (lsq_solve(fixed->lsq, mask, &solution))
		fixed->best = fmin(fixed->best, free_score(&fixed->rows, solution.sse,
							   __builtin_popcountll(mask)));
}

static bool fixed_judge(struct chooser *chooser, struct fixed_growths *fixed)
{
	struct lsq_design design = {
		.n = fixed->rows.n, .p = fixed->basis->n_terms, .y = fixed->rows.y};
	const size_t n = basis_models(fixed->basis, chooser->models);
	size_t i;
	unsigned j;

	for (j = 0; j < fixed->basis->n_terms; j++)
		design.columns[j] = fixed->columns + j * design.n;
	if (!lsq_reduce(fixed->lsq, &design, fixed->rows.weights))
		return false;
	fixed->best = INFINITY;
	for (i = 0; i < n; i++)
		fixed_try(fixed, chooser->models[i]);
	return isfinite(fixed->best);
}

/* Is the line better than all fixed growths beyond chance? */
static bool free_is_better(const struct fixed_growths *fixed, const struct free_line *line)
{
	return line->slope > 0 && line->score + SCORE_CLEARLY < fixed->best;
}

/* The number with the fewest digits near @number, of those that @low and @high leave. */
static double free_round(double number, double low, double high)
{
	double unit = 1;
	double rounded = rint(number);

	while (!(fabs(rounded - number) <= ROUND_PART * (high - low)) && unit < 1e6) {
		unit *= 10;
		rounded = rint(number * unit) / unit;
	}
	return rounded;
}

static bool is_within(double number, double low, double high)
{
	return low <= number && number <= high;
}

/* Does the interval hold the power of a fixed growth? */
static bool holds_fixed(double low, double high)
{
	enum growth growth;

	for (growth = GROWTH_CONSTANT; growth < GROWTH_FIXED; growth++)
		if (is_within(growth_info(growth)->power, low, high))
			return true;
	return false;
}

/* A whole or half exponent, or the base 2, is it if the interval holds it. */
static double free_number(enum growth growth, double number, double low, double high)
{
	const double known = growth == GROWTH_POWER ? rint(2 * number) / 2 : 2;

	return is_within(known, low, high) ? known : free_round(number, low, high);
}

static void free_set(struct candidate *candidate, enum growth growth, const struct free_line *line,
		     double number)
{
	candidate->basis.features[0].power = candidate->basis.features[0].base = number;
	basis_init_free(&candidate->basis, growth);
	candidate->mask = line->has_constant ? 3 : 2;
	memset(candidate->coefficients, 0, sizeof(candidate->coefficients));
	candidate->coefficients[0] = line->constant;
	candidate->coefficients[1] = line->slope;
}

/* What t is of. */
struct free_kind {
	enum growth growth;
	double least, most;
	double unit; /* t is so many times the exponent, or the logarithm of the base */
};

static void free_set_kind(struct fixed_growths *fixed, const double *parts,
			  const struct free_kind *kind)
{
	const struct basis_feature *x = &fixed->basis->features[0];
	size_t i;

	for (i = 0; i < fixed->rows.n; i++)
		fixed->rows.u[i] = kind->growth == GROWTH_POWER
					   ? log(parts[i])
					   : (parts[i] * x->scale - x->max) / kind->unit;
}

/* The interval of a line that is better than all fixed growths, and the candidate, in @ret. */
static bool free_take(const struct fixed_growths *fixed, const struct free_kind *kind,
		      const struct free_line *line, struct candidate *ret)
{
	const bool is_power = kind->growth == GROWTH_POWER;
	const double low = free_bound(&fixed->rows, line, kind->least) / kind->unit;
	const double high = free_bound(&fixed->rows, line, kind->most) / kind->unit;
	const double number = line->t / kind->unit;

	if (is_power && holds_fixed(low, high))
		return false;
	ret->free_low = is_power ? low : exp(low);
	ret->free_high = is_power ? high : exp(high);
	free_set(ret, kind->growth, line,
		 free_number(kind->growth, is_power ? number : exp(number), ret->free_low,
			     ret->free_high));
	return true;
}

/* The likelier kind, first with the weights of the fixed growths, then with its own. */
static bool free_choose(struct chooser *chooser, struct fixed_growths *fixed, const double *parts,
			struct candidate *ret)
{
	const struct basis_feature *x = &fixed->basis->features[0];
	const struct free_kind kinds[] = {
		{GROWTH_EXPONENTIAL, RISE_LEAST, RISE_MOST, x->max - x->min},
		{GROWTH_POWER, POWER_LEAST, POWER_MOST, 1}};
	const struct free_kind *kind = NULL;
	struct free_line best = {.score = INFINITY};
	size_t i;

	for (i = 0; i < (x->min < 0 ? 1 : 2); i++) {
		struct free_line line;

		free_set_kind(fixed, parts, &kinds[i]);
		line = free_line_best(&fixed->rows, kinds[i].least, kinds[i].most);
		if (line.score >= best.score)
			continue;
		best = line;
		kind = &kinds[i];
	}
	if (!kind || !free_is_better(fixed, &best))
		return false;
	free_set_kind(fixed, parts, kind);
	if (!free_weigh(&fixed->rows, &best, chooser->robust, fixed->lsq) ||
	    !fixed_judge(chooser, fixed))
		return false;
	best = free_line_best(&fixed->rows, kind->least, kind->most);
	return free_is_better(fixed, &best) && best.t > kind->least && best.t < kind->most &&
	       free_take(fixed, kind, &best, ret);
}

static bool free_find(struct chooser *chooser, const struct candidate *candidate,
		      struct candidate *ret)
{
	struct fixed_growths fixed = {.lsq = lsq_create()};
	bool found;
	double *parts;

	*ret = *candidate;
	fixed_read(chooser, candidate, &fixed);
	parts = mem_alloc(fixed.rows.n * sizeof(double));
	memcpy(parts, fixed.rows.u, fixed.rows.n * sizeof(double));
	found = fixed_judge(chooser, &fixed) && free_choose(chooser, &fixed, parts, ret);
	free(parts);
	free(fixed.columns);
	lsq_destroy(fixed.lsq);
	return found;
}

bool free_growth_find(const struct dataset *data, size_t predictor, struct candidate *ret)
{
	struct chooser *chooser = candidate_chooser_create(data);
	struct candidate candidate;
	const bool found = data->predictors[predictor].distinct == DISTINCT_MAX &&
			   candidate_evaluate(chooser, &predictor, 1, false, &candidate) &&
			   chooser->n >= ROWS_FEW && free_find(chooser, &candidate, ret);

	candidate_chooser_destroy(chooser);
	return found;
}
