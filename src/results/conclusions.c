/* Sentences about annotations. The models are model/'s, the text form is core/annotation/'s. */
#include "conclusions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "cli/message.h"
#include "core/samples/part_columns.h"

enum { GROWING_MOST = 5, UNTOLD_MOST = 3, VARY_MOST = 3 };

/* Most of the time is this part of the runs', or more. */
static const double MOST_OF_TIME = 0.2;

/* Few calls, or those that no formula describes, are told if they are this part of the cost. */
static const double MOST_OF_COST = 0.5;

/* A model of fewer calls is not told as that of the function. */
static const double NEARLY_ALL = 0.9;

/* The fastest factor of all models of a function, and what it belongs to. */
struct concluded {
	const struct annotation *annotation;
	double share;              /* of the program's time; NAN: not known */
	const struct model *model; /* that has the factor; NULL: all are constant */
	const struct annotation_case *in;
	const struct factor *factor;
	bool is_fast;        /* it grows faster than linearly */
	bool is_unexplained; /* the cost varies, and no model says why */
};

struct conclusions {
	struct arena *arena;
	struct concluded *list; /* by share */
	size_t n;
};

static bool factor_is_fast(const struct factor *factor)
{
	return factor->kind == FACTOR_EXPONENTIAL ||
	       (factor->kind == FACTOR_FEATURE &&
		(factor->power > 1 || (factor->power == 1 && factor->log > 0)));
}

static bool is_faster(const struct factor *factor, const struct factor *than)
{
	const enum growth a = annotation_factor_growth(factor);
	const enum growth b = than ? annotation_factor_growth(than) : GROWTH_CONSTANT;
	const bool fast = factor_is_fast(factor), other = than && factor_is_fast(than);

	return fast != other ? fast : a > b;
}

static void conclude_model(struct concluded *ret, const struct annotation_case *in,
			   const struct model *model)
{
	ret->is_unexplained |= model->is_unexplained;
	for (size_t i = 0; i < model->mean.n_terms; i++)
		for (size_t j = 0; j < model->mean.terms[i].n_factors; j++) {
			const struct factor *factor = &model->mean.terms[i].factors[j];

			if ((factor->kind != FACTOR_FEATURE &&
			     factor->kind != FACTOR_EXPONENTIAL) ||
			    !is_faster(factor, ret->factor))
				continue;
			ret->factor = factor;
			ret->model = model;
			ret->in = in;
		}
}

static double conclusions_share(struct profile *profile, const struct annotation *annotation)
{
	struct err ignored;
	double share;

	return annotation->metric == METRIC_TIME &&
			       profile_function_share(profile, annotation->linkage, &share,
						      &ignored)
		       ? share
		       : NAN;
}

static struct concluded conclude(struct profile *profile, const struct annotation *annotation)
{
	struct concluded ret = {.annotation = annotation,
				.share = conclusions_share(profile, annotation)};

	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			conclude_model(&ret, &annotation->cases[i],
				       &annotation->cases[i].models[j]);
	ret.is_fast = ret.factor && factor_is_fast(ret.factor);
	ret.is_unexplained &= !ret.factor;
	return ret;
}

static int conclusions_compare(const void *a, const void *b)
{
	const struct concluded *x = a, *y = b;
	const double of_x = isnan(x->share) ? -1 : x->share;
	const double of_y = isnan(y->share) ? -1 : y->share;

	return of_x != of_y ? (of_x < of_y ? 1 : -1)
			    : strcmp(x->annotation->function, y->annotation->function);
}

/* "94 % of the time"; of calls that are nested, or of several threads, it may be more than all. */
static const char *time_text(struct arena *arena, double share)
{
	if (share < 1.05)
		return arena_printf(arena, "%.0f %% of the time", 100 * fmin(share, 1));
	return arena_printf(arena, "%.0f %% of the time (%.2g calls at once)", 100 * share, share);
}

static const char *share_text(struct arena *arena, const struct concluded *concluded)
{
	if (isnan(concluded->share) || concluded->share < 0.005)
		return "";
	return arena_printf(arena, ", %s", time_text(arena, concluded->share));
}

/* "n (101 .. 2999)" */
static const char *feature_text(struct arena *arena, const struct concluded *concluded)
{
	const struct annotation_feature *feature =
		&concluded->annotation->features[concluded->factor->feature];

	if (isnan(feature->min) || isnan(feature->max))
		return feature->expression;
	return arena_printf(arena, "%s (%.6g to %.6g)", feature->expression, feature->min,
			    feature->max);
}

/*
 * "; at 29990, ten times the most seen, a call would cost about 1.3 s": of one feature alone. Twice
 * for what is exponential.
 */
