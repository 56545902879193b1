/*
 * The tests of a diff. How laws are fitted is law.c's matter, what changed of the calls workload.c's.
 *
 * A test's hypothesis is that a difference is at most the tolerance; Holm's correction (1979) keeps one rate of false alarms for all.
 */
#include "model/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>

#include "model/law.h"
#include "model/series.h"
#include "model/workload.h"

/* Residuals beyond so many robust deviations are left out, if that are at most this part of both profiles. */
#define FAR      12.0
#define FAR_PART 0.02

/* What the new formula must leave of the variance, as a part of what the old one leaves, and in all. */
#define OTHER_FORM  0.5
#define OTHER_LEAST 0.05

/* Calls in no case must be more than this part. */
#define OUTSIDE_MOST 0.01

/* Equal costs may differ by rounding. */
#define ROUNDING 1e-9

#define INTERVAL 0.95

/* Which typical calls are compared: those than which this part of the calls is expected to cost less. */
static const double typical[] = {0.5, 0.9};

enum { TYPICAL = sizeof(typical) / sizeof(*typical), CASE_TESTS = 2 * TYPICAL + 1 };

struct differ {
	struct diff *diff;
	struct diff_subject *subject;
	const struct diff_options *options;
	struct arena *arena; /* for the time of diff_add() */
	double resolution;
	struct law old, new; /* of the old annotation, in both profiles */
	struct law_range range;
	struct law own; /* of the new annotation in the new profile */
	bool has_own;
	struct annotated
		own_old; /* the new annotation in the old profile; its columns may be missing */
	struct law_range own_range;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/*
 * The chance that @new is no more than the tolerance away from @old, or than @least, less than which cannot be told from nothing.
 */
static double chance(const struct differ *differ, const struct diff_pair *pair, double old_error,
		     double new_error, double freedom, double least)
{
	const double tolerance = differ->options->tolerance;
	const double old = pair->old;
	const double new = pair->new;
	const double side = new > old ? 1 + tolerance : 1 - tolerance;
	const double allowed = larger((tolerance + ROUNDING) * fabs(old), least);

	return series_chance(new - old, allowed, hypot(new_error, side * old_error), freedom);
}

/* Of positive numbers, by the errors of their logarithms. */
static struct diff_pair make_pair(double old, double old_error, double new, double new_error,
				  double freedom)
{
	struct diff_pair pair = {.old = old, .new = new, .low = NAN, .high = NAN};
	const double error = hypot(old_error / old, new_error / new);

	if (old > 0 && new > 0 && error < 0.5) {
		const double t = gsl_cdf_tdist_Pinv(0.5 + INTERVAL / 2, larger(freedom, 1));

		pair.low = new / old *exp(-t * error);
		pair.high = new / old *exp(t * error);
	}
	return pair;
}

static struct diff_test *add_test(struct differ *differ, enum diff_kind kind,
				  const struct annotation_case *in)
{
	struct diff_test *test = &differ->subject->tests[differ->subject->n_tests++];

	*test = (struct diff_test){.kind = kind, .in = in, .p = 1};
	return test;
}

/* The case of the new profile's own law that @x, features of the new annotation, belongs to; NULL: none that was fitted. */
static const struct law_case *own_case(const struct differ *differ, const struct annotated *seen,
				       size_t row)
{
	const size_t n = seen->annotation->n_features;
	struct argument *arguments = arena_array(differ->arena, struct argument, n + 1);
	size_t at;

	annotated_arguments(seen, row, arguments);
	at = annotated_case(seen, arguments);
	return at < seen->annotation->n_cases && differ->own.cases[at].fitted
		       ? &differ->own.cases[at]
		       : NULL;
}

/* What the new profile says of the call in @row of one of the profiles. False: nothing. */
static bool new_cost(const struct differ *differ, const struct law_case *one, const double *x,
		     bool from_new, size_t row, double *ret, double *ret_error, double *ret_freedom)
{
	const struct annotated *seen = from_new ? &differ->own.seen : &differ->own_old;
	double *own_x;

	if (differ->subject->other_form) {
		if (seen->missing)
			return false;
		own_x = arena_array(differ->arena, double, seen->annotation->n_features + 1);
		annotated_numbers(seen, row, own_x);
		if (!law_range_has(&differ->own_range, seen->annotation, own_x))
			return false;
		one = own_case(differ, seen, row);
		x = own_x;
	}
	if (!one || !one->fitted)
		return false;
	*ret = law_cost(one, x, ret_error);
	*ret_freedom = one->refit.freedom;
	return isfinite(*ret) && isfinite(*ret_error);
}

/* The features of the call, for people: those of the formula that has them. */
static void copy_features(const struct differ *differ, const struct annotated *seen, size_t row,
			  struct diff_test *test)
{
	double *x = arena_array(differ->diff->arena, double, seen->annotation->n_features + 1);

