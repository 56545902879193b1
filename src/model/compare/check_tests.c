/*
 * The tests of one model's calls; check_samples.c and check_rows.c choose and weigh them.
 *
 * Residuals are divided by the expected deviation: where noise grows with the cost, a small call
 * then says as much as a large one.
 */
#include "check_state.h"
#include "run_shape.h"
#include "core/samples/samples_load.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/data/stats.h"
#include "model/regression/far_rows.h"
#include "model/regression/fit.h"

/* With less relative variation of the expected costs there is no slope. */
#define VARIES 0.05

/* The null's difference, in parts of the tolerance; the observed one must exceed all of it. */
#define BORDER 0.5

/*
 * The model's own error that BORDER absorbs, in parts of the tolerance, if nothing changed: z *
 * hypot(a, b - c) + z * c >= z * hypot(a, b) for all z up to 4.
 */
#define COVERED 0.125

/* A spread below this part of the tolerance of the cost does not count. */
#define SPREAD_LEAST 0.1

/*
 * For normal noise: deviation over median distance, and the standard error of its logarithm times
 * the root of the number.
 */
#define MEDIAN_TO_DEVIATION 1.4826
#define ROBUST_ERROR        1.166

struct check_test *check_tests_add(struct check_state *checker, enum check_kind kind,
				   const struct annotation_case *in, double n)
{
	struct check *check = checker->check;

	check->tests = mem_grow(check->tests, &check->tests_capacity, check->n_tests + 1,
				sizeof(*check->tests));
	check->tests[check->n_tests] = (struct check_test){.kind = kind,
							   .annotation = checker->annotation,
							   .in = in,
							   .n = (size_t)lround(n),
							   .p = 1};
	return &check->tests[check->n_tests++];
}

/* The standard error of a difference, of the samples and of the model. */
static double away_error(const struct check_away *difference)
{
	const double of_model =
		difference->n_model
			? difference->error * sqrt(difference->n / (double)difference->n_model)
			: 0;

	return hypot(difference->error, fmax(of_model - COVERED * difference->tolerance, 0));
}

/* The p-value by calls. */
static double away_chance(const struct check_away *difference)
{
	const double tolerance = difference->tolerance;

	if (fabs(difference->away) <= fmax(tolerance, difference->least))
		return 1;
	return stats_chance(difference->away, fmax(BORDER * tolerance, difference->least),
			    away_error(difference), difference->n - 2);
}

/* What runs say of a difference that calls are certain of, unless they are. */
static void judge_runs(const struct check_state *checker, const struct check_away *difference,
		       struct check_test *test)
{
	const double away = difference->away / difference->whole;
	const double error = away_error(difference) / difference->whole;

	test->spread = checker->spread;
	test->p_runs = test->p;
	if ((metric_is_exact(checker->annotation->metric) && !(checker->spread.error > 0)) ||
	    !isfinite(away) || test->p >= 1)
		return;
	test->p_runs = run_effect_chance(&checker->spread, away, error, difference->n - 2);
	test->p_runs = fmax(test->p_runs, run_shape_chance(checker->sides, &checker->spread, away));
	test->enough = run_effect_enough(&checker->spread, away, error, checker->options->alpha);
}

void check_tests_spread(struct check_state *checker, const struct run_rows *rows)
{
	const bool exact = metric_is_exact(checker->annotation->metric);
	const struct annotation *annotation = checker->annotation;
	const bool is_known = annotation->n_runs > 1 && annotation->run_deviation >= 0;
	struct run_means *sides = checker->sides;
	struct machine_load load;

	sides[0] = (struct run_means){.n = is_known ? annotation->n_runs : 1,
				      .deviation = annotation->run_deviation};
	run_effect_means(rows, checker->arena, &sides[1]);
	run_effect_find(sides, exact ? 0 : checker->options->run_spread, &checker->spread);
	run_shape_find(sides, &checker->spread);
	load = samples_load(checker->annotated.samples);
	if (!exact)
		run_effect_add_load(&checker->spread, &annotation->load, &load);
}

void check_tests_judge(const struct check_state *checker, const struct check_away *difference,
		       struct check_test *test)
{
	test->p = away_chance(difference);
	judge_runs(checker, difference, test);
}

