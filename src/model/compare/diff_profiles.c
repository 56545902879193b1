/*
 * A diff, from two tables to verdicts. diff_calls.c, diff_mean.c and diff_tests.c test, diff_runs.c
 * asks how much runs differ, refit_cases.c fits, workload.c compares the calls.
 *
 * decision.h says which tests are certain.
 */
#include "diff_profiles.h"
#include "model/data/stats.h"

#include "core/samples/samples_load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "base/mem.h"
#include "decision.h"
#include "core/verdict/diff_callees.h"
#include "core/verdict/diff_payers.h"
#include "diff_sides.h"
#include "diff_state.h"
#include "workload.h"

/* Fewer functions are no suite. */
enum { SUITE_LEAST = 3 };

static void diff_test_case(struct diff_state *differ, size_t at)
{
	const size_t n = annotated_rows_judged(differ->old.cases[at].in);
	unsigned i;

	if (!differ->old.cases[at].fitted || differ->new.cases[at].n_inside < REFIT_ROWS_MIN)
		return;
	diff_runs_find(differ, at);
	diff_calls_test(differ, at, false);
	diff_calls_test(differ, at, true);
	diff_mean_test(differ, at);
	diff_calls_terms(differ, at);
	for (i = 0; n > 1 && i < n; i++)
		diff_tests_part(differ, at, i);
}

static void diff_make_room(struct diff_state *differ)
{
	struct arena *arena = differ->diff->arena;
	const struct annotation *old = differ->subject->old;
	size_t tests = 1;
	size_t i;

	for (i = 0; i < old->n_cases; i++)
		tests += DIFFER_CASE_TESTS + DIFFER_PART_TESTS * old->cases[i].n_models;
	differ->subject->tests = arena_array(arena, struct diff_test, tests);
	differ->subject->terms =
		arena_array(arena, struct diff_term, old->n_cases * LSQ_COLUMNS + 1);
}

/* Does the new profile need another formula, one that the old samples could have shown? */
static void judge_form(struct diff_state *differ)
{
	const double old = refit_cases_left(&differ->new, differ->arena);
	const double own = differ->has_own ? refit_cases_left(&differ->own, differ->arena) : NAN;

	differ->subject->r2_old_form = 1 - old;
	differ->subject->r2_new_form = 1 - own;
	differ->subject->other_form = refit_cases_is_other(own, old);
	differ->has_past = differ->has_own && !differ->own_old.missing &&
			   refit_cases_left(&differ->own_past, differ->arena) <=
				   refit_cases_left(&differ->old, differ->arena);
}

/* Fit the old terms to both profiles. False: there are none, or the new one lacks something. */
static bool fit_old(struct diff_state *differ, const struct samples *old, const struct samples *new)
{
	struct diff_subject *subject = differ->subject;
	struct annotated_rows seen[2];

	if (!annotated_rows_find(subject->old, old, differ->arena, &seen[0]) ||
	    !annotated_rows_find(subject->old, new, differ->arena, &seen[1])) {
		const char *missing = seen[0].missing ? seen[0].missing : seen[1].missing;

		subject->reason = arena_printf(differ->diff->arena, "the %s profile has no %s",
					       seen[0].missing ? "old" : "new", missing);
		return false;
	}
	refit_cases_range_find(&seen[0], &seen[1], differ->arena, &differ->range);
	refit_cases_fit(&seen[0], &differ->range, differ->arena, &differ->old);
	refit_cases_fit(&seen[1], &differ->range, differ->arena, &differ->new);
	subject->beyond = differ->new.n_known
				  ? (double)differ->new.n_beyond / (double)differ->new.n_known
				  : 0;
	return true;
}

/* Fit the new terms, within the common range of their features. */
static void fit_own(struct diff_state *differ, const struct samples *old, const struct samples *new)
{
	const struct annotation *model = differ->subject->new;
	struct annotated_rows seen;

	if (!annotated_rows_find(model, new, differ->arena, &seen))
		return;
	annotated_rows_find(model, old, differ->arena, &differ->own_old);
	refit_cases_range_find(&seen, differ->own_old.missing ? &seen : &differ->own_old,
			       differ->arena, &differ->own_range);
	refit_cases_fit(&seen, &differ->own_range, differ->arena, &differ->own);
	if (!differ->own_old.missing)
		refit_cases_fit(&differ->own_old, &differ->own_range, differ->arena,
				&differ->own_past);
	differ->has_own = true;
}

