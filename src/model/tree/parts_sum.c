/* Both are judged by the calls that neither is far from. */
#include "parts_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/data/row_expectation.h"
#include "model/data/short_name.h"
#include "model/data/stats.h"
#include "model/regression/deviation.h"

#define AS_WELL 0.01 /* R² may be so much less */
#define NEAR    0.98
enum { CALLS_LEAST = 10 };

struct summing {
	struct annotation *whole;
	struct annotation *const *parts;
	size_t n;
	double *cost, *own, *sum; /* [rows]: as measured; as the whole and the parts expect it */
	size_t rows;
};

/* The calls of which all is known. */
static void summing_rows(struct summing *summing, const struct samples *samples)
{
	const struct column *time = samples_metric(samples, summing->whole->metric);
	double *own = mem_alloc((samples->n_rows + 1) * sizeof(*own));
	double *sums = mem_alloc((samples->n_rows + 1) * sizeof(*sums));
	double *part = mem_alloc((samples->n_rows + 1) * sizeof(*part));

	row_expectation_find(summing->whole, samples, own, NULL);
	for (size_t i = 0; i < summing->n; i++) {
		row_expectation_find(summing->parts[i], samples, part, NULL);
		for (size_t row = 0; row < samples->n_rows; row++)
			sums[row] += part[row];
	}
	for (size_t row = 0; row < samples->n_rows; row++) {
		if (time->absence[row] != PRESENT || !isfinite(own[row]) || !isfinite(sums[row]))
			continue;
		summing->cost[summing->rows] = time->numbers[row];
		summing->own[summing->rows] = own[row];
		summing->sum[summing->rows++] = sums[row];
	}
	free(own);
	free(sums);
	free(part);
}

static double distance_of(const struct summing *summing, size_t row)
{
	return fmin(fabs(summing->own[row] - summing->cost[row]),
		    fabs(summing->sum[row] - summing->cost[row]));
}

/* A call that something else delayed is no judge. */
static void summing_keep_near(struct summing *summing)
{
	double *away = mem_alloc((summing->rows + 1) * sizeof(*away));
	size_t kept = 0;
	double far;

	for (size_t i = 0; i < summing->rows; i++)
		away[i] = distance_of(summing, i);
	far = stats_quantile(away, summing->rows, NEAR);
	for (size_t i = 0; i < summing->rows; i++) {
		if (distance_of(summing, i) > far)
			continue;
		summing->cost[kept] = summing->cost[i];
		summing->own[kept] = summing->own[i];
		summing->sum[kept++] = summing->sum[i];
	}
	summing->rows = kept;
	free(away);
}

static double summing_r2(const struct summing *summing, const double *expected)
{
	const double mean = stats_mean(summing->cost, summing->rows);
	double left = 0, all = 0;

	for (size_t i = 0; i < summing->rows; i++) {
		left += pow(summing->cost[i] - expected[i], 2);
		all += pow(summing->cost[i] - mean, 2);
	}
	return all > 0 ? 1 - left / all : left > 0 ? -INFINITY : 1;
}

/* By how much both differ, as a part of the cost. */
static double summing_gap(const struct summing *summing)
{
	double gap = 0, cost = 0;

	for (size_t i = 0; i < summing->rows; i++) {
		gap += fabs(summing->sum[i] - summing->own[i]);
		cost += fabs(summing->own[i]);
	}
	return gap / cost;
}

static const struct formula *single_formula(const struct annotation *annotation)
{
	const struct formula *formula;

	if (annotation->n_cases != 1 || annotation->cases[0].n_models != 1 ||
	    annotation->cases[0].n_conditions)
		return NULL;
	formula = &annotation->cases[0].models[0].mean;
	for (size_t i = 0; i < formula->n_terms; i++)
		for (unsigned k = 0; k < formula->terms[i].n_factors; k++)
			if (formula->terms[i].factors[k].kind != FACTOR_FEATURE)
				return NULL;
	return formula;
}

static bool are_formulas(const struct summing *summing)
{
	bool ok = single_formula(summing->whole);

	for (size_t i = 0; i < summing->n; i++)
		ok = ok && single_formula(summing->parts[i]);
	return ok;
}

/* The features and terms of the sum. */
struct sum_draft {
	struct arena *arena;
	struct annotation_feature *features;
	const char **taken; /* [n_features] their names */
	size_t n_features;
	struct term *terms;
	size_t n_terms;
};

/* As the whole knows it, if it does. */
static unsigned draft_feature(struct sum_draft *draft, const struct annotation *whole,
			      const struct annotation_feature *feature)
{
	struct annotation_feature *added = &draft->features[draft->n_features];
	struct annotation_affine map;

	for (unsigned i = 0; i < draft->n_features; i++)
		if (!strcmp(draft->features[i].expression, feature->expression))
			return i;
	*added = (struct annotation_feature){
		.type = feature->type,
		.expression = arena_strdup(draft->arena, feature->expression),
		.min = feature->min,
		.max = feature->max};
	for (size_t i = 0; i < whole->n_features; i++)
		if (annotation_feature_find(&whole->features[i], feature->expression, &map) &&
		    !strcmp(whole->features[i].expression, feature->expression))
			*added = whole->features[i];
	added->name = short_name(draft->arena, added->expression, draft->taken, draft->n_features);
	draft->taken[draft->n_features] = added->name;
	return (unsigned)draft->n_features++;
}

