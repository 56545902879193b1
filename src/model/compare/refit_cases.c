/* Assigns rows to cases and terms to columns; refit.c fits, diff_*.c compare. */
#include "refit_cases.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/data/stats.h"

/* Rows, and rows per term, that suffice without those outside the range. */
enum { INSIDE_MIN = 30, INSIDE_TERM = 10 };

/* What another formula leaves of the variance, as a part of this one's, and the least gain. */
#define OTHER_FORM  0.5
#define OTHER_LEAST 0.05

static bool is_number(enum feature_type type)
{
	return type == FEATURE_INT || type == FEATURE_FLOAT;
}

static void case_find_range(const struct annotated_rows *seen, size_t feature, double *ret_low,
			    double *ret_high)
{
	const struct column *column = seen->columns[feature];
	size_t i;

	*ret_low = INFINITY;
	*ret_high = -INFINITY;
	for (i = 0; i < seen->samples->n_rows; i++) {
		if (column->absence[i] != PRESENT || seen->metric->absence[i] != PRESENT)
			continue;
		*ret_low = fmin(*ret_low, column->numbers[i]);
		*ret_high = fmax(*ret_high, column->numbers[i]);
	}
}

void refit_cases_range_find(const struct annotated_rows *a, const struct annotated_rows *b,
			    struct arena *arena, struct refit_range *ret)
{
	const size_t n = a->annotation->n_features;
	size_t i;

	ret->low = arena_array(arena, double, n + 1);
	ret->high = arena_array(arena, double, n + 1);
	for (i = 0; i < n; i++) {
		double low[2], high[2];

		case_find_range(a, i, &low[0], &high[0]);
		case_find_range(b, i, &low[1], &high[1]);
		ret->low[i] = fmax(low[0], low[1]);
		ret->high[i] = fmin(high[0], high[1]);
	}
}

bool refit_cases_range_has(const struct refit_range *range, const struct annotation *annotation,
			   const double *x)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (is_number(annotation->features[i].type) &&
		    !(x[i] >= range->low[i] && x[i] <= range->high[i]))
			return false;
	return true;
}

static bool is_same_term(const struct term *a, const struct term *b)
{
	unsigned i;

	if (a->n_factors != b->n_factors)
		return false;
	for (i = 0; i < a->n_factors; i++) {
		const struct factor *x = &a->factors[i];
		const struct factor *y = &b->factors[i];

		if (x->kind != y->kind || x->feature != y->feature || x->power != y->power ||
		    x->log != y->log || x->base != y->base || x->arguments != y->arguments ||
		    x->reference != y->reference)
			return false;
	}
	return true;
}

/* The union of the models' terms; none if too many. */
static void case_list_terms(struct refit_case *one)
{
	size_t i, j;
	unsigned k;

	for (i = 0; i < annotated_rows_judged(one->in); i++)
		for (j = 0; j < one->in->models[i].mean.n_terms; j++) {
			const struct term *term = &one->in->models[i].mean.terms[j];

			for (k = 0; k < one->p; k++)
				if (is_same_term(one->terms[k], term))
					break;
			if (k == LSQ_COLUMNS) {
				one->p = 0;
				return;
			}
			one->terms[k] = term;
			one->p += k == one->p;
		}
}

static bool case_is_known(const double *x, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (isnan(x[i]))
			return false;
	return true;
}

struct place {
	size_t at; /* case of a row; n_cases: none or unknown */
	bool inside;
};

static struct place case_find_place(struct refit_cases *fits, const struct refit_range *range,
				    size_t row, double *x, struct argument *arguments)
{
	const struct annotation *annotation = fits->seen.annotation;
	struct place place = {.at = annotation->n_cases};

	annotated_rows_numbers(&fits->seen, row, x);
	if (fits->seen.metric->absence[row] != PRESENT || !case_is_known(x, annotation->n_features))
		return place;
	annotated_rows_arguments(&fits->seen, row, arguments);
	place.at = annotated_rows_case(&fits->seen, arguments);
	place.inside = refit_cases_range_has(range, annotation, x);
	fits->n_known++;
	fits->n_beyond += !place.inside;
	fits->n_outside += place.at == annotation->n_cases;
	return place;
}