/* Known reasons not to compare. */
static bool is_comparable(struct diff_state *differ)
{
	struct diff_subject *subject = differ->subject;

	if (subject->n_old < REFIT_ROWS_MIN || subject->n_new < REFIT_ROWS_MIN) {
		subject->reason =
			arena_printf(differ->diff->arena, "%zu and %zu samples: that is too few",
				     subject->n_old, subject->n_new);
		return false;
	}
	if (!subject->old->n_cases)
		subject->reason = "there is no model of the old samples";
	return subject->old->n_cases > 0;
}

static const char *why_untested(const struct diff_state *differ)
{
	struct diff_subject *subject = differ->subject;

	if (subject->n_tests)
		return NULL;
	if (subject->beyond > 0.5)
		return "the new calls are outside of what the old profile observed";
	return "too few calls of both profiles have features alike";
}

static void diff_compare_samples(struct diff_state *differ, const struct samples *old,
				 const struct samples *new)
{
	size_t i;

	if (!is_comparable(differ) || !fit_old(differ, old, new))
		return;
	diff_make_room(differ);
	fit_own(differ, old, new);
	judge_form(differ);
	workload_compare(differ->diff, differ->subject, &differ->old.seen, &differ->new.seen,
			 differ->options);
	for (i = 0; i < differ->subject->old->n_cases; i++)
		diff_test_case(differ, i);
	differ->subject->reason = why_untested(differ);
	diff_tests_outside(differ);
	if (!differ->subject->reason)
		differ->subject->reason =
			workload_confounder(differ->diff, differ->subject, old, new);
}

static double find_resolution(const struct samples *old, const struct samples *new,
			      enum metric metric)
{
	return fmax(samples_resolution(old, metric), samples_resolution(new, metric));
}

void diff_profiles_add(struct diff *diff, const struct samples *old, const struct samples *new,
		       struct annotation *old_model, struct annotation *new_model,
		       const struct diff_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct diff_state differ = {.diff = diff, .options = options, .arena = arena_create()};

	differ.resolution = find_resolution(old, new, old_model->metric);
	differ.load[0] = samples_load(old);
	differ.load[1] = samples_load(new);
	differ.subject = diff_add_subject(diff, old_model->function, old_model->metric);
	differ.subject->old = old_model;
	differ.subject->new = new_model;
	differ.subject->n_old = workload_mean(old, old_model->metric, &differ.subject->mean_old);
	differ.subject->n_new = workload_mean(new, old_model->metric, &differ.subject->mean_new);
	if (diff->side)
		diff_sides_runs(diff, differ.subject, old, new);
	diff_compare_samples(&differ, old, new);
	arena_destroy(differ.arena);
	gsl_set_error_handler(handler);
}

static void decide_tests(struct diff *diff, double alpha)
{
	struct decision *list;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < diff->n_subjects; i++)
		n += diff->subjects[i].n_tests;
	list = mem_alloc((n + 1) * sizeof(*list));
	for (n = i = 0; i < diff->n_subjects; i++)
		for (j = 0; j < diff->subjects[i].n_tests; j++)
			list[n++] = (struct decision){.subject = i,
						      .p = diff->subjects[i].tests[j].p,
						      .p_runs = diff->subjects[i].tests[j].p_runs};
	decision_make(list, n, diff->n_subjects, alpha, alpha);
	for (n = i = 0; i < diff->n_subjects; i++)
		for (j = 0; j < diff->subjects[i].n_tests; j++, n++) {
			diff->subjects[i].tests[j].by_calls = list[n].by_calls;
			diff->subjects[i].tests[j].certain = list[n].certain;
		}
	free(list);
}

/* Changed coefficients explain a difference; without one there is nothing to explain. */
static void decide_terms(struct diff_subject *subject, double alpha)
{
	size_t i;

	for (i = 0; i < subject->n_terms; i++)
		subject->terms[i].certain = subject->terms[i].p <= alpha / (double)subject->n_terms;
}

static void decide_verdict(struct diff_subject *subject)
{
	bool compared = false;
	bool is_so[2] = {false}, may_be[2] = {false}; /* better, worse */
	size_t i;

	for (i = 0; i < subject->n_tests; i++) {
		const struct diff_test *test = &subject->tests[i];
		const bool worse = test->pair.new > test->pair.old;

		/* The mean of a mixture varies with the mix of calls. */
		if (test->kind != DIFF_CALL && test->kind != DIFF_MEAN && test->kind != DIFF_CENTRE)
			continue;
		compared = true;
		is_so[worse] |= test->certain;
		may_be[worse] |= diff_test_is_open(test);
	}
	subject->verdict = is_so[true]     ? DIFF_WORSE
			   : may_be[true]  ? DIFF_INCONCLUSIVE
			   : is_so[false]  ? DIFF_BETTER
			   : may_be[false] ? DIFF_INCONCLUSIVE
					   : DIFF_CONFORMS;
	if (!compared || (subject->reason && (is_so[false] || is_so[true])))
		subject->verdict = DIFF_INCONCLUSIVE;
}