/* The term whose change explains the residuals best; the first of about equal ones. */
static void find_term(const struct check_state *checker, const struct model *model,
		      const struct check_rows *rows, struct check_test *test)
{
	double *x = mem_alloc((checker->annotation->n_features + 1) * sizeof(*x));
	double best = 0;
	size_t i, j;

	for (i = 0; i < model->mean.n_terms; i++) {
		double product = 0, square = 0, explained;

		for (j = 0; j < rows->n; j++) {
			const double deviation = rows->deviation[j];
			double value;

			annotated_rows_numbers(&checker->annotated, rows->index[j], x);
			value = annotated_rows_term(&model->mean.terms[i], x) / deviation;
			product += rows->part[j] * value * rows->residual[j] / deviation;
			square += rows->part[j] * value * value;
		}
		if (isnan(product)) { /* of a reference it is not told: then of none */
			test->term = NULL;
			break;
		}
		explained = square > 0 ? product * product / square : 0;
		if (explained > best * 1.001) {
			best = explained;
			test->term = &model->mean.terms[i];
			test->coefficient = test->term->coefficient + product / square;
		}
	}
	free(x);
}

/* Location, and the regression of residuals on expected costs; slope 0 if these hardly vary. */
struct line {
	double level; /* mean expected cost, weighted by 1 / deviation */
	double away;  /* mean residual, weighted likewise */
	double weight;
	double slope;
	double centre, height; /* the line: residual `height` at the expected cost `centre` */
	double square;         /* weighted sum of squared distances from `centre` */
	double range;          /* of the expected costs */
	double *left;          /* [n] residuals from the line in deviations, times the part */
};

/* Means of @rows, weighted by 1 / deviation^@power. */
static double find_means(const struct check_rows *rows, int power, double *ret_expected,
			 double *ret_residual)
{
	double weights = 0;
	size_t i;

	*ret_expected = *ret_residual = 0;
	for (i = 0; i < rows->n; i++) {
		const double weight = rows->part[i] / pow(rows->deviation[i], power);

		weights += weight;
		*ret_expected += weight * rows->expected[i];
		*ret_residual += weight * rows->residual[i];
	}
	*ret_expected /= weights;
	*ret_residual /= weights;
	return weights;
}

static void find_slope(const struct check_rows *rows, struct line *line)
{
	double product = 0, even = 0, low = INFINITY, high = -INFINITY;
	const double mean = stats_mean(rows->expected, rows->n);
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const double weight = rows->part[i] / pow(rows->deviation[i], 2);
		const double from = rows->expected[i] - line->centre;

		line->square += weight * from * from;
		product += weight * from * (rows->residual[i] - line->height);
		even += pow(rows->expected[i] - mean, 2) / (double)rows->n;
		low = fmin(low, rows->expected[i]);
		high = fmax(high, rows->expected[i]);
	}
	line->range = high - low;
	if (sqrt(even) > VARIES * fabs(mean) && line->square > 0)
		line->slope = product / line->square;
}

static void line_init(struct line *line, const struct check_rows *rows)
{
	size_t i;

	*line = (struct line){.left = mem_alloc((rows->n + 1) * sizeof(double))};
	line->weight = find_means(rows, 1, &line->level, &line->away);
	find_means(rows, 2, &line->centre, &line->height);
	find_slope(rows, line);
	for (i = 0; i < rows->n; i++)
		line->left[i] = rows->part[i] / rows->deviation[i] *
				(rows->residual[i] - line->height -
				 line->slope * (rows->expected[i] - line->centre));
}

static void line_deinit(struct line *line)
{
	free(line->left);
}

/*
 * The standard error of a sum of @n numbers, perhaps heteroscedastic (White 1980) and
 * autocorrelated; @ret_speak: the effective size out of @parts.
 */
static double sum_error(const double *values, size_t n, double parts, double *ret_speak)
{
	const double alike = stats_effective(values, n) / (double)n;

	*ret_speak = fmax(parts * alike, 3);
	return sqrt(stats_mean_square(values, n, 0) * (double)n / alike *
		    (parts / fmax(parts - 2, 1)));
}

/* How far calls are beyond @difference's border, in deviations. False: not told. */
static bool check_far_beyond(const struct check_rows *rows, const struct check_away *difference,
			     struct far_beyond *ret)
{
	const double border = fmax(BORDER * difference->tolerance, difference->least);
	double *away;
	size_t i;