static const char *beyond_text(struct arena *arena, const struct concluded *concluded)
{
	const struct annotation *annotation = concluded->annotation;
	const unsigned at = concluded->factor->feature;
	const bool is_exponential = concluded->factor->kind == FACTOR_EXPONENTIAL;
	const double most = (is_exponential ? 2 : 10) * annotation->features[at].max;
	double *x = arena_array(arena, double, annotation->n_features + 1);
	char amount[METRIC_AMOUNT];
	double value;

	for (unsigned i = 0; i < annotation->n_features; i++)
		if (i != at && annotation_formula_uses(&concluded->model->mean, i))
			return "";
	x[at] = most;
	value = annotation_value(&concluded->model->mean, x);
	if (!isfinite(value) || !(value > 0) || !(most > 0))
		return "";
	return arena_printf(arena, "; at %.6g, %s the most seen, a call would cost about %s", most,
			    is_exponential ? "twice" : "ten times",
			    metric_amount(annotation->metric, value, amount));
}

static const char *growth_text(struct arena *arena, const struct concluded *concluded)
{
	const enum growth growth = annotation_factor_growth(concluded->factor);

	return growth == GROWTH_POWER
		       ? arena_printf(arena, "as power %.2g", concluded->factor->power)
		       : growth_phrase(growth);
}

/* " in 90 % of its calls": others are of another kind, and may be most of the cost. */
static const char *part_text(struct arena *arena, const struct concluded *concluded)
{
	const double part =
		(double)concluded->model->n_samples / (double)concluded->annotation->n_samples;

	return part < NEARLY_ALL ? arena_printf(arena, " in %.0f %% of its calls", 100 * part) : "";
}

/* Returns how many of them grow so. */
static size_t say_growing(const struct conclusions *conclusions)
{
	size_t n = 0;

	for (size_t i = 0; i < conclusions->n; i++) {
		const struct concluded *each = &conclusions->list[i];

		if (!each->is_fast || n++ >= GROWING_MOST)
			continue;
		message_note("%s grows faster than linearly%s: %s in %s%s%s",
			     each->annotation->function, part_text(conclusions->arena, each),
			     growth_text(conclusions->arena, each),
			     feature_text(conclusions->arena, each),
			     share_text(conclusions->arena, each),
			     beyond_text(conclusions->arena, each));
	}
	if (n > GROWING_MOST)
		message_note("%zu more functions grow faster than linearly", n - GROWING_MOST);
	return n;
}

static bool conclusions_is_constant(const struct formula *formula)
{
	for (size_t i = 0; i < formula->n_terms; i++)
		if (formula->terms[i].n_factors)
			return false;
	return true;
}

/* The most that a call of @model costs, if its features are at one end of what was seen. */
static double dearest_call(struct arena *arena, const struct annotation *annotation,
			   const struct model *model)
{
	double *least = arena_array(arena, double, annotation->n_features + 1);
	double *most = arena_array(arena, double, annotation->n_features + 1);

	for (size_t i = 0; i < annotation->n_features; i++) {
		least[i] = annotation->features[i].min;
		most[i] = annotation->features[i].max;
	}
	return fmax(annotation_value(&model->mean, least), annotation_value(&model->mean, most));
}

/*
 * "5 % of whose calls take at least 99 % of that", of one model without a formula, by the bounds
 * that it has of 90 % of its calls; NULL: they do not, or there are no bounds.
 */
static const char *dearest_text(struct arena *arena, const struct model *model)
{
	static const double CHEAP = 0.95; /* so many calls cost `high` at most */
	double share;

	if (!model->is_unexplained || !conclusions_is_constant(&model->mean))
		return NULL;
	share = 1 - CHEAP * model->high / annotation_value(&model->mean, NULL);
	return share >= MOST_OF_COST && share <= 1
		       ? arena_printf(arena, "%.0f %% of whose calls take at least %.3g %% of that",
				      100 * (1 - CHEAP), 100 * share)
		       : NULL;
}

/* The sums over all models of an annotation, and the dearest of those without a formula. */
struct dearest {
	const struct model *few;
	double few_cost, cost;
	double calls, kinds;
	bool is_exact; /* all are without one */
};

static void add_dearest(struct arena *arena, const struct annotation *annotation,
			const struct model *model, struct dearest *ret)
{
	const bool is_constant = conclusions_is_constant(&model->mean);
	const double cost = (double)model->n_samples * dearest_call(arena, annotation, model);

	ret->is_exact &= is_constant;
	ret->cost += cost;
	ret->calls += (double)model->n_samples;
	ret->kinds++;
	if (is_constant && cost > ret->few_cost) {
		ret->few_cost = cost;
		ret->few = model;
	}
}

