/* Features are named once for all cases; conditions on one feature are merged. */
#include "model_tree_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unexplained.h"
#include "model/data/equivalents.h"
#include "model/data/short_name.h"
#include "model/regression/correlation_screen.h"

/* Parts of a deviation. */
#define NOTHING 1e-6

enum { FEATURES_MAX = TREE_LEAVES * (2 * TREE_CONDITIONS + LEAF_MODELS * BASIS_FEATURES) };

struct describing {
	const struct model_tree *tree;
	const struct dataset *data;
	double kin;
	struct annotation *annotation;
	struct arena *arena;
	const struct column *columns[FEATURES_MAX]; /* in the annotation's order */
	const char *names[FEATURES_MAX];
	size_t n;
};

/* Lists while they are made. */
struct feature_others {
	const char **aliases;
	struct annotation_affine *affine;
	const char **kin;
	size_t n_aliases, n_affine, n_kin;
};

static size_t feature_of(struct describing *describing, const struct column *column)
{
	size_t i;

	for (i = 0; i < describing->n; i++)
		if (describing->columns[i] == column)
			return i;
	describing->columns[i] = column;
	describing->names[i] = short_name(describing->arena, column->name, describing->names, i);
	return describing->n++;
}

static void scope_set_range(const struct dataset *data, struct annotation_feature *feature,
			    const struct column *column)
{
	feature->min = feature->max = NAN;
	if (dataset_column_is_ordered(column))
		dataset_column_range(column, data->order, data->n_rows, &feature->min,
				     &feature->max);
}

/* @other gives the feature's value, or merely goes along with it. */
static void set_other(const struct describing *describing, const struct column *column,
		      const struct column *other, struct feature_others *others)
{
	const char *expression = arena_strdup(describing->arena, other->name);
	struct annotation_affine map;

	if (!equivalents_map(describing->data, column, other, &map)) {
		others->kin[others->n_kin++] = expression;
	} else if (map.scale == 1 && map.offset == 0) {
		others->aliases[others->n_aliases++] = expression;
	} else {
		map.expression = expression;
		others->affine[others->n_affine++] = map;
	}
}

/* What no model can distinguish from it first, then what is correlated. */
static void set_others(const struct describing *describing, struct annotation_feature *feature,
		       const struct predictor *predictor)
{
	const struct dataset *data = describing->data;
	const size_t most = predictor->n_alike + data->n_predictors;
	struct feature_others others = {
		.aliases = arena_array(describing->arena, const char *, most),
		.affine = arena_array(describing->arena, struct annotation_affine, most),
		.kin = arena_array(describing->arena, const char *, most),
	};
	const size_t own = predictor - data->predictors;
	size_t i;

	for (i = 0; i < predictor->n_alike; i++)
		set_other(describing, predictor->column, predictor->alike[i], &others);
	for (i = 0; i < data->n_predictors; i++)
		if (i != own && !data->predictors[i].of_system &&
		    correlation_screen_between(data, own, i) >= describing->kin)
			set_other(describing, predictor->column, data->predictors[i].column,
				  &others);
	feature->aliases = others.aliases;
	feature->n_aliases = others.n_aliases;
	feature->affine = others.affine;
	feature->n_affine = others.n_affine;
	feature->kin = others.kin;
	feature->n_kin = others.n_kin;
}

static void write_features(struct describing *describing)
{
	struct annotation_feature *features =
		arena_array(describing->arena, struct annotation_feature, describing->n);
	size_t i;

	for (i = 0; i < describing->n; i++) {
		const struct column *column = describing->columns[i];
		const struct predictor *predictor =
			dataset_find_predictor(describing->data, column);

		features[i].name = describing->names[i];
		features[i].type = column->type;
		features[i].expression = arena_strdup(describing->arena, column->name);
		scope_set_range(describing->data, &features[i], column);
		if (predictor)
			set_others(describing, &features[i], predictor);
	}
	describing->annotation->features = features;
	describing->annotation->n_features = describing->n;
}

/* A plain feature is the exponent. */
static void write_exponent(const struct describing *describing, struct factor *factor)
{
	struct term *term = arena_new(describing->arena, struct term);
	struct formula *exponent = arena_new(describing->arena, struct formula);

	*term = (struct term){.coefficient = 1, .std_error = NAN, .n_factors = 1};
	term->factors[0] = (struct factor){.feature = factor->feature, .power = 1};
	*exponent = (struct formula){term, 1};
	factor->arguments = exponent;
	factor->n_arguments = 1;
	factor->feature = 0;
}

/* The factors of a term, with the annotation's feature numbers. */
static void write_factors(struct describing *describing, const struct fit *fit, unsigned term,
			  struct term *ret)
{
	unsigned i;

	basis_factors(&fit->candidate.basis, fit->terms[term], ret);
	for (i = 0; i < ret->n_factors; i++) {
		struct factor *factor = &ret->factors[i];

		factor->feature = feature_of(describing, fit->columns[factor->feature]);
		if (factor->kind == FACTOR_EXPONENTIAL)
			write_exponent(describing, factor);
	}
}

