/*
 * The own part is the function's cost less that of callees; half of the calls judge what the other
 * half gives.
 */
#include "compose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "compose_write.h"
#include "inner_calls.h"
#include "model/data/row_expectation.h"
#include "model/data/stats.h"
#include "model/model_build.h"
#include "model/regression/deviation.h"

#define MATTERS 0.05 /* a callee's least part of the cost */
#define AS_WELL 0.01 /* R² may be so much less */
#define NEAR    0.98 /* calls far from both models judge neither */
enum { CALLS_LEAST = 60 };

struct part {
	const struct compose_callee *callee;
	struct inner_calls calls;
	double share;
	struct bindings bindings;
	const char *why; /* it is within the own part; NULL: it has a reference */
};

struct composing {
	const struct samples *samples;
	enum metric metric;
	const struct annotation *direct;
	const struct model_options *options;
	struct arena *arena;
	struct part *parts;
	size_t n;
	struct bound_callee *bound;
	size_t n_bound;
	struct annotation_list all; /* those referred to */
	double *costs, *own;        /* [n_rows]; NAN: not known */
};

/* A table of the rows @is_kept (NULL: all), with features and, as @metric, @costs. */
static struct samples *compose_table(const struct composing *composing, const double *costs,
				     const bool *is_kept)
{
	const struct samples *from = composing->samples;
	const char *keyword = metric_info(composing->metric)->keyword;
	struct samples *ret = samples_create(from->function, from->linkage, from->file, from->line);
	struct value *cells = arena_array(composing->arena, struct value, from->n_columns + 1);
	size_t *at = arena_array(composing->arena, size_t, from->n_columns + 1);

	for (size_t i = 0; i < from->n_columns; i++) {
		const struct column *column = &from->columns[i];

		at[i] = SIZE_MAX;
		if (column->role == COLUMN_KEY ||
		    (column->role == COLUMN_METRIC && strcmp(column->name, keyword)))
			continue;
		at[i] = samples_add_column(ret, column);
		ret->columns[at[i]].is_derived = column->is_derived;
		for (size_t j = 0; j < column->n_labels; j++)
			samples_add_label(ret, at[i], column->labels[j].number,
					  column->labels[j].name);
	}
	for (size_t row = 0; row < from->n_rows; row++) {
		for (size_t i = 0; i < from->n_columns; i++) {
			const struct column *column = &from->columns[i];

			if (at[i] == SIZE_MAX)
				continue;
			cells[at[i]] = column->role == COLUMN_METRIC
					       ? (struct value){.number = costs[row]}
					       : (struct value){column->numbers[row],
								column->absence[row]};
		}
		if (!is_kept || is_kept[row])
			samples_append(ret, &from->keys[row], cells);
	}
	samples_set_module(ret, from->module);
	memcpy(ret->resolution, from->resolution, sizeof(ret->resolution));
	ret->stolen = from->stolen;
	ret->n_calls = from->n_calls;
	ret->total_us = from->total_us;
	return ret;
}

static struct annotation *compose_model(const struct composing *composing, const double *costs,
					const bool *is_kept)
{
	struct samples *table = compose_table(composing, costs, is_kept);
	struct annotation *ret = model_build(table, composing->metric, composing->options);

	samples_destroy(table);
	return ret;
}

/*
 * Of the calls all of whose callees' calls were seen, as far as that is known: by the cost without
 * them.
 */
static void find_whole_costs(struct composing *composing)
{
	const struct samples *samples = composing->samples;
	const enum metric self = (enum metric)(METRIC_SELF + composing->metric);
	const struct column *cost = samples_metric(samples, composing->metric);
	const struct column *of_self = samples_metric(samples, self);

	composing->costs = arena_array(composing->arena, double, samples->n_rows + 1);
	composing->own = arena_array(composing->arena, double, samples->n_rows + 1);
	for (size_t row = 0; row < samples->n_rows; row++)
		composing->costs[row] =
			cost->absence[row] == PRESENT &&
					(!of_self || of_self->absence[row] == PRESENT)
				? cost->numbers[row]
				: NAN;
	memcpy(composing->own, composing->costs, samples->n_rows * sizeof(double));
}

/* In the calls of which both are known. */
static double share_of(const struct composing *composing, const struct inner_calls *calls)
{
	double sum = 0, cost = 0;

	for (size_t row = 0; row < composing->samples->n_rows; row++)
		if (!isnan(calls->sums[row]) && !isnan(composing->costs[row])) {
			sum += calls->sums[row];
			cost += composing->costs[row];
		}
	return sum / cost;
}

