/*
 * The tests of a check. Sources: Student's and Fisher's tests moved by a tolerance (equivalence testing, Schuirmann 1987, the other way round);
 * the variance of a variance by kurtosis; Holm (1979).
 */
#include "model/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/mem.h"
#include "model/annotated.h"
#include "model/series.h"

enum { SAMPLES_MIN = 8 /* fewer say nothing about a case */ };

/* Residuals beyond so many robust deviations are far away, if they are this part of all at most. */
#define FAR      12.0
#define FAR_PART 0.02

/* Calls outside of all scopes, of which there were none, must be more than this part. */
#define OUTSIDE_MOST 0.01

/* Expected costs that vary less than this, relatively, have no slope to speak of. */
#define VARIES 0.05

/* The rows of one model of one case, in the order of the calls. */
struct rows {
	double *expected, *deviation, *residual;
	size_t *index; /* of the row in the samples */
	size_t n;
};

struct checker {
	struct check *check;
	const struct annotation *annotation;
	const struct annotation_list *all;
	const struct check_options *options;
	struct check_subject *subject;
	struct annotated annotated;
	struct arena *arena; /* for the time of check_add() */
};

static struct check_test *add_test(struct checker *checker, enum check_kind kind,
				   const struct annotation_case *in, size_t n)
{
	struct check *check = checker->check;

	check->tests = mem_grow(check->tests, &check->tests_capacity, check->n_tests + 1,
				sizeof(*check->tests));
	check->tests[check->n_tests] = (struct check_test){
		.kind = kind, .annotation = checker->annotation, .in = in, .n = n, .p = 1};
	return &check->tests[check->n_tests++];
}

/* A few residuals that are far away are left out. Returns how many. */
static size_t drop_far(struct rows *rows)
{
	const double middle = series_median(rows->residual, rows->n);
	double *away = mem_alloc((rows->n + 1) * sizeof(*away));
	size_t kept = 0, far = 0;
	double limit;
	size_t i;

	for (i = 0; i < rows->n; i++)
		away[i] = fabs(rows->residual[i] - middle);
	limit = FAR * 1.4826 * series_median(away, rows->n);
	for (i = 0; i < rows->n; i++)
		far += limit > 0 && away[i] > limit;
	if (far > FAR_PART * (double)rows->n)
		far = 0;
	for (i = 0; far && i < rows->n; i++) {
		if (away[i] > limit)
			continue;
		rows->expected[kept] = rows->expected[i];
		rows->deviation[kept] = rows->deviation[i];
		rows->residual[kept] = rows->residual[i];
		rows->index[kept++] = rows->index[i];
	}
	rows->n = far ? kept : rows->n;
	free(away);
	return far;
}

/*
 * The one term that explains the residuals best by another coefficient. Of several that explain about the same the
 * first does.
 */
static void find_term(const struct checker *checker, const struct model *model,
		      const struct rows *rows, struct check_test *test)
{
	double *x = mem_alloc((checker->annotation->n_features + 1) * sizeof(*x));
	double best = 0;
	size_t i, j;

	for (i = 0; i < model->mean.n_terms; i++) {
		double product = 0, square = 0, explained;

		for (j = 0; j < rows->n; j++) {
			double value;

			annotated_numbers(&checker->annotated, rows->index[j], x);
			value = annotated_term(&model->mean.terms[i], x);
			product += value * rows->residual[j];
			square += value * value;
		}
		if (isnan(product))
			break;
		explained = square > 0 ? product * product / square : 0;
		if (explained > best * 1.001) {
			best = explained;
			test->term = &model->mean.terms[i];
			test->coefficient = test->term->coefficient + product / square;
		}
	}
	free(x);
}