/*
 * Six digits, plus as many as the constant exceeds all costs by: such a constant cancels against a
 * term of its size.
 */
static double round_like(double number, double constant, double y_max)
{
	const double beyond = y_max > 0 ? log10(fabs(constant) / y_max) : 0;
	char text[32];

	if (!(beyond > 0))
		return annotation_number(number);
	snprintf(text, sizeof(text), "%.*g", (int)fmin(17, 7 + beyond), number);
	return strtod(text, NULL);
}

static double constant_of(const struct fit *fit)
{
	unsigned i;

	for (i = 0; i < fit->n_terms; i++)
		if (!fit->candidate.basis.terms[fit->terms[i]].n)
			return fit->coefficients[i];
	return 0;
}

/* A constant far below its deviation is a rounded zero. */
static bool is_nothing(const struct fit *fit)
{
	return fit->n_terms == 1 && !fit->candidate.basis.terms[fit->terms[0]].n &&
	       fabs(fit->coefficients[0]) < NOTHING * fit->deviation;
}

static struct formula make_mean(struct describing *describing, const struct fit *fit)
{
	struct term *terms = arena_array(describing->arena, struct term, fit->n_terms);
	const double constant = constant_of(fit);
	unsigned i;

	for (i = 0; i < fit->n_terms; i++) {
		terms[i].coefficient =
			round_like(fit->coefficients[i], constant, describing->data->y_max);
		terms[i].std_error = fit->std_errors[i];
		write_factors(describing, fit, i, &terms[i]);
	}
	if (is_nothing(fit))
		terms[0].coefficient = 0;
	return (struct formula){terms, fit->n_terms};
}

/* A constant, or a part of the mean's terms plus a constant. */
static struct formula make_deviation(struct arena *arena, const struct fit *fit,
				     const struct formula *mean, double y_max)
{
	const double level = constant_of(fit);
	const bool grows = fit->deviation_part > 0;
	struct term *terms = arena_array(arena, struct term, mean->n_terms + 1);
	double constant = grows ? fit->deviation_base : fit->deviation;
	size_t n = 0;
	size_t i;

	for (i = 0; grows && i < mean->n_terms; i++) {
		const double part = fit->deviation_part * mean->terms[i].coefficient;

		if (!mean->terms[i].n_factors) {
			constant += part;
			continue;
		}
		terms[++n] = mean->terms[i];
		terms[n].coefficient = round_like(part, level, y_max);
		terms[n].std_error = NAN;
	}
	terms[0] =
		(struct term){.coefficient = round_like(constant, level, y_max), .std_error = NAN};
	return terms[0].coefficient != 0 || !n ? (struct formula){terms, n + 1}
					       : (struct formula){terms + 1, n};
}

static enum heuristic heuristic_of(const struct fit *fit)
{
	if (fit->is_envelope)
		return HEURISTIC_ENVELOPE;
	return fit->is_trend ? HEURISTIC_TREND : HEURISTIC_NONE;
}

static void write_model(struct describing *describing, const struct tree_model *from,
			struct model *ret)
{
	const struct fit *fit = &from->fit;
	const struct formula mean = make_mean(describing, fit);

	*ret = (struct model){
		.probability = annotation_number(from->probability),
		.heuristic = heuristic_of(fit),
		.mean = mean,
		.deviation = make_deviation(describing->arena, fit, &mean, describing->data->y_max),
		.spread = annotation_number(fit->deviation),
		.growth = basis_growth(&fit->candidate.basis, fit->candidate.mask),
		.free_low = annotation_number(fit->candidate.free_low),
		.free_high = annotation_number(fit->candidate.free_high),
		.is_rest = fit->is_rest,
		.n_samples = fit->n_used,
		.r2 = fit->r2,
		.cv_r2 = fit->cv_r2,
		.error = fit->error,
	};
}

/* Does a later condition say more of the same side of the column? */
static bool is_implied(const struct tree_condition *one, const struct tree_condition *later)
{
	if (one->split.column != later->split.column || one->split.kind != later->split.kind)
		return false;
	switch (one->split.kind) {
	case SPLIT_AT:
		return one->first == later->first;
	case SPLIT_IS:
		return !one->first && later->first;
	case SPLIT_TRUE:
	case SPLIT_DEFINED:
	case SPLIT_BELOW:
	case SPLIT_UP_TO:
	case SPLIT_SAME:
		break;
	}
	return false;
}

/* The only number of @column in the leaf; false: there are several. */
static bool only_number(const struct tree_leaf *leaf, const struct column *column, double *ret)
{
	size_t i;

	*ret = column->numbers[leaf->data->order[0]];
	for (i = 1; i < leaf->data->n_rows; i++)
		if (column->numbers[leaf->data->order[i]] != *ret)
			return false;
	return true;
}