static int by_gravity(const void *a, const void *b)
{
	const struct diff_subject *x = a;
	const struct diff_subject *y = b;
	const double p = fabs(log(diff_change(x)));
	const double q = fabs(log(diff_change(y)));
	const int names = strcmp(x->function, y->function);

	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (p < q || q < p)
		return p < q ? 1 : -1;
	return names ? names : (x->metric > y->metric) - (x->metric < y->metric);
}

/* Are they of one comparison? */
static bool is_same_side(const struct diff_subject *a, const struct diff_subject *b)
{
	return a->side == b->side || (a->side && b->side && !strcmp(a->side, b->side));
}

/*
 * Of the metric and the comparison of @first. The F test of a mean of 0 is the paired t, squared.
 */
static void find_suite(struct diff *diff, const struct diff_subject *first,
		       struct diff_suite *suites)
{
	double *logs = arena_array(diff->arena, double, diff->n_subjects + 1);
	size_t i, n = 0;
	double mean, variance, f;

	for (i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];
		const double ratio = diff_ratio(subject);

		if (subject->metric == first->metric && is_same_side(subject, first) && ratio > 0 &&
		    isfinite(ratio))
			logs[n++] = log(ratio);
	}
	if (n < SUITE_LEAST)
		return;
	mean = stats_mean(logs, n);
	variance = stats_mean_square(logs, n, mean) * (double)n / (double)(n - 1);
	if (!(variance > 0))
		return;
	f = (double)n * mean * mean / variance;
	suites[diff->n_suites++] = (struct diff_suite){
		first->side, first->metric, n, exp(mean), f, gsl_cdf_fdist_Q(f, 1, (double)n - 1)};
}

static void find_suites(struct diff *diff)
{
	struct diff_suite *suites =
		arena_array(diff->arena, struct diff_suite, diff->n_subjects + 1);
	size_t i, j;

	diff->n_suites = 0;
	for (i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *first = &diff->subjects[i];

		for (j = 0; j < i; j++)
			if (diff->subjects[j].metric == first->metric &&
			    is_same_side(&diff->subjects[j], first))
				break;
		if (j == i)
			find_suite(diff, first, suites);
	}
	diff->suites = suites;
}

/* The processor time of the same calls; NULL: it was not measured. */
static const struct diff_subject *find_cpu(const struct diff *diff, const struct diff_subject *time)
{
	size_t i;

	for (i = 0; i < diff->n_subjects; i++)
		if (diff->subjects[i].metric == METRIC_CPU &&
		    is_same_side(&diff->subjects[i], time) &&
		    !strcmp(diff->subjects[i].function, time->function))
			return &diff->subjects[i];
	return NULL;
}

/*
 * On a busy machine time alone is unfair: it got worse, or better, only if processor time may have,
 * too. More runs do not tell.
 */
static void judge_by_cpu(const struct diff *diff, struct diff_subject *subject)
{
	const struct diff_subject *cpu = find_cpu(diff, subject);
	const enum diff_verdict other = subject->verdict == DIFF_WORSE ? DIFF_BETTER : DIFF_WORSE;
	size_t i;

	if (subject->metric != METRIC_TIME || !cpu ||
	    (subject->verdict != DIFF_WORSE && subject->verdict != DIFF_BETTER) ||
	    (cpu->verdict != DIFF_CONFORMS && cpu->verdict != other))
		return;
	for (i = 0; i < subject->n_tests; i++) {
		struct diff_test *test = &subject->tests[i];

		if (!test->certain || !run_spread_is_busy(&test->spread))
			continue;
		test->certain = false;
		test->enough = 0;
	}
	decide_verdict(subject);
}

size_t diff_profiles_decide(struct diff *diff, const struct diff_options *options)
{
	size_t worse = 0;
	size_t i;

	decide_tests(diff, options->alpha);
	for (i = 0; i < diff->n_subjects; i++) {
		decide_terms(&diff->subjects[i], options->alpha);
		decide_verdict(&diff->subjects[i]);
	}
	for (i = 0; i < diff->n_subjects; i++) {
		judge_by_cpu(diff, &diff->subjects[i]);
		worse += diff->subjects[i].verdict == DIFF_WORSE;
	}
	diff_payers_find(diff);
	diff_callees_find(diff);
	find_suites(diff);
	diff_sides_find(diff);
	if (diff->n_subjects)
		qsort(diff->subjects, diff->n_subjects, sizeof(*diff->subjects), by_gravity);
	return worse;
}