/* Those callees that matter; those whose features are the caller's leave the own part. */
static void find_callee_parts(struct composing *composing, const struct compose_callee *callees,
			      size_t n)
{
	composing->parts = arena_array(composing->arena, struct part, n + 1);
	composing->bound = arena_array(composing->arena, struct bound_callee, n + 1);
	composing->all.list = arena_array(composing->arena, struct annotation *, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct part *part = &composing->parts[composing->n];

		part->callee = &callees[i];
		if (!inner_calls_find(composing->samples, composing->costs, callees[i].samples,
				      composing->metric, composing->arena, &part->calls))
			continue;
		part->share = share_of(composing, &part->calls);
		if (!(part->share >= MATTERS))
			continue;
		composing->n++;
		part->why = callees[i].annotation->n_cases
				    ? bindings_find(composing->samples, &part->calls,
						    callees[i].annotation, composing->direct,
						    composing->arena, &part->bindings)
				    : "its cost has no model";
		if (part->why)
			continue;
		composing->bound[composing->n_bound++] =
			(struct bound_callee){callees[i].annotation, part->bindings};
		composing->all.list[composing->all.n++] =
			(struct annotation *)callees[i].annotation;
		for (size_t row = 0; row < composing->samples->n_rows; row++)
			composing->own[row] -= part->calls.sums[row];
	}
}

static bool has_one_model_a_case(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		if (annotation->cases[i].n_models != 1)
			return false;
	return annotation->n_cases > 0;
}

/* Of the own costs of the rows that are kept; NULL: the own part is no formula. */
static struct annotation *compose_from(const struct composing *composing, const bool *is_kept)
{
	struct annotation *own = compose_model(composing, composing->own, is_kept);

	if (has_one_model_a_case(own)) {
		compose_write(own, composing->samples, composing->bound, composing->n_bound);
		return own;
	}
	annotation_destroy(own);
	return NULL;
}

/* 1 - the squares of what @expected misses over those of the mean, of the rows @is_used. */
static double r2_of(const struct composing *composing, const double *expected, const bool *is_used)
{
	double mean = 0, left = 0, all = 0;
	size_t n = 0;

	for (size_t row = 0; row < composing->samples->n_rows; row++)
		if (is_used[row])
			mean += (composing->costs[row] - mean) / (double)++n;
	for (size_t row = 0; row < composing->samples->n_rows; row++)
		if (is_used[row]) {
			left += pow(composing->costs[row] - expected[row], 2);
			all += pow(composing->costs[row] - mean, 2);
		}
	return n >= CALLS_LEAST / 2 && all > 0 ? 1 - left / all : NAN;
}

/* Rows that neither is far from, as of a call that another program delayed. */
static void find_judged_rows(const struct composing *composing, const bool *is_kept,
			     const double *a, const double *b, bool *ret)
{
	const size_t n_rows = composing->samples->n_rows;
	double *away = arena_array(composing->arena, double, n_rows + 1);
	size_t n = 0;
	double far;

	for (size_t row = 0; row < n_rows; row++) {
		const double cost = composing->costs[row];

		ret[row] = !is_kept[row] && isfinite(cost) && isfinite(a[row]) && isfinite(b[row]);
		if (ret[row])
			away[n++] = fmin(fabs(a[row] - cost), fabs(b[row] - cost));
	}
	far = stats_quantile(away, n, NEAR);
	for (size_t row = 0; row < n_rows; row++)
		ret[row] &= fmin(fabs(a[row] - composing->costs[row]),
				 fabs(b[row] - composing->costs[row])) <= far;
}

/* R² of both for calls that neither was made from; false: the composed one is worse. */
static bool predicts_as_well(const struct composing *composing, double *ret, double *ret_direct)
{
	const size_t n_rows = composing->samples->n_rows;
	bool *is_kept = arena_array(composing->arena, bool, n_rows + 1);
	bool *is_used = arena_array(composing->arena, bool, n_rows + 1);
	double *a = arena_array(composing->arena, double, n_rows + 1);
	double *b = arena_array(composing->arena, double, n_rows + 1);
	struct annotation *direct, *composed;

	for (size_t row = 0; row < n_rows; row++) /* neighbours are alike, and stay together */
		is_kept[row] = row / 8 % 2;
	composed = compose_from(composing, is_kept);
	if (!composed)
		return false;
	direct = compose_model(composing, composing->costs, is_kept);
	row_expectation_means(composed, &composing->all, composing->samples, a);
	row_expectation_find(direct, composing->samples, b, NULL);
	find_judged_rows(composing, is_kept, a, b, is_used);
	*ret = r2_of(composing, a, is_used);
	*ret_direct = r2_of(composing, b, is_used);
	annotation_destroy(direct);
	annotation_destroy(composed);
	return *ret >= *ret_direct - AS_WELL;
}

/* The whole's deviation and R² in one case, of the rows in it. */
static void describe_case(const struct composing *composing, struct annotation *composed,
			  struct model *model, const double *expected, const bool *is_in)
{
	double *left = arena_array(composing->arena, double, composing->samples->n_rows + 1);
	double *means = arena_array(composing->arena, double, composing->samples->n_rows + 1);
	double base, part = 0;
	size_t n = 0;

