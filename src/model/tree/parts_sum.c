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
#include "model/regression/fit_quality.h"

#define AS_WELL 0.01 /* R² may be so much less */
#define NEAR    0.98
enum { CALLS_LEAST = 10 };

struct summing {
	struct annotation *whole;
	struct annotation *const *parts;
	size_t n;
	const struct samples *samples;
	double *cost, *own, *sum; /* [rows]: as measured; as the whole and the parts expect it */
	size_t *row;              /* [rows] of `samples` */
	size_t rows;
};

/* The calls of which all is known. */
static void summing_rows(struct summing *summing)
{
	const struct samples *samples = summing->samples;
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
		summing->row[summing->rows] = row;
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
		summing->row[kept] = summing->row[i];
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

static bool is_plain_part(const struct formula *formula)
{
	for (size_t i = 0; i < formula->n_terms; i++)
		for (unsigned k = 0; k < formula->terms[i].n_factors; k++)
			if (formula->terms[i].factors[k].kind != FACTOR_FEATURE)
				return false;
	return true;
}

static bool is_single(const struct annotation *annotation)
{
	return annotation->n_cases == 1 && annotation->cases[0].n_models == 1 &&
	       !annotation->cases[0].n_conditions;
}

static bool has_plain_models(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			if (!is_plain_part(&annotation->cases[i].models[j].mean))
				return false;
	return annotation->n_cases > 0;
}

/*
 * The part whose cases and modes the sum has: all others are single formulas. NULL: several have
 * cases or modes, or the whole has some that no part has.
 */
static const struct annotation *summing_frame(const struct summing *summing)
{
	const struct annotation *ret = NULL;

	for (size_t i = 0; i < summing->n; i++) {
		if (!has_plain_models(summing->parts[i]) || (ret && !is_single(summing->parts[i])))
			return NULL;
		if (!is_single(summing->parts[i]))
			ret = summing->parts[i];
	}
	return ret || !is_single(summing->whole) ? ret : summing->parts[0];
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

static void draft_add_formula(struct sum_draft *draft, const struct annotation *whole,
			      const struct annotation *part, const struct formula *formula)
{
	for (size_t i = 0; i < formula->n_terms; i++) {
		struct term term = formula->terms[i];

		for (unsigned k = 0; k < term.n_factors; k++)
			term.factors[k].feature = draft_feature(
				draft, whole, &part->features[term.factors[k].feature]);
		draft_add_term(draft, &term);
	}
}

/* What a call costs whose part @frame has @model. */
static struct formula draft_sum(const struct summing *summing, const struct annotation *frame,
				const struct model *model, struct sum_draft *draft)
{
	size_t n_terms = model->mean.n_terms + 1;

	for (size_t i = 0; i < summing->n; i++)
		n_terms += summing->parts[i]->cases[0].models[0].mean.n_terms;
	draft->terms = arena_array(draft->arena, struct term, n_terms);
	draft->n_terms = 0;
	for (size_t i = 0; i < summing->n; i++) {
		const struct annotation *part = summing->parts[i];

		draft_add_formula(draft, summing->whole, part,
				  part == frame ? &model->mean : &part->cases[0].models[0].mean);
	}
	return (struct formula){draft->terms, draft->n_terms};
}

static struct sum_draft draft_begin(const struct summing *summing)
{
	struct arena *arena = summing->whole->arena;
	size_t n = 1;

	for (size_t i = 0; i < summing->n; i++)
		n += summing->parts[i]->n_features;
	return (struct sum_draft){.arena = arena,
				  .features = arena_array(arena, struct annotation_feature, n),
				  .taken = arena_array(arena, const char *, n)};
}

static void draft_scope(const struct summing *summing, const struct annotation *frame,
			const struct annotation_case *from, struct sum_draft *draft,
			struct annotation_case *ret)
{
	struct condition *scope = arena_array(draft->arena, struct condition, from->n_conditions);

	for (size_t i = 0; i < from->n_conditions; i++) {
		scope[i] = from->scope[i];
		scope[i].feature = draft_feature(draft, summing->whole,
						 &frame->features[from->scope[i].feature]);
		if (scope[i].of_pair)
			scope[i].other = draft_feature(draft, summing->whole,
						       &frame->features[from->scope[i].other]);
		if (scope[i].symbol)
			scope[i].symbol = arena_strdup(draft->arena, scope[i].symbol);
	}
	ret->scope = scope;
	ret->n_conditions = from->n_conditions;
}

/* The calls that are @model's, and what it leaves of their cost. */
struct sum_rows {
	double *left, *expected, *cost;
	size_t n;
};

static void describe_model(const struct summing *summing, const struct sum_rows *rows,
			   bool was_unexplained, struct model *model)
{
	double base = sqrt(stats_mean_square(rows->left, rows->n, 0)), part = 0;

	model->spread = annotation_number(base);
	deviation_find(rows->left, rows->expected, rows->n, &base, &part);
	model->deviation = deviation_formula(summing->whole->arena, &model->mean, base, part);
	model->growth = annotation_growth(&model->mean);
	model->r2 = model->growth == GROWTH_CONSTANT
			    ? NAN
			    : fit_quality_r2(rows->cost, rows->left, rows->n);
	model->cv_r2 = model->error = model->free_low = model->free_high = NAN;
	model->is_unexplained = was_unexplained && model->growth == GROWTH_CONSTANT;
	if (model->is_unexplained) {
		model->low = stats_quantile(rows->cost, rows->n, 0.05);
		model->high = stats_quantile(rows->cost, rows->n, 0.95);
	}
}

/* What @model alone expects of each row that the case is of; NAN elsewhere. */
static void expect_of_model(const struct annotation *whole, const struct annotation_case *one,
			    const struct model *model, const struct samples *samples, double *ret)
{
	struct model certain = *model;
	struct annotation_case of_one = *one;
	struct annotation alone = *whole;

	certain.probability = 1;
	of_one.models = &certain;
	of_one.n_models = 1;
	alone.cases = &of_one;
	alone.n_cases = 1;
	row_expectation_find(&alone, samples, ret, NULL);
}

/* What one part's modes differ by may be nothing beside what other parts vary by. */
static bool are_apart(const struct summing *summing, const double *a, const double *b,
		      double spread)
{
	double gap = 0;
	size_t n = 0;

	for (size_t i = 0; i < summing->rows; i++) {
		const double now = fabs(a[summing->row[i]] - b[summing->row[i]]);

		if (!isnan(now))
			gap += (now - gap) / (double)++n;
	}
	return gap > spread;
}

/* A call is of the mode that it is nearest to. False: one has none, or they are not apart. */
static bool describe_sum_case(const struct summing *summing, const struct annotation_case *one,
			      struct model *models, bool was_unexplained)
{
	struct arena *arena = arena_create();
	double **means = arena_array(arena, double *, one->n_models);
	struct sum_rows *rows = arena_array(arena, struct sum_rows, one->n_models);
	bool apart = true;

	for (size_t j = 0; j < one->n_models; j++) {
		means[j] = arena_array(arena, double, summing->samples->n_rows + 1);
		rows[j] = (struct sum_rows){arena_array(arena, double, summing->rows + 1),
					    arena_array(arena, double, summing->rows + 1),
					    arena_array(arena, double, summing->rows + 1), 0};
		expect_of_model(summing->whole, one, &models[j], summing->samples, means[j]);
	}
	for (size_t i = 0; i < summing->rows; i++) {
		const double cost = summing->cost[i];
		const size_t row = summing->row[i];
		size_t at = 0;

		for (size_t j = 1; j < one->n_models; j++)
			if (fabs(cost - means[j][row]) < fabs(cost - means[at][row]))
				at = j;
		if (isnan(means[at][row]))
			continue;
		rows[at].left[rows[at].n] = cost - means[at][row];
		rows[at].expected[rows[at].n] = means[at][row];
		rows[at].cost[rows[at].n++] = cost;
	}
	for (size_t j = 0; j < one->n_models; j++) {
		apart = apart && rows[j].n;
		if (apart)
			describe_model(summing, &rows[j], was_unexplained, &models[j]);
	}
	for (size_t j = 1; j < one->n_models; j++)
		for (size_t k = 0; k < j; k++)
			apart = apart && are_apart(summing, means[j], means[k],
						   models[j].spread + models[k].spread);
	arena_destroy(arena);
	return apart;
}

/* False: the whole stays as it is. */
static bool whole_take_sum(const struct summing *summing, const struct annotation *frame)
{
	struct annotation *whole = summing->whole;
	const struct annotation before = *whole;
	bool apart = true;
	struct sum_draft draft = draft_begin(summing);
	const bool was_unexplained = annotation_is_unexplained(whole);
	struct annotation_case *cases =
		arena_array(whole->arena, struct annotation_case, frame->n_cases);

	for (size_t i = 0; i < frame->n_cases; i++) {
		const struct annotation_case *from = &frame->cases[i];
		struct model *models = arena_array(whole->arena, struct model, from->n_models);

		draft_scope(summing, frame, from, &draft, &cases[i]);
		for (size_t j = 0; j < from->n_models; j++) {
			models[j] = from->models[j];
			models[j].mean = draft_sum(summing, frame, &from->models[j], &draft);
		}
		cases[i].models = models;
		cases[i].n_models = from->n_models;
	}
	whole->cases = cases;
	whole->n_cases = frame->n_cases;
	whole->features = draft.features;
	whole->n_features = draft.n_features;
	for (size_t i = 0; i < frame->n_cases; i++)
		apart = describe_sum_case(summing, &cases[i], (struct model *)cases[i].models,
					  was_unexplained) &&
			apart;
	if (!apart)
		*whole = before;
	return apart;
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
	const struct annotation *frame = summing_frame(summing);
	struct annotation *whole = summing->whole;
	const bool was_unexplained = annotation_is_unexplained(whole);

	if (frame &&
	    summing_r2(summing, summing->sum) >= summing_r2(summing, summing->own) - AS_WELL &&
	    whole_take_sum(summing, frame)) {
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
	const size_t size = samples->n_rows + 1;
	struct summing summing = {.whole = whole,
				  .parts = parts,
				  .n = n,
				  .samples = samples,
				  .cost = mem_alloc(size * sizeof(double)),
				  .own = mem_alloc(size * sizeof(double)),
				  .sum = mem_alloc(size * sizeof(double)),
				  .row = mem_alloc(size * sizeof(size_t))};

	summing_rows(&summing);
	summing_keep_near(&summing);
	if (summing.rows >= CALLS_LEAST)
		summing_settle(&summing);
	free(summing.cost);
	free(summing.own);
	free(summing.sum);
	free(summing.row);
}
