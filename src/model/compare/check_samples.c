/*
 * A check, from samples to violations: assigns calls to cases and models; check_tests.c tests the
 * calls of a model.
 *
 * A call counts for each model of a mixture by its probability; if the mixture is right, such
 * weighted sums are unbiased however much the models overlap. Source: the E step of EM (Dempster,
 * Laird and Rubin 1977).
 */
#include "check_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/arena.h"
#include "base/mem.h"
#include "check_state.h"
#include "decision.h"
#include "model/data/stats.h"

/* Tolerated part of calls outside all scopes, if there were none. */
#define OUTSIDE_MOST 0.01

/* Less likely calls of a model do not count. */
#define PART_LEAST 1e-6

/* A call counts in the kinds' shares if it is more likely one of theirs than of the rest. */
#define PART_KINDS 0.5

/* The expected cost of a call by each model of a case. False: unknown. */
static bool check_evaluate(struct check_state *checker, const struct annotation_case *in,
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

/* Samples that @in was made from; 0: unknown. */
static size_t count_samples(const struct annotation_case *in)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < in->n_models; i++)
		n += in->models[i].n_samples;
	return n;
}

/* A case while its calls are collected. */
struct mixed {
	size_t kinds;            /* models that are judged, at most n_models */
	struct check_rows *rows; /* [n_models] */
	double **parts;          /* [kinds][used] */
	double *means, *deviations, *part;
	struct argument *x;
	double *sums;  /* [kinds] of the used calls' expected costs */
	size_t *index; /* [used] row in the samples; not of the rest */
	size_t used;
};

static void mixed_init(struct mixed *mixed, const struct check_state *checker,
		       const struct annotation_case *in, size_t n)
{
	struct arena *arena = checker->arena;
	size_t i;

	*mixed = (struct mixed){
		.kinds = annotated_rows_judged(in),
		.rows = arena_array(arena, struct check_rows, in->n_models),
		.parts = arena_array(arena, double *, in->n_models),
		.means = arena_array(arena, double, in->n_models),
		.deviations = arena_array(arena, double, in->n_models),
		.part = arena_array(arena, double, in->n_models),
		.sums = arena_array(arena, double, in->n_models),
		.index = arena_array(arena, size_t, n + 1),
		.x = arena_array(arena, struct argument, checker->annotation->n_features + 1),
	};
	for (i = 0; i < in->n_models; i++) {
		check_rows_init(&mixed->rows[i], arena, n);
		mixed->parts[i] = arena_array(arena, double, n + 1);
	}
}

static void check_add_call(struct check_state *checker, const struct annotation_case *in,
			   size_t row, struct mixed *mixed)
{
	const double cost = checker->annotated.metric->numbers[row];
	double all = 0;
	unsigned i;

	annotated_rows_arguments(&checker->annotated, row, mixed->x);
	if (!check_evaluate(checker, in, mixed->x, mixed->means, mixed->deviations)) {
		checker->subject->n_unknown++;
		return;
	}
	annotated_rows_parts(in, mixed->means, mixed->deviations, cost, mixed->part);
	for (i = 0; i < in->n_models; i++) {
		if (mixed->part[i] > PART_LEAST)
			check_rows_add(&mixed->rows[i], row, cost, mixed->means[i],
				       mixed->deviations[i], mixed->part[i]);
		if (i < mixed->kinds)
			all += mixed->part[i];
	}
	if (all < PART_KINDS)
		return;
	for (i = 0; i < mixed->kinds; i++) {
		mixed->parts[i][mixed->used] = mixed->part[i] / all;
		mixed->sums[i] += mixed->means[i];
	}
	mixed->index[mixed->used++] = row;
}

/* How much runs differ in the share @expected. */
static void find_share_spread(struct check_state *checker, const struct mixed *mixed,
			      const double *parts, double expected)
{
	const struct sample_key *keys = checker->annotated.samples->keys;
	struct run_rows rows = run_effect_rows(checker->arena, mixed->used);
	size_t i;

	for (i = 0; i < mixed->used; i++)
		run_effect_add(&rows, parts[i] - expected, 1, keys[mixed->index[i]].run);
	check_tests_spread(checker, &rows);
}

/* Test the share of the model @model, whose calls cost @dearer more than those of all. */
static void test_share(struct check_state *checker, const struct annotation_case *in,
		       unsigned model, double dearer, double expected, const struct mixed *mixed)
{
	const double *parts = mixed->parts[model];
	const size_t n = mixed->used;
	struct check_test *test = check_tests_add(checker, CHECK_SHARE, in, (double)n);
	const double share = stats_mean(parts, n);
	const double alike = stats_effective(parts, n);
	const double error = sqrt(fmax(expected * (1 - expected), share * (1 - share)) / alike);

	const struct check_away away = {.away = share - expected,
					.tolerance = checker->options->tolerance,
					.error = error,
					.n = alike,
					.n_model = count_samples(in),
					.whole = 1};

	find_share_spread(checker, mixed, parts, expected);
	test->model = model;
	test->expected = expected;
	test->observed = share;
	test->is_worse = (share - expected) * dearer > 0;
	check_tests_judge(checker, &away, test);
}

/* Shares of the calls that are not of the rest. */
static void test_shares(struct check_state *checker, const struct annotation_case *in,
			const struct mixed *mixed)
{
	double probability = 0, all = 0;
	unsigned i;

	for (i = 0; i < mixed->kinds; i++)
		probability += in->models[i].probability;
	for (i = 0; i < mixed->kinds; i++)
		all += in->models[i].probability / probability * mixed->sums[i];
	for (i = 0; i < mixed->kinds; i++)
		test_share(checker, in, i, mixed->sums[i] - all,
			   in->models[i].probability / probability, mixed);
}