	annotated_numbers(seen, row, x);
	test->x = x;
	test->features = seen->annotation;
}

static void test_call(struct differ *differ, size_t at, bool from_new, size_t row, double share)
{
	const struct law_case *old = &differ->old.cases[at];
	const struct annotated *seen = from_new ? &differ->new.seen : &differ->old.seen;
	const struct annotated *own = from_new ? &differ->own.seen : &differ->own_old;
	double *x = arena_array(differ->arena, double, seen->annotation->n_features + 1);
	double cost, error, now, now_error, freedom;
	struct diff_test *test;

	annotated_numbers(seen, row, x);
	cost = law_cost(old, x, &error);
	if (!isfinite(cost) || !isfinite(error) ||
	    !new_cost(differ, &differ->new.cases[at], x, from_new, row, &now, &now_error, &freedom))
		return;
	freedom = fmin(freedom, old->refit.freedom);
	test = add_test(differ, DIFF_CALL, old->in);
	copy_features(differ, differ->subject->other_form ? own : seen, row, test);
	test->from_new = from_new;
	test->share = share;
	test->pair = make_pair(cost, error, now, now_error, freedom);
	test->p = chance(differ, &test->pair, error, now_error, freedom, differ->resolution);
}

struct expected_row {
	double cost;
	size_t row;
};

static int by_cost(const void *a, const void *b)
{
	const struct expected_row *x = a;
	const struct expected_row *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Of a formula whose columns depend on others in one of the profiles nothing is known where they do not. */
static bool is_whole(const struct law_case *one)
{
	unsigned j;

	for (j = 0; j < one->p; j++)
		if (one->refit.dropped[j])
			return false;
	return true;
}

/* Compare the typical calls of one profile within a case. */
static void test_calls(struct differ *differ, size_t at, bool from_new)
{
	const struct law *from = from_new ? &differ->new : &differ->old;
	const struct law_case *one = &from->cases[at];
	const struct law_case *other = from_new ? &differ->old.cases[at] : &differ->new.cases[at];
	struct expected_row *rows = mem_alloc((one->n_inside + 1) * sizeof(*rows));
	double *x = arena_array(differ->arena, double, from->seen.annotation->n_features + 1);
	double ignored;
	size_t i;

	for (i = 0; i < one->n_inside; i++) {
		annotated_numbers(&from->seen, one->inside[i], x);
		rows[i] = (struct expected_row){law_cost(&differ->old.cases[at], x, &ignored),
						one->inside[i]};
	}
	qsort(rows, one->n_inside, sizeof(*rows), by_cost);
	for (i = 0; i < TYPICAL && one->n_inside; i++) {
		const size_t index = (size_t)(typical[i] * (double)(one->n_inside - 1));

		if (!other->fitted || is_whole(other))
			test_call(differ, at, from_new, rows[index].row, typical[i]);
		if (rows[0].cost == rows[one->n_inside - 1].cost)
			break;
	}
	free(rows);
}

/* What a law leaves over, and the mean of its terms. */
struct leftover {
	double *residual;
	size_t n;
	double terms[LSQ_COLUMNS];
	double cost; /* mean */
};

static void find_leftover(const struct differ *differ, const struct law *rows_of, size_t at,
			  struct leftover *ret)
{
	const struct law_case *old = &differ->old.cases[at];
	const struct law_case *one = &rows_of->cases[at];
	const size_t *rows = one->n_inside ? one->inside : one->rows;
	double *x =
		arena_array(differ->arena, double, old->p + rows_of->seen.annotation->n_features);
	double values[LSQ_COLUMNS], ignored;
	unsigned j;
	size_t i;

	*ret = (struct leftover){.n = one->n_inside ? one->n_inside : one->n_rows};
	ret->residual = arena_array(differ->arena, double, ret->n + 1);
	for (i = 0; i < ret->n; i++) {
		const double cost = rows_of->seen.metric->numbers[rows[i]];

		annotated_numbers(&rows_of->seen, rows[i], x);
		law_terms(old, x, values);
		for (j = 0; j < old->p; j++)
			ret->terms[j] += values[j] / (double)ret->n;
		ret->residual[i] = cost - refit_value(&old->refit, values, &ignored);
		ret->cost += cost / (double)ret->n;
	}
}

/* How far from their median residuals are far away. */
static double far_limit(const struct differ *differ, const struct leftover *one, double middle)
{
	double *away = arena_array(differ->arena, double, one->n + 1);
	size_t i;

	for (i = 0; i < one->n; i++)
		away[i] = fabs(one->residual[i] - middle);
	return FAR * 1.4826 * series_median(away, one->n);
}

/* Move those that are far away to the end. Returns how many are left. */
static size_t part_far(const struct differ *differ, struct leftover *one)
{
	const double middle = series_median(one->residual, one->n);
	const double limit = far_limit(differ, one, middle);
	size_t kept = 0;
	size_t i;
	double *far = arena_array(differ->arena, double, one->n + 1);
	size_t n_far = 0;

	for (i = 0; i < one->n; i++)
		if (limit > 0 && fabs(one->residual[i] - middle) > limit)
			far[n_far++] = one->residual[i];
		else
			one->residual[kept++] = one->residual[i];
	memcpy(&one->residual[kept], far, n_far * sizeof(*far));
	return kept;
}

/* A few calls that had to wait for something are left out, of both or of none. */
static void leave_out_far(const struct differ *differ, struct leftover *old, struct leftover *new)
{
	double *before[2];
	size_t kept[2];

	before[0] = arena_copy(differ->arena, old->residual, (old->n + 1) * sizeof(double));
	before[1] = arena_copy(differ->arena, new->residual, (new->n + 1) * sizeof(double));
	kept[0] = part_far(differ, old);
	kept[1] = part_far(differ, new);
	if ((double)kept[0] >= (1 - FAR_PART) * (double)old->n &&
	    (double)kept[1] >= (1 - FAR_PART) * (double)new->n) {
		old->n = kept[0];
		new->n = kept[1];
		return;
	}
	old->residual = before[0];
	new->residual = before[1];
}

/*
 * What the new calls cost in the mean beyond what the old law says of them: this finds also what only some calls pay, and what
 * has no place in the formula.
 */
static void test_mean(struct differ *differ, size_t at)
{
	struct leftover old, new;
	double away, expected, freedom, error[2], step;
	struct diff_test *test;
	unsigned j;

	find_leftover(differ, &differ->old, at, &old);
	find_leftover(differ, &differ->new, at, &new);
	if (old.n < REFIT_ROWS_MIN || new.n < REFIT_ROWS_MIN)
		return;
	step = refit_step_error(&differ->old.cases[at].refit, old.terms, new.terms);
	leave_out_far(differ, &old, &new);
	away = series_mean(new.residual, new.n) - series_mean(old.residual, old.n);
	error[0] = hypot(series_error(old.residual, old.n), step);
	error[1] = series_error(new.residual, new.n);
	freedom =
		fmin(series_effective(old.residual, old.n), series_effective(new.residual, new.n)) -
		1;
	for (expected = 0, j = 0; j < differ->old.cases[at].p; j++)
		expected += differ->old.cases[at].refit.coefficients[j] * new.terms[j];
	expected += series_mean(old.residual, old.n);
	test = add_test(differ, DIFF_MEAN, differ->old.cases[at].in);
	test->pair = make_pair(expected, error[0], expected + away, error[1], freedom);
	test->p = chance(differ, &test->pair, error[0], error[1], freedom, differ->resolution);
}

/* The coefficients of a formula in both profiles, if all could be told. */
static void compare_terms(struct differ *differ, size_t at)
{
	const struct law_case *old = &differ->old.cases[at];
	const struct law_case *new = &differ->new.cases[at];
	const double freedom = fmin(old->refit.freedom, new->refit.freedom);
	unsigned j;

	if (!old->fitted || !new->fitted || !is_whole(old) || !is_whole(new) ||
	    differ->subject->other_form)
		return;
	for (j = 0; j < old->p; j++) {
		const double a_error = old->refit.std_errors[j];
		const double b_error = new->refit.std_errors[j];
		struct diff_term *term = &differ->subject->terms[differ->subject->n_terms++];

		*term = (struct diff_term){.in = old->in, .term = old->terms[j]};
		term->pair = make_pair(old->refit.coefficients[j], a_error,
				       new->refit.coefficients[j], b_error, freedom);
		term->p = chance(differ, &term->pair, a_error, b_error, freedom, 0);
	}
}

/* A part of a mixture in one profile: which calls are most likely of it, and what they cost. */
struct part {
	double share, share_error, cost, cost_error, freedom;
	size_t n;
};

static void find_part(const struct differ *differ, const struct law *law, size_t at, unsigned model,
		      struct part *ret)
{
	const struct law_case *one = &law->cases[at];
	const size_t n_models = one->in->n_models;
	double *x = arena_array(differ->arena, double, law->seen.annotation->n_features + 1);
	double *means = arena_array(differ->arena, double, n_models);
	double *deviations = arena_array(differ->arena, double, n_models);
	double *is_in = arena_array(differ->arena, double, one->n_inside + 1);
	double *costs = arena_array(differ->arena, double, one->n_inside + 1);
	size_t i, j;

	*ret = (struct part){.freedom = 1};
	for (i = 0; i < one->n_inside; i++) {
		const double cost = law->seen.metric->numbers[one->inside[i]];

		annotated_numbers(&law->seen, one->inside[i], x);
		for (j = 0; j < n_models; j++) {
			means[j] = formula_value(&one->in->models[j].mean, x);
			deviations[j] = formula_value(&one->in->models[j].deviation, x);
		}
		if (annotated_model(one->in, means, deviations, cost) != model)
			continue;
		is_in[i] = 1;
		costs[ret->n++] = cost;
	}
	ret->share = series_mean(is_in, one->n_inside);
	ret->share_error = series_error(is_in, one->n_inside);
	ret->freedom = fmax((double)ret->n - 1, 1);
	ret->cost = series_mean(costs, ret->n);
	ret->cost_error = series_error(costs, ret->n);
}

static void test_part(struct differ *differ, size_t at, unsigned model)
{
	const double tolerance = differ->options->tolerance;
	struct part old, new;
	struct diff_test *test;

	find_part(differ, &differ->old, at, model, &old);
	find_part(differ, &differ->new, at, model, &new);
	test = add_test(differ, DIFF_SHARE, differ->old.cases[at].in);
	test->model = model;
	test->pair = (struct diff_pair){old.share, new.share, NAN, NAN};
	test->p = series_chance(new.share - old.share, tolerance,
				hypot(old.share_error, new.share_error),
				(double)differ->old.cases[at].n_inside - 1);
	if (old.n < REFIT_ROWS_MIN || new.n < REFIT_ROWS_MIN)
		return;
	test = add_test(differ, DIFF_CENTRE, differ->old.cases[at].in);
	test->model = model;
	test->pair = make_pair(old.cost, old.cost_error, new.cost, new.cost_error,
			       fmin(old.freedom, new.freedom));
	test->p = chance(differ, &test->pair, old.cost_error, new.cost_error,
			 fmin(old.freedom, new.freedom), differ->resolution);
}

static void test_case(struct differ *differ, size_t at)
{
	const struct annotation_case *in = differ->old.cases[at].in;
	unsigned i;

	if (!differ->old.cases[at].fitted || differ->new.cases[at].n_inside < REFIT_ROWS_MIN)
		return;
	test_calls(differ, at, false);
	test_calls(differ, at, true);
	test_mean(differ, at);
	compare_terms(differ, at);
	for (i = 0; in->n_models > 1 && i < in->n_models; i++)
		test_part(differ, at, i);
}

/* Calls that are in no case of the old model, of which there were none or few. */
static void test_outside(struct differ *differ)
{
	const double old = (double)differ->old.n_outside / fmax((double)differ->old.n_known, 1);
	const double new = (double)differ->new.n_outside / fmax((double)differ->new.n_known, 1);
	const double most = fmax(old, OUTSIDE_MOST);
	struct diff_test *test;

	if (differ->new.n_known < REFIT_ROWS_MIN || !(new > most))
		return;
	test = add_test(differ, DIFF_OUTSIDE, NULL);
	test->pair = (struct diff_pair){old, new, NAN, NAN};
	test->p = gsl_cdf_binomial_Q((unsigned)differ->new.n_outside - 1, most,
				     (unsigned)differ->new.n_known);
}

static void make_room(struct differ *differ)
{
	struct arena *arena = differ->diff->arena;
	const struct annotation *old = differ->subject->old;
	size_t tests = 1;
	size_t i;

	for (i = 0; i < old->n_cases; i++)
		tests += CASE_TESTS + 2 * old->cases[i].n_models;
	differ->subject->tests = arena_array(arena, struct diff_test, tests);
	differ->subject->terms =
		arena_array(arena, struct diff_term, old->n_cases * LSQ_COLUMNS + 1);
}

/* The rows within @range of all cases of @law: how much of their variance their fits leave. */
static double left_part(const struct differ *differ, const struct law *law)
{
	double *costs = arena_array(differ->arena, double, law->n_known + 1);
	double *left = arena_array(differ->arena, double, law->n_known + 1);
	double *x = arena_array(differ->arena, double, law->seen.annotation->n_features + 1);
	double total, ignored;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < law->seen.annotation->n_cases; i++) {
		const struct law_case *one = &law->cases[i];

		for (j = 0; one->fitted && j < one->n_inside; j++, n++) {
			costs[n] = law->seen.metric->numbers[one->inside[j]];
			annotated_numbers(&law->seen, one->inside[j], x);
			left[n] = costs[n] - law_cost(one, x, &ignored);
		}
	}
	total = series_mean_square(costs, n, series_mean(costs, n));
	return n && total > 0 ? series_mean_square(left, n, 0) / total : NAN;
}

/* Does the new profile need a formula of its own, where the old one could have seen the difference? */
static void judge_form(struct differ *differ)
{
	const double old = left_part(differ, &differ->new);
	const double own = differ->has_own ? left_part(differ, &differ->own) : NAN;

	differ->subject->r2_old_form = 1 - old;
	differ->subject->r2_new_form = 1 - own;
	differ->subject->other_form = own < OTHER_FORM * old && old - own > OTHER_LEAST;
}

/* The old law in both profiles. False: there is none, or the new one lacks something. */
static bool fit_laws(struct differ *differ, const struct samples *old, const struct samples *new)
{
	struct diff_subject *subject = differ->subject;
	struct annotated seen[2];

	if (!annotated_find(subject->old, old, differ->arena, &seen[0]) ||
	    !annotated_find(subject->old, new, differ->arena, &seen[1])) {
		const char *missing = seen[0].missing ? seen[0].missing : seen[1].missing;

		subject->reason = arena_printf(differ->diff->arena, "the %s profile has no %s",
					       seen[0].missing ? "old" : "new", missing);
		return false;
	}
	law_range_find(&seen[0], &seen[1], differ->arena, &differ->range);
	law_fit(&seen[0], &differ->range, differ->arena, &differ->old);
	law_fit(&seen[1], &differ->range, differ->arena, &differ->new);
	subject->beyond = differ->new.n_known
				  ? (double)differ->new.n_beyond / (double)differ->new.n_known
				  : 0;
	return true;
}

/* The new law, within what both observed of its features. */
static void fit_own(struct differ *differ, const struct samples *old, const struct samples *new)
{
	const struct annotation *model = differ->subject->new;
	struct annotated seen;

	if (!annotated_find(model, new, differ->arena, &seen))
		return;
	annotated_find(model, old, differ->arena, &differ->own_old);
	law_range_find(&seen, differ->own_old.missing ? &seen : &differ->own_old, differ->arena,
		       &differ->own_range);
	law_fit(&seen, &differ->own_range, differ->arena, &differ->own);
	differ->has_own = true;
}

/* What is known beforehand about who cannot be compared. */
static bool is_comparable(struct differ *differ)
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

static const char *why_untested(const struct differ *differ)
{
	struct diff_subject *subject = differ->subject;

	if (subject->n_tests)
		return NULL;
	if (subject->beyond > 0.5)
		return "the new calls are outside of what the old profile observed";
	return "too few calls of both profiles have features alike";
}

static void compare(struct differ *differ, const struct samples *old, const struct samples *new)
{
	size_t i;

	if (!is_comparable(differ) || !fit_laws(differ, old, new))
		return;
	make_room(differ);
	fit_own(differ, old, new);
	judge_form(differ);
	workload_compare(differ->diff, differ->subject, &differ->old.seen, &differ->new.seen,
			 differ->options);
	for (i = 0; i < differ->subject->old->n_cases; i++)
		test_case(differ, i);
	differ->subject->reason = why_untested(differ);
	test_outside(differ);
	if (!differ->subject->reason)
		differ->subject->reason =
			workload_confounder(differ->diff, differ->subject, old, new);
}

static double find_resolution(const struct samples *old, const struct samples *new,
			      enum metric metric)
{
	const enum metric total = metric_total(metric);