/* "whose calls are of 2 kinds, and 7 % of them take 99 % of that"; NULL: no few of them do so. */
static const char *few_text(struct arena *arena, const struct annotation *annotation)
{
	struct dearest all = {.is_exact = true};
	double share;

	if (annotation->n_cases == 1 && annotation->cases->n_models == 1)
		return dearest_text(arena, annotation->cases->models);
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			add_dearest(arena, annotation, &annotation->cases[i].models[j], &all);
	share = all.few ? (double)all.few->n_samples / all.calls : 1;
	if (!all.few || !(all.few_cost >= MOST_OF_COST * all.cost) || share >= 1 - MOST_OF_COST)
		return NULL;
	return arena_printf(
		arena, "whose calls are of %.0f kinds, and %.2g %% of them take %s%.3g %% of that",
		all.kinds, 100 * share, all.is_exact ? "" : "at least ",
		100 * all.few_cost / all.cost);
}

/* Few calls that are most of the cost, and that no model is of; NULL: there are none. */
static const char *apart_text(struct arena *arena, const struct annotation *annotation)
{
	const struct annotation_left_out *out = &annotation->left_out;
	const size_t n_out = out->n_far + out->n_unread;

	if (!out->is_known || !(out->share >= MOST_OF_COST))
		return NULL;
	return arena_printf(
		arena, "%.3g %% of that in %zu of %zu calls, of which no formula tells anything",
		100 * out->share, n_out, n_out + annotation->n_samples);
}

/* Nothing that was read says how the calls of @annotation differ. */
static const char *constant_text(struct arena *arena, const struct annotation *annotation)
{
	size_t kinds = 0;

	for (size_t i = 0; i < annotation->n_cases; i++)
		kinds += annotation->cases[i].n_models;
	return kinds == 1 ? "whose calls all cost about the same"
			  : arena_printf(arena, "whose calls are of %zu kinds", kinds);
}

/* What most of the time depends on, unless it was said. */
static const char *most_text(struct arena *arena, const struct concluded *concluded)
{
	const char *few = apart_text(arena, concluded->annotation);

	if (!few)
		few = few_text(arena, concluded->annotation);
	if (few || concluded->is_fast || concluded->is_unexplained)
		return few;
	if (!concluded->factor)
		return constant_text(arena, concluded->annotation);
	return arena_printf(arena, "whose cost%s depends on %s: %s", part_text(arena, concluded),
			    feature_text(arena, concluded), growth_text(arena, concluded));
}

static void say_most(const struct conclusions *conclusions)
{
	const struct concluded *first = &conclusions->list[0];
	const char *text = most_text(conclusions->arena, first);

	if (text && first->share >= MOST_OF_TIME)
		message_note("%s is in %s, %s", time_text(conclusions->arena, first->share),
			     first->annotation->function, text);
}

static void say_untold(const struct conclusions *conclusions)
{
	size_t n = 0;

	for (size_t i = 0; i < conclusions->n && n < UNTOLD_MOST; i++) {
		const struct concluded *each = &conclusions->list[i];

		if (!each->is_unexplained)
			continue;
		n++;
		message_note("why calls of %s differ could not be told%s: nothing that was read "
			     "explains it (--max-depth, --globals and --feature read more)",
			     each->annotation->function, share_text(conclusions->arena, each));
	}
}

/* What one site allocates: its features are those of its function. */
static bool conclusions_is_site(const struct conclusions *conclusions,
				const struct annotation *annotation)
{
	return strcmp(annotation->function,
		      part_columns_function(annotation->function, conclusions->arena)) != 0;
}

/* Notes of models that say what to vary, those of the dearest functions. */
static void say_vary(const struct conclusions *conclusions)
{
	size_t n = 0;

	for (size_t i = 0; i < conclusions->n; i++) {
		const struct annotation *annotation = conclusions->list[i].annotation;

		for (size_t j = 0; j < annotation->n_notes && n < VARY_MOST; j++)
			if (strstr(annotation->notes[j], ": vary ") &&
			    !conclusions_is_site(conclusions, annotation)) {
				message_note("%s: %s", annotation->function, annotation->notes[j]);
				n++;
			}
	}
}

void conclusions_say(struct annotation *const *annotations, size_t n, bool is_cut,
		     struct profile *profile, const struct options *options)
{
	struct conclusions conclusions = {.arena = arena_create(),
					  .list = mem_alloc((n + 1) * sizeof(struct concluded))};

	for (size_t i = 0; i < n; i++) /* the metrics of a function follow each other */
		if (!i || strcmp(annotations[i]->linkage, annotations[i - 1]->linkage) != 0)
			conclusions.list[conclusions.n++] = conclude(profile, annotations[i]);
	qsort(conclusions.list, conclusions.n, sizeof(*conclusions.list), conclusions_compare);
	if (!say_growing(&conclusions))
		message_note("nothing that was %s grows faster than linearly",
			     is_cut ? "modelled so far" : "measured");
	say_most(&conclusions);
	say_untold(&conclusions);
	say_vary(&conclusions);
	if (options->output)
		message_note("the samples are in %s; next: fathom explore %s", options->output,
			     options->output);
	free(conclusions.list);
	arena_destroy(conclusions.arena);
}
