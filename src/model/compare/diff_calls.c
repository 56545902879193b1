/* Compares predictions of both profiles for typical calls, and the terms one by one. */
#include "diff_state.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/data/moments.h"
#include "model/data/stats.h"

/* Neighbours of a call: a part of all; and the part of a difference that they must show. */
enum { NEAR_PART = 4, NEAR_MIN = 8 };
#define SEEN_PART 0.4

/* Quantiles of the expected costs that are typical. */
static const double typical[DIFFER_TYPICAL] = {0.5, 0.9};

/* The fitted case of @fits, of the new annotation, for row @row of @seen; NULL: none. */
static const struct refit_case *own_case(const struct diff_state *differ,
					 const struct refit_cases *fits,
					 const struct annotated_rows *seen, size_t row)
{
	const size_t n = seen->annotation->n_features;
	struct argument *arguments = arena_array(differ->arena, struct argument, n + 1);
	size_t at;

	annotated_rows_arguments(seen, row, arguments);
	at = annotated_rows_case(seen, arguments);
	return at < seen->annotation->n_cases && fits->cases[at].fitted ? &fits->cases[at] : NULL;
}

struct predicted {
	double cost, error, freedom;
};

/*
 * The prediction for row @row of a profile, by @form, fits of the new formula, or by @one at @x if
 * that is NULL. False: none.
 */
static bool predict_row(const struct diff_state *differ, const struct refit_cases *form,
			const struct refit_case *one, const double *x, bool from_new, size_t row,
			struct predicted *ret)
{
	const struct annotated_rows *seen = from_new ? &differ->own.seen : &differ->own_old;
	double *own_x;

	if (form) {
		if (seen->missing)
			return false;
		own_x = arena_array(differ->arena, double, seen->annotation->n_features + 1);
		annotated_rows_numbers(seen, row, own_x);
		if (form == &differ->own &&
		    !refit_cases_range_has(&differ->own_range, seen->annotation, own_x))
			return false;
		one = own_case(differ, form, seen, row);
		x = own_x;
	}
	if (!one || !one->fitted)
		return false;
	ret->cost = refit_cases_cost(one, x, &ret->error);
	ret->freedom = one->refit.freedom;
	return isfinite(ret->cost) && isfinite(ret->error);
}

/* Copy the call's features that are in the formula. */
static void copy_features(const struct diff_state *differ, const struct annotated_rows *seen,
			  size_t row, struct diff_test *test)
{
	double *x = arena_array(differ->diff->arena, double, seen->annotation->n_features + 1);

	annotated_rows_numbers(seen, row, x);
	test->x = x;
	test->features = seen->annotation;
}

/* Median residual from the old formula of calls with costs near @cost. NAN: none. */
static double left_near(const struct diff_state *differ, const struct refit_cases *fits, size_t at,
			double cost)
{
	const struct refit_case *one = &fits->cases[at];
	const size_t *rows = one->n_inside ? one->inside : one->rows;
	const size_t n = one->n_inside ? one->n_inside : one->n_rows;
	const size_t near = n / NEAR_PART > NEAR_MIN ? n / NEAR_PART : NEAR_MIN;
	struct point *away = mem_alloc((n + 1) * sizeof(*away));
	double *left = mem_alloc((n + 1) * sizeof(*left));
	double *x = arena_array(differ->arena, double, fits->seen.annotation->n_features + 1);
	double expected, ignored, middle;
	size_t i;

	for (i = 0; i < n; i++) {
		annotated_rows_numbers(&fits->seen, rows[i], x);
		expected = refit_cases_cost(&differ->old.cases[at], x, &ignored);
		away[i] = (struct point){fabs(expected - cost), i};
		left[i] = fits->seen.metric->numbers[rows[i]] - expected;
	}
	moments_sort_points(away, n);
	for (i = 0; i < n && i < near; i++)
		away[i].x = left[(size_t)away[i].y];
	for (i = 0; i < n && i < near; i++)
		left[i] = away[i].x;
	middle = i ? stats_median(left, i) : NAN;
	free(away);
	free(left);
	return middle;
}

/*
 * A formula may be wrong for some calls (modes that it does not separate), so the calls around must
 * show a good part of the predicted difference.
 */
static bool is_seen(const struct diff_state *differ, size_t at, const struct diff_pair *pair)
{
	const double claimed = pair->new - pair->old;
	const double seen = left_near(differ, &differ->new, at, pair->old) -
			    left_near(differ, &differ->old, at, pair->old);

	return seen / claimed >= SEEN_PART || isnan(seen);
}