static void test_location(struct checker *checker, const struct annotation_case *in,
			  const struct model *model, const struct rows *rows)
{
	struct check_test *test = add_test(checker, CHECK_LOCATION, in, rows->n);
	const double away = series_mean(rows->residual, rows->n);
	const double n = series_effective(rows->residual, rows->n);
	const double error = sqrt(series_mean_square(rows->residual, rows->n, away) / n);
	const double level = series_mean(rows->expected, rows->n);

	test->expected = level;
	test->observed = level + away;
	test->p = series_chance(away, checker->options->tolerance * fabs(level), error, n - 1);
	find_term(checker, model, rows, test);
}

/* The regression of the residuals on the expected cost; 0 where that hardly varies. */
static double find_slope(const struct rows *rows)
{
	const double level = series_mean(rows->expected, rows->n);
	const double variance = series_mean_square(rows->expected, rows->n, level);
	const double away = series_mean(rows->residual, rows->n);
	double slope = 0;
	size_t i;

	if (sqrt(variance) <= VARIES * fabs(level))
		return 0;
	for (i = 0; i < rows->n; i++)
		slope += (rows->expected[i] - level) * (rows->residual[i] - away) /
			 (variance * (double)rows->n);
	return slope;
}

/* What is left of the residuals when location and slope are what they are now. */
static double *left_over(const struct rows *rows, double slope)
{
	const double level = series_mean(rows->expected, rows->n);
	const double away = series_mean(rows->residual, rows->n);
	double *left = mem_alloc((rows->n + 1) * sizeof(*left));
	size_t i;

	for (i = 0; i < rows->n; i++)
		left[i] = rows->residual[i] - away - slope * (rows->expected[i] - level);
	return left;
}

/* The error allows for residuals that grow with the cost (White 1980). */
static double slope_error(const struct rows *rows, const double *left, double *ret_n)
{
	const double level = series_mean(rows->expected, rows->n);
	const double variance = series_mean_square(rows->expected, rows->n, level);
	double *products = mem_alloc((rows->n + 1) * sizeof(*products));
	double error;
	size_t i;

	for (i = 0; i < rows->n; i++)
		products[i] = (rows->expected[i] - level) * left[i];
	*ret_n = series_effective(products, rows->n);
	error = sqrt(series_mean_square(products, rows->n, 0) / *ret_n) / variance;
	free(products);
	return error;
}

static void test_slope(struct checker *checker, const struct annotation_case *in,
		       const struct model *model, const struct rows *rows)
{
	const double slope = find_slope(rows);
	struct check_test *test;
	double *left;
	double error, n;

	if (slope == 0)
		return;
	left = left_over(rows, slope);
	error = slope_error(rows, left, &n);
	test = add_test(checker, CHECK_SLOPE, in, rows->n);
	test->expected = 1;
	test->observed = 1 + slope;
	test->p = series_chance(slope, checker->options->tolerance, error, n - 2);
	find_term(checker, model, rows, test);
	free(left);
}

static double expected_variance(const struct rows *rows)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < rows->n; i++)
		sum += rows->deviation[i] * rows->deviation[i] / (double)rows->n;
	return sum;
}

/* How far calls are from a lower envelope: its deviation is the root mean square of that. */
static double *distances(const struct rows *rows)
{
	double *ret = mem_alloc((rows->n + 1) * sizeof(*ret));

	memcpy(ret, rows->residual, rows->n * sizeof(*ret));
	return ret;
}

/* The deviation around whatever the cost is now, by the one that is expected. */
static void test_spread(struct checker *checker, const struct annotation_case *in,
			const struct model *model, const struct rows *rows)
{
	const double tolerance = checker->options->tolerance;
	const double n = (double)rows->n;
	double *squares = model->heuristic == HEURISTIC_ENVELOPE
				  ? distances(rows)
				  : left_over(rows, find_slope(rows));
	struct check_test *test = add_test(checker, CHECK_SPREAD, in, rows->n);
	double error, middle;
	size_t i;

	for (i = 0; i < rows->n; i++)
		squares[i] *= squares[i];
	middle = series_mean(squares, rows->n);
	test->expected = sqrt(expected_variance(rows));
	test->observed = sqrt(middle * n / (n - 2));
	/* Of logarithms, which are nearly normal; the kurtosis is in the deviation of the squares. */
	error = sqrt(series_mean_square(squares, rows->n, middle) /
		     series_effective(squares, rows->n)) /
		(2 * fmax(middle, 1e-300));
	if (test->expected > 0 && test->observed > 0)
		test->p = series_chance(log(test->observed / test->expected), log1p(tolerance),
					error, n - 2);
	else if (test->observed > tolerance * fabs(series_mean(rows->expected, rows->n)))
		test->p = 0; /* what was exact varies */
	free(squares);
}