static void put_row(struct refit_cases *fits, const struct place *place, size_t row)
{
	struct refit_case *one = &fits->cases[place->at];

	if (place->at == fits->seen.annotation->n_cases)
		return;
	one->rows[one->n_rows++] = row;
	if (place->inside)
		one->inside[one->n_inside++] = row;
}

static void case_make_room(struct refit_cases *fits, const struct place *places,
			   struct arena *arena)
{
	const size_t n_cases = fits->seen.annotation->n_cases;
	size_t *counts = arena_array(arena, size_t, n_cases + 1);
	size_t i;

	for (i = 0; i < fits->seen.samples->n_rows; i++)
		counts[places[i].at]++;
	for (i = 0; i < n_cases; i++) {
		fits->cases[i].in = &fits->seen.annotation->cases[i];
		fits->cases[i].rows = arena_array(arena, size_t, counts[i] + 1);
		fits->cases[i].inside = arena_array(arena, size_t, counts[i] + 1);
	}
}

static void case_sort_rows(struct refit_cases *fits, const struct refit_range *range,
			   struct arena *arena)
{
	const struct annotation *annotation = fits->seen.annotation;
	const size_t n = fits->seen.samples->n_rows;
	double *x = arena_array(arena, double, annotation->n_features + 1);
	struct argument *arguments =
		arena_array(arena, struct argument, annotation->n_features + 1);
	struct place *places = mem_alloc((n + 1) * sizeof(*places));
	size_t i;

	fits->cases = arena_array(arena, struct refit_case, annotation->n_cases + 1);
	for (i = 0; i < n; i++)
		places[i] = case_find_place(fits, range, i, x, arguments);
	case_make_room(fits, places, arena);
	for (i = 0; i < n; i++)
		put_row(fits, &places[i], i);
	free(places);
}

static double expected(const struct refit_case *one, const double *values)
{
	double sum = 0;
	unsigned j;

	for (j = 0; j < one->p; j++)
		sum += one->terms[j]->coefficient * values[j];
	return sum;
}

static void case_fill_row(const struct refit_cases *fits, const struct refit_case *one, size_t row,
			  size_t to, double *x, double *const *columns, double *key)
{
	double values[LSQ_COLUMNS];
	unsigned j;

	annotated_rows_numbers(&fits->seen, row, x);
	refit_cases_terms(one, x, values);
	for (j = 0; j < one->p; j++)
		columns[j][to] = values[j];
	key[to] = expected(one, values);
}

/* For mixtures fit the mean: the main trend would follow whichever mode has more calls. */
static bool case_is_plain(const struct refit_case *one)
{
	return annotated_rows_judged(one->in) > 1 || (one->p == 1 && !one->terms[0]->n_factors);
}

static void fit_case(const struct refit_cases *fits, struct refit_case *one, struct arena *arena)
{
	const size_t enough = INSIDE_MIN + INSIDE_TERM * one->p;
	const size_t *rows = one->rows;
	size_t n = one->n_rows;
	struct refit_rows design = {.p = one->p, .plain = case_is_plain(one)};
	double *columns[LSQ_COLUMNS], *y, *key, *x;
	unsigned j;
	size_t i;

	one->uses_inside = one->n_inside >= enough || one->n_inside == n;
	if (one->uses_inside) {
		rows = one->inside;
		n = one->n_inside;
	}
	y = arena_array(arena, double, n + 1);
	key = arena_array(arena, double, n + 1);
	x = arena_array(arena, double, fits->seen.annotation->n_features + 1);
	for (j = 0; j < one->p; j++)
		design.columns[j] = columns[j] = arena_array(arena, double, n + 1);
	for (i = 0; i < n; i++) {
		y[i] = fits->seen.metric->numbers[rows[i]];
		case_fill_row(fits, one, rows[i], i, x, columns, key);
	}
	design.n = n;
	design.y = y;
	design.key = one->p > 1 ? key : NULL;
	one->fitted = one->p && refit_terms(&design, &one->refit);
}