static void check_test_case(struct check_state *checker, const struct annotation_case *in,
			    const size_t *indices, size_t n)
{
	struct annotation_case judged = *in;
	struct mixed mixed;
	size_t i;

	if (in->models[0].heuristic == HEURISTIC_TREND)
		judged.n_models = 1;
	mixed_init(&mixed, checker, &judged, n);
	for (i = 0; i < n; i++)
		check_add_call(checker, &judged, indices[i], &mixed);
	if (mixed.kinds > 1 && mixed.used >= CHECKER_SAMPLES_MIN)
		test_shares(checker, in, &mixed);
	for (i = 0; i < mixed.kinds; i++) {
		if (mixed.rows[i].n < CHECKER_SAMPLES_MIN)
			continue;
		checker->subject->n_far += check_rows_finish(&mixed.rows[i], &judged,
							     &in->models[i], checker->resolution);
		if (mixed.rows[i].n_parts >= CHECKER_SAMPLES_MIN)
			check_tests_run(checker, in, &in->models[i], &mixed.rows[i]);
	}
}

/* Is there a case without conditions? */
static bool is_open(const struct annotation *annotation)
{
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (!annotation->cases[i].n_conditions)
			return true;
	return false;
}

static void test_outside(struct check_state *checker, size_t outside, size_t n)
{
	struct check_test *test;
	double share;

	if (n < CHECKER_SAMPLES_MIN)
		return;
	test = check_tests_add(checker, CHECK_OUTSIDE, NULL, (double)n);
	test->is_worse = true;
	share = (double)outside / (double)n;
	test->observed = share;
	test->p = share > OUTSIDE_MOST
			  ? gsl_cdf_binomial_Q((unsigned)outside - 1, OUTSIDE_MOST, (unsigned)n)
			  : 1;
	test->p_runs = test->p;
}

/* The rows of each case; unknown where a needed feature is absent. */
static void test_cases(struct check_state *checker)
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
		annotated_rows_arguments(&checker->annotated, i, x);
		cases[i] = annotated_rows_case(&checker->annotated, x);
		outside += cases[i] == annotation->n_cases;
	}
	for (j = 0; j < annotation->n_cases; j++) {
		for (rows = i = 0; i < n; i++)
			if (cases[i] == j)
				indices[rows++] = i;
		check_test_case(checker, &annotation->cases[j], indices, rows);
	}
	/* Being in no case says nothing if features were absent. */
	if (annotation->n_cases && !is_open(annotation) &&
	    (outside || checker->subject->n_unknown < checker->subject->n_samples))
		test_outside(checker, outside, checker->subject->n_samples);
}

void check_samples_add(struct check *check, const struct annotation *annotation,
		       const struct annotation_list *all, const struct samples *samples,
		       const struct check_options *options)
{
	struct check_state checker = {.check = check,
				      .annotation = annotation,
				      .all = all,
				      .options = options,
				      .resolution = samples_resolution(samples, annotation->metric),
				      .arena = arena_create()};

	check->subjects = mem_grow(check->subjects, &check->subjects_capacity,
				   check->n_subjects + 1, sizeof(*check->subjects));
	checker.subject = &check->subjects[check->n_subjects++];
	*checker.subject = (struct check_subject){.annotation = annotation};
	if (annotated_rows_find(annotation, samples, checker.arena, &checker.annotated))
		test_cases(&checker);
	checker.subject->missing = checker.annotated.missing;
	arena_destroy(checker.arena);
}

static void check_set(struct check_test *test, const struct decision *decision, bool strict)
{
	test->by_calls = decision->by_calls;
	test->changed = decision->certain;
	test->violated = test->changed && (test->is_worse || strict);
}

/* Did processor time of the same function's calls conform, or get better? */
static bool is_cpu_kept(const struct check *check, const char *function)
{
	bool is_tested = false, is_kept = true;
	size_t i;

	for (i = 0; i < check->n_tests; i++) {
		const struct check_test *test = &check->tests[i];

		if (test->annotation->metric != METRIC_CPU ||
		    strcmp(test->annotation->function, function) != 0)
			continue;
		is_tested = true;
		is_kept &= !test->is_worse || !test->by_calls;
	}
	return is_tested && is_kept;
}

/* On a busy machine time alone is unfair: it got worse only if processor time may have, too. */
static void judge_by_cpu(const struct check *check, struct check_test *test)
{
	if (test->violated && run_spread_is_busy(&test->spread) &&
	    test->annotation->metric == METRIC_TIME &&
	    is_cpu_kept(check, test->annotation->function))
		test->changed = test->violated = false;
}

size_t check_samples_decide(struct check *check, const struct check_options *options)
{
	struct decision *list = mem_alloc((check->n_tests + 1) * sizeof(*list));
	size_t subject = 0, violated = 0;
	size_t i;

	for (i = 0; i < check->n_tests; i++) {
		const struct check_test *test = &check->tests[i];

		subject += i && test->annotation != test[-1].annotation;
		list[i] =
			(struct decision){.subject = subject, .p = test->p, .p_runs = test->p_runs};
	}
	decision_make(list, check->n_tests, subject + 1, options->alpha,
		      options->alpha_runs > 0 ? options->alpha_runs : options->alpha);
	for (i = 0; i < check->n_tests; i++)
		check_set(&check->tests[i], &list[i], options->strict);
	for (i = 0; i < check->n_tests; i++) {
		judge_by_cpu(check, &check->tests[i]);
		violated += check->tests[i].violated;
	}
	free(list);
	return violated;
}