	if (rows->exact)
		return false;
	away = mem_alloc((rows->n + 1) * sizeof(*away));
	for (i = 0; i < rows->n; i++)
		away[i] =
			((difference->away > 0 ? rows->residual[i] : -rows->residual[i]) - border) /
			rows->deviation[i];
	*ret = far_rows_beyond(away, rows->n, difference->n_model);
	free(away);
	return true;
}

static void judge_beyond(const struct check_state *checker, const struct check_away *difference,
			 const struct check_rows *rows, struct check_test *test)
{
	const bool by_runs =
		!metric_is_exact(checker->annotation->metric) || checker->spread.error > 0;
	struct far_beyond beyond;
	double p_runs;

	if (!check_far_beyond(rows, difference, &beyond))
		return;
	test->beyond = beyond.is_far;
	test->p = fmin(test->p, far_rows_chance(&beyond, 1));
	p_runs = far_rows_chance(&beyond, 0.5) +
		 (by_runs ? run_shape_half(checker->sides, &checker->spread,
					   difference->away / difference->whole)
			  : 0);
	test->p_runs = fmin(test->p_runs, p_runs);
}

static void test_location(struct check_state *checker, const struct annotation_case *in,
			  const struct model *model, const struct check_rows *rows,
			  const struct line *line)
{
	struct check_test *test = check_tests_add(checker, CHECK_LOCATION, in, rows->n_parts);
	struct check_away away = {.away = line->away,
				  .tolerance = checker->options->tolerance * fabs(line->level),
				  .least = checker->resolution,
				  .n_model = model->n_samples,
				  .whole = fabs(line->level)};

	away.error = sum_error(line->left, rows->n, rows->n_parts, &away.n) / line->weight;
	test->expected = line->level;
	test->observed = line->level + line->away;
	test->error = away.error;
	test->is_worse = line->away > 0;
	check_tests_judge(checker, &away, test);
	if (test->p < 1 && in->n_models == 1)
		judge_beyond(checker, &away, rows, test);
	find_term(checker, model, rows, test);
}

static double slope_error(const struct check_rows *rows, const struct line *line, double *ret_n)
{
	double *products = mem_alloc((rows->n + 1) * sizeof(*products));
	double error;
	size_t i;

	for (i = 0; i < rows->n; i++)
		products[i] =
			(rows->expected[i] - line->centre) / rows->deviation[i] * line->left[i];
	error = sum_error(products, rows->n, rows->n_parts, ret_n) / line->square;
	free(products);
	return error;
}

static void test_slope(struct check_state *checker, const struct annotation_case *in,
		       const struct model *model, const struct check_rows *rows,
		       const struct line *line)
{
	struct check_away away = {.away = line->slope,
				  .tolerance = checker->options->tolerance,
				  .n_model = model->n_samples,
				  .whole = 1};
	struct check_test *test;

	if (line->slope == 0)
		return;
	away.least = checker->resolution / line->range;
	away.error = slope_error(rows, line, &away.n);
	test = check_tests_add(checker, CHECK_SLOPE, in, rows->n_parts);
	test->expected = 1;
	test->observed = 1 + line->slope;
	test->is_worse = line->slope > 0;
	check_tests_judge(checker, &away, test);
	find_term(checker, model, rows, test);
}

/* The log ratio of observed to expected spread, and its standard error at effective size @n. */
struct width {
	double log, error, n;
};

/*
 * From the mean square of @line's residuals, weighted by deviation^@power; the error uses kurtosis.
 */
static struct width find_width(const struct check_rows *rows, const struct line *line, int power)
{
	struct width width = {.n = 0};
	double *squares = mem_alloc((rows->n + 1) * sizeof(*squares));
	double *weights = mem_alloc((rows->n + 1) * sizeof(*weights));
	double sum = 0, weight = 0;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const double one = pow(rows->deviation[i], power);

		weights[i] = rows->part[i] * one;
		squares[i] = pow(line->left[i], 2) / rows->part[i] * one;
		weight += weights[i];
		sum += squares[i];
	}
	for (i = 0; i < rows->n; i++)
		squares[i] -= weights[i] * sum / weight;
	width.log = 0.5 * log(sum / weight * rows->n_parts / fmax(rows->n_parts - 2, 1));
	width.error = sum_error(squares, rows->n, rows->n_parts, &width.n) / (2 * sum);
	free(squares);
	free(weights);
	return width;
}

/*
 * From the median distance from the median of calls most likely of the model: outliers pull a line.
 * @of_squares: the same by squares.
 */