static void test_model(struct checker *checker, const struct annotation_case *in,
		       const struct model *model, struct rows *rows)
{
	if (rows->n < SAMPLES_MIN)
		return;
	checker->subject->n_far += drop_far(rows);
	/* No call costs what an envelope says on average. */
	if (model->heuristic != HEURISTIC_ENVELOPE)
		test_location(checker, in, model, rows);
	test_slope(checker, in, model, rows);
	test_spread(checker, in, model, rows);
}

static void rows_init(struct rows *rows, struct arena *arena, size_t n)
{
	*rows = (struct rows){
		.expected = arena_array(arena, double, n),
		.deviation = arena_array(arena, double, n),
		.residual = arena_array(arena, double, n),
		.index = arena_array(arena, size_t, n),
	};
}

/* The part of the calls that are likely of one model. */
static void test_shares(struct checker *checker, const struct annotation_case *in,
			const struct rows *rows, const double *expected, size_t n)
{
	unsigned i;

	for (i = 0; i < in->n_models; i++) {
		struct check_test *test = add_test(checker, CHECK_SHARE, in, n);
		const double share = (double)rows[i].n / (double)n;
		const double error = sqrt(
			fmax(expected[i] * (1 - expected[i]), share * (1 - share)) / (double)n);

		test->model = i;
		test->expected = expected[i];
		test->observed = share;
		test->p = series_chance(share - expected[i], checker->options->tolerance, error,
					(double)n - 1);
	}
}

/* What a case expects of a call by each of its models. False: it cannot be told. */
static bool evaluate(struct checker *checker, const struct annotation_case *in,
		     const struct argument *x, double *means, double *deviations)
{
	struct annotation_case one = {.scope = in->scope, .n_conditions = in->n_conditions};
	struct annotation alone = *checker->annotation;
	struct expectation expectation;
	struct err ignored;
	size_t i;

	alone.cases = &one;
	alone.n_cases = 1;
	one.n_models = 1;
	for (i = 0; i < in->n_models; i++) {
		one.models = &in->models[i];
		if (!expectation_find(&alone, checker->all, x, &expectation, &ignored))
			return false;
		means[i] = expectation.mean;
		deviations[i] = expectation.deviation;
	}
	return true;
}

/* The calls of a case, each with the model that it is most likely of. */
static void test_case(struct checker *checker, const struct annotation_case *in,
		      const size_t *indices, size_t n)
{
	struct rows *rows = arena_array(checker->arena, struct rows, in->n_models);
	double *means = arena_array(checker->arena, double, in->n_models);
	double *deviations = arena_array(checker->arena, double, in->n_models);
	double *shares = arena_array(checker->arena, double, in->n_models);
	struct argument *x =
		arena_array(checker->arena, struct argument, checker->annotation->n_features + 1);
	double probability = 0;
	size_t used = 0;
	size_t i;

	for (i = 0; i < in->n_models; i++) {
		rows_init(&rows[i], checker->arena, n);
		probability += in->models[i].probability;
	}
	for (i = 0; i < in->n_models; i++)
		shares[i] = in->models[i].probability / probability;
	for (i = 0; i < n; i++) {
		const double cost = checker->annotated.metric->numbers[indices[i]];
		struct rows *to;
		unsigned model;

		annotated_arguments(&checker->annotated, indices[i], x);
		if (!evaluate(checker, in, x, means, deviations)) {
			checker->subject->n_unknown++;
			continue;
		}
		model = annotated_model(in, means, deviations, cost);
		to = &rows[model];
		to->expected[to->n] = means[model];
		to->deviation[to->n] = deviations[model];
		to->residual[to->n] = cost - means[model];
		to->index[to->n++] = indices[i];
		used++;
	}
	if (in->n_models > 1 && used >= SAMPLES_MIN)
		test_shares(checker, in, rows, shares, used);
	for (i = 0; i < in->n_models; i++)
		test_model(checker, in, &in->models[i], &rows[i]);
}