static enum comparison comparison_of(const struct tree_condition *from)
{
	switch (from->split.kind) {
	case SPLIT_AT:
		return from->first ? LESS_EQUAL : GREATER;
	case SPLIT_IS:
		return from->first ? EQUAL : NOT_EQUAL;
	case SPLIT_DEFINED:
		return from->first ? IS_DEFINED : IS_ABSENT;
	case SPLIT_BELOW:
		return from->first ? LESS : GREATER_EQUAL;
	case SPLIT_UP_TO:
		return from->first ? LESS_EQUAL : GREATER;
	case SPLIT_SAME:
		return from->first ? EQUAL : NOT_EQUAL;
	case SPLIT_TRUE:
		break;
	}
	return from->first ? IS_TRUE : IS_FALSE;
}

/* If two values are excluded and only a third was seen, the scope says the third. */
static void scope_write_condition(struct describing *describing, const struct tree_leaf *leaf,
				  const struct tree_condition *from, struct condition *ret)
{
	const struct column *column = from->split.column;
	double number = from->split.at;
	const char *label;
	double only;

	ret->feature = feature_of(describing, column);
	ret->comparison = comparison_of(from);
	if (from->split.other) {
		ret->of_pair = true;
		ret->other = feature_of(describing, from->split.other);
	} else if (ret->comparison == NOT_EQUAL && only_number(leaf, column, &only)) {
		ret->comparison = EQUAL;
		number = only;
	}
	ret->number = number;
	label = from->split.kind == SPLIT_IS ? samples_label(column, number) : NULL;
	ret->symbol = label ? arena_strdup(describing->arena, label) : NULL;
}

static bool scope_is_same(const struct condition *a, const struct condition *b)
{
	return a->feature == b->feature && a->comparison == b->comparison &&
	       a->number == b->number && a->of_pair == b->of_pair && a->other == b->other;
}

/* Between them is one whole number, if @column has no others: `n > 1 && n <= 2` is `n == 2`. */
static bool leave_one(const struct column *column, const struct condition *a,
		      const struct condition *b)
{
	return column->type == FEATURE_INT && a->feature == b->feature && !a->of_pair &&
	       !b->of_pair && a->comparison == GREATER && b->comparison == LESS_EQUAL &&
	       b->number == floor(b->number) && b->number == floor(a->number) + 1;
}

/* Put @one to the @n conditions of @scope, unless they have it. Returns their number then. */
static size_t scope_add(const struct column *column, struct condition one, struct condition *scope,
			size_t n)
{
	size_t j;

	for (j = 0; j < n; j++) {
		if (scope_is_same(&scope[j], &one))
			return n;
		if (leave_one(column, &scope[j], &one) || leave_one(column, &one, &scope[j])) {
			scope[j].number = fmax(one.number, scope[j].number);
			scope[j].comparison = EQUAL;
			return n;
		}
	}
	scope[n] = one;
	return n + 1;
}

static void write_scope(struct describing *describing, const struct tree_leaf *leaf,
			const struct tree_scope *from, struct annotation_case *ret)
{
	struct condition *scope = arena_array(describing->arena, struct condition, from->n);
	unsigned i, j;

	for (i = 0; i < from->n; i++) {
		struct condition one = {.feature = 0};

		for (j = i + 1; j < from->n; j++)
			if (is_implied(&from->of[i], &from->of[j]))
				break;
		if (j < from->n)
			continue;
		scope_write_condition(describing, leaf, &from->of[i], &one);
		ret->n_conditions =
			scope_add(from->of[i].split.column, one, scope, ret->n_conditions);
	}
	ret->scope = scope;
}

static void write_case(struct describing *describing, unsigned number, struct annotation_case *ret)
{
	const struct tree_leaf *leaf = &describing->tree->leaves[number];
	struct model *models = arena_array(describing->arena, struct model, leaf->n_models);
	unsigned i;

	write_scope(describing, leaf, &describing->tree->scopes[number], ret);
	for (i = 0; i < leaf->n_models; i++) {
		write_model(describing, &leaf->models[i], &models[i]);
		describing->annotation->n_samples += models[i].n_samples;
	}
	unexplained_set(leaf, models);
	ret->models = models;
	ret->n_models = leaf->n_models;
}

void model_tree_cases(const struct model_tree *tree, const struct dataset *data, double kin,
		      struct annotation *annotation)
{
	struct describing *describing = arena_new(data->arena, struct describing);
	struct annotation_case *cases =
		arena_array(annotation->arena, struct annotation_case, tree->n);
	unsigned i;

	*describing = (struct describing){.tree = tree,
					  .data = data,
					  .kin = kin,
					  .annotation = annotation,
					  .arena = annotation->arena};
	for (i = 0; i < tree->n; i++)
		write_case(describing, i, &cases[i]);
	write_features(describing);
	annotation->cases = cases;
	annotation->n_cases = tree->n;
}