static bool are_like_terms(const struct term *a, const struct term *b)
{
	bool same = a->n_factors == b->n_factors;

	for (unsigned i = 0; same && i < a->n_factors; i++)
		same = a->factors[i].feature == b->factors[i].feature &&
		       a->factors[i].power == b->factors[i].power &&
		       a->factors[i].log == b->factors[i].log;
	return same;
}

static void draft_add_term(struct sum_draft *draft, const struct term *term)
{
	size_t i = 0;

	while (i < draft->n_terms && !are_like_terms(&draft->terms[i], term))
		i++;
	if (i == draft->n_terms) {
		draft->terms[draft->n_terms++] = *term;
		return;
	}
	draft->terms[i].coefficient =
		annotation_number(draft->terms[i].coefficient + term->coefficient);
	draft->terms[i].std_error = NAN; /* what they miss may go together */
}

static void draft_add_part(struct sum_draft *draft, const struct annotation *whole,
			   const struct annotation *part)
{
	const struct formula *formula = single_formula(part);

	for (size_t i = 0; i < formula->n_terms; i++) {
		struct term term = formula->terms[i];

		for (unsigned k = 0; k < term.n_factors; k++)
			term.factors[k].feature = draft_feature(
				draft, whole, &part->features[term.factors[k].feature]);
		draft_add_term(draft, &term);
	}
}

static void draft_sum(const struct summing *summing, struct sum_draft *ret)
{
	struct arena *arena = summing->whole->arena;
	size_t n_features = 1, n_terms = 1;

	for (size_t i = 0; i < summing->n; i++) {
		n_features += summing->parts[i]->n_features;
		n_terms += single_formula(summing->parts[i])->n_terms;
	}
	*ret = (struct sum_draft){.arena = arena,
				  .features =
					  arena_array(arena, struct annotation_feature, n_features),
				  .taken = arena_array(arena, const char *, n_features),
				  .terms = arena_array(arena, struct term, n_terms)};
	for (size_t i = 0; i < summing->n; i++)
		draft_add_part(ret, summing->whole, summing->parts[i]);
}

/* What the sum leaves of the cost is its own. */
static void summing_describe(const struct summing *summing, struct model *model)
{
	double *left = mem_alloc((summing->rows + 1) * sizeof(*left));
	double base, part = 0;

	for (size_t i = 0; i < summing->rows; i++)
		left[i] = summing->cost[i] - summing->sum[i];
	base = sqrt(stats_mean_square(left, summing->rows, 0));
	model->spread = annotation_number(base);
	deviation_find(left, summing->sum, summing->rows, &base, &part);
	model->deviation = deviation_formula(summing->whole->arena, &model->mean, base, part);
	model->r2 = model->growth == GROWTH_CONSTANT ? NAN : summing_r2(summing, summing->sum);
	model->cv_r2 = model->error = NAN;
	free(left);
}

static void whole_take_sum(const struct summing *summing)
{
	struct annotation *whole = summing->whole;
	struct annotation_case *one = arena_new(whole->arena, struct annotation_case);
	struct model *model = arena_new(whole->arena, struct model);
	struct sum_draft draft;

	draft_sum(summing, &draft);
	*model = *whole->cases[0].models;
	model->mean = (struct formula){draft.terms, draft.n_terms};
	model->growth = annotation_growth(&model->mean);
	model->is_unexplained = model->is_unexplained && model->growth == GROWTH_CONSTANT;
	model->free_low = model->free_high = NAN;
	summing_describe(summing, model);
	*one = (struct annotation_case){.models = model, .n_models = 1};
	whole->cases = one;
	whole->features = draft.features;
	whole->n_features = draft.n_features;
}

static void whole_note(struct annotation *whole, const char *text)
{
	const char **notes = arena_array(whole->arena, const char *, whole->n_notes + 1);

	memcpy(notes, whole->notes, whole->n_notes * sizeof(*notes));
	notes[whole->n_notes] = text;
	whole->notes = notes;
	whole->n_notes++;
}

static void summing_settle(const struct summing *summing)
{
	struct annotation *whole = summing->whole;
	bool was_unexplained;

	if (are_formulas(summing) &&
	    summing_r2(summing, summing->sum) >= summing_r2(summing, summing->own) - AS_WELL) {
		was_unexplained = annotation_is_unexplained(whole);
		whole_take_sum(summing);
		if (was_unexplained && !annotation_is_unexplained(whole))
			whole->n_notes = 0; /* they say that */
		whole_note(whole, "It is the sum of the formulas of its parts.");
		return;
	}
	whole_note(whole, arena_printf(whole->arena,
				       "What its parts are expected to cost adds up to this but "
				       "for %.2g %%, on average.",
				       100 * summing_gap(summing)));
}

void parts_sum_settle(struct annotation *whole, struct annotation *const *parts, size_t n,
		      const struct samples *samples)
{
	const size_t size = (samples->n_rows + 1) * sizeof(double);
	struct summing summing = {.whole = whole,
				  .parts = parts,
				  .n = n,
				  .cost = mem_alloc(size),
				  .own = mem_alloc(size),
				  .sum = mem_alloc(size)};

	summing_rows(&summing, samples);
	summing_keep_near(&summing);
	if (summing.rows >= CALLS_LEAST)
		summing_settle(&summing);
	free(summing.cost);
	free(summing.own);
	free(summing.sum);
}