	for (size_t row = 0; row < composing->samples->n_rows; row++)
		if (is_in[row]) {
			means[n] = expected[row];
			left[n++] = composing->costs[row] - expected[row];
		}
	base = sqrt(stats_mean_square(left, n, 0));
	model->spread = annotation_number(base);
	deviation_find(left, means, n, &base, &part);
	model->deviation = deviation_formula(composed->arena, &model->mean, base, part);
	model->r2 = r2_of(composing, expected, is_in);
	model->cv_r2 = model->error = NAN;
	model->n_samples = n;
}

static void describe_cases(const struct composing *composing, struct annotation *composed)
{
	const size_t n_rows = composing->samples->n_rows;
	bool *is_near = arena_array(composing->arena, bool, n_rows + 1);
	bool *is_in = arena_array(composing->arena, bool, n_rows + 1);
	bool *none = arena_array(composing->arena, bool, n_rows + 1);
	double *expected = arena_array(composing->arena, double, n_rows + 1);
	double *in_case = arena_array(composing->arena, double, n_rows + 1);

	row_expectation_means(composed, &composing->all, composing->samples, expected);
	find_judged_rows(composing, none, expected, expected, is_near);
	for (size_t i = 0; i < composed->n_cases; i++) {
		struct annotation alone = *composed;

		alone.cases = &composed->cases[i];
		alone.n_cases = 1;
		row_expectation_means(&alone, &composing->all, composing->samples, in_case);
		for (size_t row = 0; row < n_rows; row++)
			is_in[row] = is_near[row] && !isnan(in_case[row]);
		describe_case(composing, composed, (struct model *)composed->cases[i].models,
			      expected, is_in);
	}
}

/* "Parts: sort 81 %, leaf 9 % (no reference: its k is no feature of the caller), own 10 %." */
static const char *parts_text(const struct composing *composing)
{
	const char *text = "Parts: ";
	double own = 1;

	for (size_t i = 0; i < composing->n; i++) {
		const struct part *part = &composing->parts[i];

		text = arena_printf(composing->arena, "%s%s %.0f %%%s%s%s, ", text,
				    part->callee->annotation->function, 100 * fmin(part->share, 1),
				    part->why ? " (no reference: " : "", part->why ? part->why : "",
				    part->why ? ")" : "");
		own -= part->share;
	}
	return arena_printf(composing->arena, "%sown %.0f %%.", text, 100 * fmax(own, 0));
}

/* What is known of the whole stays; the parts come first. */
static void take_notes(const struct composing *composing, struct annotation *composed)
{
	const struct annotation *direct = composing->direct;
	const char **notes = arena_array(composed->arena, const char *, direct->n_notes + 1);

	notes[0] = arena_strdup(composed->arena, parts_text(composing));
	for (size_t i = 0; i < direct->n_notes; i++)
		notes[1 + i] = arena_strdup(composed->arena, direct->notes[i]);
	composed->notes = notes;
	composed->n_notes = 1 + direct->n_notes;
	composed->function = arena_strdup(composed->arena, direct->function);
	composed->n_runs = direct->n_runs;
	composed->run_deviation = direct->run_deviation;
	composed->load = direct->load;
}

void compose_function(const struct samples *samples, const struct annotation *direct,
		      const struct compose_callee *callees, size_t n,
		      const struct model_options *options, struct arena *arena,
		      struct composition *ret)
{
	struct composing composing = {.samples = samples,
				      .metric = direct->metric,
				      .direct = direct,
				      .options = options,
				      .arena = arena};
	double r2 = NAN, r2_direct = NAN;

	*ret = (struct composition){0};
	find_whole_costs(&composing);
	find_callee_parts(&composing, callees, n);
	if (composing.n)
		ret->parts = parts_text(&composing);
	if (!composing.n_bound)
		return;
	if (samples->n_rows < CALLS_LEAST)
		ret->why = arena_printf(arena, "it has %zu calls, and %d are needed",
					samples->n_rows, CALLS_LEAST);
	else if (predicts_as_well(&composing, &r2, &r2_direct))
		ret->annotation = compose_from(&composing, NULL);
	else if (isnan(r2) || isnan(r2_direct))
		ret->why = "its own part has several modes, or too few calls to judge by";
	else
		ret->why = arena_printf(arena,
					"its parts explain other calls worse (R² %.3f) than a "
					"model of the whole does (R² %.3f)",
					r2, r2_direct);
	if (!ret->annotation)
		return;
	describe_cases(&composing, ret->annotation);
	if (ret->annotation->n_cases == 1)
		((struct model *)ret->annotation->cases[0].models)->cv_r2 = r2;
	take_notes(&composing, ret->annotation);
}