void refit_cases_fit(const struct annotated_rows *seen, const struct refit_range *range,
		     struct arena *arena, struct refit_cases *ret)
{
	size_t i;

	*ret = (struct refit_cases){.seen = *seen};
	case_sort_rows(ret, range, arena);
	for (i = 0; i < seen->annotation->n_cases; i++) {
		case_list_terms(&ret->cases[i]);
		fit_case(ret, &ret->cases[i], arena);
	}
}

void refit_cases_terms(const struct refit_case *one, const double *x, double *ret)
{
	unsigned j;

	for (j = 0; j < one->p; j++)
		ret[j] = annotated_rows_term(one->terms[j], x);
}

double refit_cases_cost(const struct refit_case *one, const double *x, double *ret_error)
{
	double values[LSQ_COLUMNS];

	refit_cases_terms(one, x, values);
	return refit_value(&one->refit, values, ret_error);
}

void refit_cases_runs(const struct refit_cases *of, size_t at, bool by_parts, struct arena *arena,
		      struct run_means *ret)
{
	const struct refit_case *one = &of->cases[at];
	const size_t *rows = one->uses_inside ? one->inside : one->rows;
	const size_t n = one->uses_inside ? one->n_inside : one->n_rows;
	double *x = arena_array(arena, double, of->seen.annotation->n_features + 1);
	double *deviations = arena_array(arena, double, n + 1);
	struct run_rows runs = run_effect_rows(arena, n);
	const struct sample_key *keys = of->seen.samples->keys;
	const bool by_build = run_effect_of_builds(of->seen.samples);
	double ignored;
	size_t i;

	for (i = 0; i < n; i++) {
		const double cost = of->seen.metric->numbers[rows[i]];
		struct annotated_model like = {.at = 0};

		annotated_rows_numbers(&of->seen, rows[i], x);
		if (by_parts)
			like = annotated_rows_model(one->in, x, cost);
		else
			like.mean = refit_cases_cost(one, x, &ignored);
		deviations[i] = fmax(annotation_value(&one->in->models[like.at].deviation, x), 0);
		run_effect_add(&runs, cost - like.mean, like.mean,
			       by_build ? keys[rows[i]].build : keys[rows[i]].run);
	}
	annotated_rows_weigh(runs.bases, deviations, n);
	for (i = 0; i < n; i++) {
		runs.residuals[i] /= deviations[i];
		runs.bases[i] = fabs(runs.bases[i]) / deviations[i];
	}
	run_effect_means(&runs, arena, ret);
	ret->of_builds = by_build;
}

double refit_cases_left(const struct refit_cases *fits, struct arena *arena)
{
	double *costs = arena_array(arena, double, fits->n_known + 1);
	double *left = arena_array(arena, double, fits->n_known + 1);
	double *x = arena_array(arena, double, fits->seen.annotation->n_features + 1);
	double total, ignored;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < fits->seen.annotation->n_cases; i++) {
		const struct refit_case *one = &fits->cases[i];

		for (j = 0; one->fitted && j < one->n_inside; j++, n++) {
			costs[n] = fits->seen.metric->numbers[one->inside[j]];
			annotated_rows_numbers(&fits->seen, one->inside[j], x);
			left[n] = costs[n] - refit_cases_cost(one, x, &ignored);
		}
	}
	total = stats_mean_square(costs, n, stats_mean(costs, n));
	return n && total > 0 ? stats_mean_square(left, n, 0) / total : NAN;
}

bool refit_cases_is_other(double now, double old)
{
	return now < OTHER_FORM * old && old - now > OTHER_LEAST;
}