static struct width find_middle_width(const struct check_rows *rows, const struct width *of_squares)
{
	struct width width = {.n = of_squares->n};
	double *away = mem_alloc((rows->n + 1) * sizeof(*away));
	double middle;
	size_t n = 0;
	size_t i;

	for (i = 0; i < rows->n; i++)
		if (rows->part[i] > 0.5)
			away[n++] = rows->residual[i] / rows->deviation[i];
	middle = stats_median(away, n);
	width.log = log(MEDIAN_TO_DEVIATION * stats_median_distance(away, n, middle));
	width.error = ROBUST_ERROR / sqrt(width.n);
	free(away);
	return width;
}

static double width_chance(const struct check_state *checker, const struct width *width,
			   double least, size_t n_model)
{
	const struct check_away away = {.away = width->log,
					.tolerance = log1p(checker->options->tolerance),
					.least = least,
					.error = width->error,
					.n = width->n,
					.n_model = n_model};

	return isfinite(width->log) && width->log > 0 ? away_chance(&away) : 1;
}

/*
 * Three estimates must agree that the spread grew: a few outliers do not move the median;
 * non-normal noise moves only the median; and weights by the deviation discount the smallest calls,
 * whose deviation is known least. A spread of @expected may grow by the measurement's own.
 */
static double spread_chance(const struct check_state *checker, const struct check_rows *rows,
			    const struct line *line, const struct width *width, double expected,
			    size_t n_model)
{
	const struct width large = find_width(rows, line, 1);
	const struct width middle = find_middle_width(rows, width);
	const double least =
		log(hypot(expected, fit_least_deviation(checker->resolution)) / expected);

	return fmax(width_chance(checker, width, least, n_model),
		    fmax(width_chance(checker, &large, least, n_model),
			 width_chance(checker, &middle, least, n_model)));
}

/*
 * Is the deviation around the present cost larger than expected? A smaller one is no change; a
 * larger one is for the worse only where the machine has no part in it.
 */
static void test_spread(struct check_state *checker, const struct annotation_case *in,
			const struct model *model, const struct check_rows *rows,
			const struct line *line)
{
	const double matters = fmax(checker->options->tolerance * fabs(line->level),
				    fit_least_deviation(checker->resolution));
	const struct width width = find_width(rows, line, 0);
	struct check_test *test = check_tests_add(checker, CHECK_SPREAD, in, rows->n_parts);

	test->is_worse = metric_is_exact(checker->annotation->metric);
	test->expected = rows->exact ? 0 : rows->n_parts / line->weight;
	test->observed = (rows->exact ? 1 : test->expected) * exp(width.log);
	if (rows->exact)
		test->p = test->observed > matters ? 0 : 1; /* what was exact now varies */
	else if (fmax(test->observed, test->expected) > SPREAD_LEAST * matters)
		test->p = spread_chance(checker, rows, line, &width, test->expected,
					model->n_samples);
	test->p_runs = test->p;
}

/* In what calls cost, each relative to its model. */
static void find_spread(struct check_state *checker, const struct check_rows *rows)
{
	const struct sample_key *keys = checker->annotated.samples->keys;
	struct run_rows of_runs = run_effect_rows(checker->arena, rows->n);
	size_t i;

	for (i = 0; i < rows->n; i++) {
		const double weight = rows->part[i] / rows->deviation[i];

		run_effect_add(&of_runs, weight * rows->residual[i],
			       weight * fabs(rows->expected[i]), keys[rows->index[i]].run);
	}
	check_tests_spread(checker, &of_runs);
}

void check_tests_run(struct check_state *checker, const struct annotation_case *in,
		     const struct model *model, const struct check_rows *rows)
{
	size_t test = checker->check->n_tests;
	struct line line;

	find_spread(checker, rows);
	line_init(&line, rows);
	/* An envelope is no mean cost, and its deviation not one around a mean. */
	if (model->heuristic != HEURISTIC_ENVELOPE)
		test_location(checker, in, model, rows, &line);
	test_slope(checker, in, model, rows, &line);
	if (model->heuristic != HEURISTIC_ENVELOPE)
		test_spread(checker, in, model, rows, &line);
	line_deinit(&line);
	for (; test < checker->check->n_tests; test++)
		checker->check->tests[test].model = (unsigned)(model - in->models);
}