	return larger(old->resolution[total], new->resolution[total]);
}

void diff_add(struct diff *diff, const struct samples *old, const struct samples *new,
	      struct annotation *old_model, struct annotation *new_model,
	      const struct diff_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct differ differ = {.diff = diff, .options = options, .arena = arena_create()};

	differ.resolution = find_resolution(old, new, old_model->metric);
	differ.subject = diff_add_subject(diff, old_model->function, old_model->metric);
	differ.subject->old = old_model;
	differ.subject->new = new_model;
	differ.subject->n_old = workload_mean(old, old_model->metric, &differ.subject->mean_old);
	differ.subject->n_new = workload_mean(new, old_model->metric, &differ.subject->mean_new);
	compare(&differ, old, new);
	arena_destroy(differ.arena);
	gsl_set_error_handler(handler);
}

static int by_chance(const void *a, const void *b)
{
	const struct diff_test *const *x = a;
	const struct diff_test *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

static void decide_tests(struct diff *diff, double alpha)
{
	struct diff_test **order;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < diff->n_subjects; i++)
		n += diff->subjects[i].n_tests;
	order = mem_alloc((n + 1) * sizeof(*order));
	for (n = i = 0; i < diff->n_subjects; i++)
		for (j = 0; j < diff->subjects[i].n_tests; j++)
			order[n++] = &diff->subjects[i].tests[j];
	qsort(order, n, sizeof(*order), by_chance);
	for (i = 0; i < n && order[i]->p <= alpha / (double)(n - i); i++)
		order[i]->certain = true;
	free(order);
}

/* Which coefficients changed says where a difference is; there is none to be explained without one. */
static void decide_terms(struct diff_subject *subject, double alpha)
{
	size_t i;

	for (i = 0; i < subject->n_terms; i++)
		subject->terms[i].certain = subject->terms[i].p <= alpha / (double)subject->n_terms;
}

static void decide_verdict(struct diff_subject *subject)
{
	bool compared = false, worse = false, better = false;
	size_t i;

	for (i = 0; i < subject->n_tests; i++) {
		const struct diff_test *test = &subject->tests[i];

		if (test->kind != DIFF_CALL && test->kind != DIFF_MEAN)
			continue;
		compared = true;
		worse |= test->certain && test->pair.new > test->pair.old;
		better |= test->certain && test->pair.new < test->pair.old;
	}
	subject->verdict = worse ? DIFF_WORSE : better ? DIFF_BETTER : DIFF_SAME;
	if (!compared || (subject->reason && (worse || better)))
		subject->verdict = DIFF_UNKNOWN;
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
	if (p != q)
		return p < q ? 1 : -1;
	return names ? names : (x->metric > y->metric) - (x->metric < y->metric);
}

size_t diff_decide(struct diff *diff, const struct diff_options *options)
{
	size_t worse = 0;
	size_t i;

	decide_tests(diff, options->alpha);
	for (i = 0; i < diff->n_subjects; i++) {
		decide_terms(&diff->subjects[i], options->alpha);
		decide_verdict(&diff->subjects[i]);
		worse += diff->subjects[i].verdict == DIFF_WORSE;
	}
	if (diff->n_subjects)
		qsort(diff->subjects, diff->n_subjects, sizeof(*diff->subjects), by_gravity);
	return worse;
}