static void test_outside(struct checker *checker, size_t outside, size_t n)
{
	struct check_test *test;
	double share;

	if (n < SAMPLES_MIN)
		return;
	test = add_test(checker, CHECK_OUTSIDE, NULL, n);
	share = (double)outside / (double)n;
	test->observed = share;
	test->p = share > OUTSIDE_MOST
			  ? gsl_cdf_binomial_Q((unsigned)outside - 1, OUTSIDE_MOST, (unsigned)n)
			  : 1;
}

/* The rows of each case; what needs a feature that is absent there is unknown. */
static void test_cases(struct checker *checker)
{
	const struct annotation *annotation = checker->annotation;
	const size_t n = checker->annotated.samples->n_rows;
	size_t *indices = arena_array(checker->arena, size_t, n + 1);
	unsigned *cases = arena_array(checker->arena, unsigned, n + 1);
	struct argument *x =
		arena_array(checker->arena, struct argument, annotation->n_features + 1);
	size_t outside = 0;
	size_t i, j, rows;

	for (i = 0; i < n; i++) {
		cases[i] = annotation->n_cases + 1;
		if (checker->annotated.metric->absence[i] != PRESENT)
			continue;
		checker->subject->n_samples++;
		annotated_arguments(&checker->annotated, i, x);
		cases[i] = annotated_case(&checker->annotated, x);
		outside += cases[i] == annotation->n_cases;
	}
	for (j = 0; j < annotation->n_cases; j++) {
		for (rows = i = 0; i < n; i++)
			if (cases[i] == j)
				indices[rows++] = i;
		test_case(checker, &annotation->cases[j], indices, rows);
	}
	/* That calls fall into cases says nothing if these have no value. */
	if (annotation->n_cases &&
	    (outside || checker->subject->n_unknown < checker->subject->n_samples))
		test_outside(checker, outside, checker->subject->n_samples);
}

void check_add(struct check *check, const struct annotation *annotation,
	       const struct annotation_list *all, const struct samples *samples,
	       const struct check_options *options)
{
	struct checker checker = {.check = check,
				  .annotation = annotation,
				  .all = all,
				  .options = options,
				  .arena = arena_create()};

	check->subjects = mem_grow(check->subjects, &check->subjects_capacity,
				   check->n_subjects + 1, sizeof(*check->subjects));
	checker.subject = &check->subjects[check->n_subjects++];
	*checker.subject = (struct check_subject){.annotation = annotation};
	if (annotated_find(annotation, samples, checker.arena, &checker.annotated))
		test_cases(&checker);
	checker.subject->missing = checker.annotated.missing;
	arena_destroy(checker.arena);
}

static int by_chance(const void *a, const void *b)
{
	const struct check_test *const *x = a;
	const struct check_test *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

size_t check_decide(struct check *check, const struct check_options *options)
{
	struct check_test **order = mem_alloc((check->n_tests + 1) * sizeof(*order));
	size_t i;

	for (i = 0; i < check->n_tests; i++)
		order[i] = &check->tests[i];
	qsort(order, check->n_tests, sizeof(*order), by_chance);
	for (i = 0; i < check->n_tests; i++) {
		if (order[i]->p > options->alpha / (double)(check->n_tests - i))
			break;
		order[i]->violated = true;
	}
	free(order);
	return i;
}