static void test_call(struct diff_state *differ, size_t at, bool from_new, size_t row, double share)
{
	const struct refit_case *old = &differ->old.cases[at];
	const struct annotated_rows *seen = from_new ? &differ->new.seen : &differ->old.seen;
	const struct annotated_rows *own = from_new ? &differ->own.seen : &differ->own_old;
	double *x = arena_array(differ->arena, double, seen->annotation->n_features + 1);
	/*
	 * By the new formula's form if that differs and describes the old calls as well: else a
	 * misfit that both forms share would look like a change.
	 */
	const bool other = differ->subject->other_form;
	const struct refit_cases *past = other && differ->has_past ? &differ->own_past : NULL;
	struct predicted before, now;
	struct diff_test *test;

	annotated_rows_numbers(seen, row, x);
	if (!predict_row(differ, past, old, x, from_new, row, &before) ||
	    !predict_row(differ, other ? &differ->own : NULL, &differ->new.cases[at], x, from_new,
			 row, &now))
		return;
	test = diff_tests_add(differ, DIFF_CALL, old->in);
	copy_features(differ, other ? own : seen, row, test);
	test->from_new = from_new;
	test->share = share;
	diff_tests_judge(differ, test, before.cost, before.error, now.cost, now.error,
			 fmin(before.freedom, now.freedom));
	if (test->p < 1 && !is_seen(differ, at, &test->pair))
		test->p = 1;
}

/* Where columns were dropped as dependent, nothing is known outside that dependence. */
static bool typical_is_whole(const struct refit_case *one)
{
	unsigned j;

	for (j = 0; j < one->p; j++)
		if (one->refit.dropped[j])
			return false;
	return true;
}

/* With one term all calls change by the same factor: one of them is enough. */
static bool is_enough(const struct diff_state *differ, size_t at, bool from_new)
{
	const struct refit_case *old = &differ->old.cases[at];

	return from_new && old->p == 1 && old->n_inside && !differ->subject->other_form;
}

void diff_calls_test(struct diff_state *differ, size_t at, bool from_new)
{
	const struct refit_cases *from = from_new ? &differ->new : &differ->old;
	const struct refit_case *one = &from->cases[at];
	const struct refit_case *other = from_new ? &differ->old.cases[at] : &differ->new.cases[at];
	struct point *rows;
	double *x = arena_array(differ->arena, double, from->seen.annotation->n_features + 1);
	double ignored;
	size_t i;

	if (is_enough(differ, at, from_new))
		return;
	rows = mem_alloc((one->n_inside + 1) * sizeof(*rows));
	for (i = 0; i < one->n_inside; i++) {
		annotated_rows_numbers(&from->seen, one->inside[i], x);
		rows[i] = (struct point){refit_cases_cost(&differ->old.cases[at], x, &ignored),
					 one->inside[i]};
	}
	moments_sort_points(rows, one->n_inside);
	for (i = 0; i < DIFFER_TYPICAL && one->n_inside; i++) {
		const size_t index = (size_t)(typical[i] * (double)(one->n_inside - 1));

		if (!other->fitted || typical_is_whole(other))
			test_call(differ, at, from_new, (size_t)rows[index].y, typical[i]);
		if (rows[0].x == rows[one->n_inside - 1].x ||
		    (one->p == 1 && !differ->subject->other_form))
			break;
	}
	free(rows);
}

void diff_calls_terms(struct diff_state *differ, size_t at)
{
	const struct refit_case *old = &differ->old.cases[at];
	const struct refit_case *new = &differ->new.cases[at];
	const double freedom = fmin(old->refit.freedom, new->refit.freedom);
	unsigned j;

	if (!old->fitted || !new->fitted || !typical_is_whole(old) || !typical_is_whole(new) ||
	    differ->subject->other_form)
		return;
	for (j = 0; j < old->p; j++) {
		const double a_error = old->refit.std_errors[j];
		const double b_error = new->refit.std_errors[j];
		struct diff_term *term = &differ->subject->terms[differ->subject->n_terms++];

		*term = (struct diff_term){.in = old->in, .term = old->terms[j]};
		term->pair = diff_tests_pair(old->refit.coefficients[j], a_error,
					     new->refit.coefficients[j], b_error, freedom);
		term->p = diff_tests_chance(differ, &term->pair, a_error, b_error, freedom, 0);
	}
}
