/* Expectations: evaluates scopes, mixtures and references of parsed annotations. */
#include "expectation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { DEPTH_MAX = 32 /* of references */, REFERENCES_MAX = 10000, HALVINGS = 200 };

/* The evaluation of one annotation, perhaps for another that refers to it. */
struct evaluation {
	const struct annotation *annotation;
	const struct annotation_list *all;
	const struct argument *x;
	bool interval; /* compute `low` and `high` */
	unsigned depth;
	unsigned *references; /* evaluated so far, in all evaluations */
	struct err *err;
	bool failed;
};

static bool compares(const struct condition *condition, double number, double with)
{
	switch (condition->comparison) {
	case LESS:
		return number < with;
	case LESS_EQUAL:
		return number <= with;
	case GREATER:
		return number > with;
	case GREATER_EQUAL:
		return number >= with;
	case EQUAL:
		return number == with;
	case NOT_EQUAL:
		return number != with;
	case IS_TRUE:
		return number != 0;
	case IS_FALSE:
		return number == 0;
	case IS_DEFINED:
		return true;
	case IS_ABSENT:
		break;
	}
	return false;
}

static bool holds(const struct condition *condition, const struct argument *x)
{
	const struct argument *argument = &x[condition->feature];

	if (!argument->known)
		return argument->absent && condition->comparison == IS_ABSENT;
	if (condition->symbol) { /* a value without a name equals no symbol */
		bool same = argument->symbol && !strcmp(argument->symbol, condition->symbol);

		return same == (condition->comparison == EQUAL);
	}
	if (condition->of_pair)
		return x[condition->other].known &&
		       compares(condition, condition->number * argument->number,
				x[condition->other].number);
	return compares(condition, argument->number, condition->number);
}

bool expectation_case_holds(const struct annotation_case *one, const struct argument *x)
{
	for (size_t i = 0; i < one->n_conditions; i++)
		if (!holds(&one->scope[i], x))
			return false;
	return true;
}

/* Is @name the name of @function, with or without its parameters? */
static bool annotation_is_called(const char *function, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(function, name, n) && (!function[n] || function[n] == '(');
}

const struct annotation *expectation_annotation(const struct annotation_list *all, const char *name,
						enum metric metric)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->list[i]->metric == metric &&
		    annotation_is_called(all->list[i]->function, name))
			return all->list[i];
	return NULL;
}

static bool is_outside(const struct annotation_feature *feature, const struct argument *argument)
{
	return argument->known && isfinite(feature->min) && isfinite(feature->max) &&
	       (argument->number < feature->min || argument->number > feature->max);
}

size_t expectation_outside(const struct annotation *annotation, const struct argument *x,
			   struct arena *arena, const char *const **ret)
{
	const char **names = arena_array(arena, const char *, annotation->n_features + 1);
	size_t i, n = 0;

	for (i = 0; i < annotation->n_features; i++)
		if (is_outside(&annotation->features[i], &x[i]))
			names[n++] = annotation->features[i].name;
	*ret = names;
	return n;
}

const char *expectation_outside_phrase(const struct annotation *annotation,
				       const struct argument *x, struct arena *arena)
{
	const char *ret = NULL;

	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];

		if (is_outside(feature, &x[i]))
			ret = arena_printf(
				arena, "%s%s%s=%.6g is outside of what was observed (%.6g .. %.6g)",
				ret ? ret : "", ret ? "; " : "", feature->name, x[i].number,
				feature->min, feature->max);
	}
	return ret ? arena_printf(arena, "%s: the formula may not hold there", ret) : NULL;
}

static double expectation_refuse(struct evaluation *evaluation, enum err_code code, const char *fmt,
				 const char *what)
{
	if (!evaluation->failed)
		err_set(evaluation->err, code, fmt, what);
	evaluation->failed = true;
	return NAN;
}

static bool expectation_evaluate(struct evaluation *evaluation, struct expectation *ret);

/* Fill in the features of the annotation referred to. */
static void reference_bind(const struct formula_context *context, const struct reference *reference,
			   const struct annotation *to, struct argument *ret)
{
	for (size_t i = 0; i < reference->n_bindings; i++)
		for (size_t j = 0; j < to->n_features; j++)
			if (!strcmp(to->features[j].name, reference->bindings[i].feature))
				ret[j] = (struct argument){
					.known = true,
					.number = annotation_value_in(&reference->bindings[i].value,
								      context)};
}

static double reference_value(const struct formula_context *context,
			      const struct reference *reference)
{
	struct evaluation *outer = context->self;
	const struct annotation *to =
		expectation_annotation(outer->all, reference->function, outer->annotation->metric);
	struct evaluation inner = {.annotation = to,
				   .all = outer->all,
				   .depth = outer->depth + 1,
				   .references = outer->references,
				   .err = outer->err};
	struct expectation expectation = {.mean = NAN};
	struct argument *x;

	if (!to)
		return expectation_refuse(outer, ERR_NOT_FOUND,
					  "there is no annotation of %s to refer to",
					  reference->function);
	if (inner.depth == DEPTH_MAX)
		return expectation_refuse(outer, ERR_USAGE, "the annotation of %s refers to itself",
					  reference->function);
	if (++*outer->references > REFERENCES_MAX)
		return expectation_refuse(outer, ERR_USAGE, "%s refers to too many annotations",
					  outer->annotation->function);
	x = mem_alloc((to->n_features + 1) * sizeof(*x));
	reference_bind(context, reference, to, x);
	inner.x = x;
	if (!outer->failed)
		outer->failed = !expectation_evaluate(&inner, &expectation);
	free(x);
	return expectation.mean;
}

/* Are all features that the case needs numbers? */
static bool expectation_fill(struct evaluation *evaluation, const struct annotation_case *one,
			     double *x)
{
	const struct annotation *annotation = evaluation->annotation;

	for (size_t i = 0; i < annotation->n_features; i++) {
		x[i] = evaluation->x[i].known ? evaluation->x[i].number : NAN;
		if (isnan(x[i]) && annotation_case_uses(one, i))
			expectation_refuse(evaluation, ERR_USAGE, "%s must be known",
					   annotation->features[i].name);
	}
	return !evaluation->failed;
}

/* The parts of a mixture, evaluated. */
struct part {
	double probability, mean, deviation;
};

/* The probability that the cost is at most @y. */
static double mixture_probability(const struct part *parts, size_t n, double y)
{
	double sum = 0;
	double weight = 0;

	for (size_t i = 0; i < n; i++) {
		const struct part *part = &parts[i];

		weight += part->probability;
		if (part->deviation > 0)
			sum += part->probability * 0.5 *
			       erfc((part->mean - y) / (part->deviation * M_SQRT2));
		else
			sum += y >= part->mean ? part->probability : 0;
	}
	return sum / weight;
}

/* The cost that a @share of all calls does not exceed, by bisection. */
static double expectation_quantile(const struct part *parts, size_t n, double share)
{
	double low = INFINITY;
	double high = -INFINITY;

	for (size_t j = 0; j < n; j++) {
		low = fmin(low, parts[j].mean - 10 * parts[j].deviation);
		high = fmax(high, parts[j].mean + 10 * parts[j].deviation);
	}
	for (int i = 0; i < HALVINGS && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (mixture_probability(parts, n, middle) < share)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The moments of a mixture, from those of its parts and the distances between them. */
static void mixture_moments(const struct part *parts, size_t n, struct expectation *ret)
{
	double weight = 0, mean = 0, variance = 0;

	for (size_t i = 0; i < n; i++)
		weight += parts[i].probability;
	for (size_t i = 0; i < n; i++)
		mean += parts[i].probability / weight * parts[i].mean;
	for (size_t i = 0; i < n; i++) {
		double away = parts[i].mean - mean;

		variance += parts[i].probability / weight *
			    (parts[i].deviation * parts[i].deviation + away * away);
	}
	ret->mean = mean;
	ret->deviation = sqrt(variance);
}

static void evaluate_models(const struct annotation_case *one,
			    const struct formula_context *context, bool interval,
			    struct expectation *ret)
{
	struct part *parts = mem_alloc(one->n_models * sizeof(*parts));

	for (size_t i = 0; i < one->n_models; i++) {
		const double deviation = annotation_value_in(&one->models[i].deviation, context);

		parts[i] = (struct part){
			.probability = one->models[i].probability,
			.mean = annotation_value_in(&one->models[i].mean, context),
			.deviation = isfinite(deviation) ? fmax(deviation, 0) : NAN,
		};
	}
	mixture_moments(parts, one->n_models, ret);
	ret->low = interval ? fmax(expectation_quantile(parts, one->n_models, 0.025), 0) : NAN;
	ret->high = interval ? fmax(expectation_quantile(parts, one->n_models, 0.975), 0) : NAN;
	ret->in = one;
	free(parts);
}

static bool evaluate_case(struct evaluation *evaluation, const struct annotation_case *one,
			  struct expectation *ret)
{
	double *x = mem_alloc((evaluation->annotation->n_features + 1) * sizeof(*x));
	const struct formula_context context = {
		.x = x, .reference = reference_value, .self = evaluation};

	if (expectation_fill(evaluation, one, x)) {
		evaluate_models(one, &context, evaluation->interval, ret);
		if (!isfinite(ret->mean) || !isfinite(ret->deviation))
			expectation_refuse(evaluation, ERR_USAGE,
					   "the formula of %s has no value there",
					   evaluation->annotation->function);
	}
	free(x);
	return !evaluation->failed;
}

static bool is_unknown(const struct argument *argument)
{
	return !argument->known && !argument->absent;
}

/* A feature that some scope uses and that is unknown; NULL: none. */
static const char *find_unknown(const struct annotation *annotation, const struct argument *x)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_conditions; j++) {
			const struct condition *condition = &annotation->cases[i].scope[j];

			if (is_unknown(&x[condition->feature]))
				return annotation->features[condition->feature].name;
			if (condition->of_pair && is_unknown(&x[condition->other]))
				return annotation->features[condition->other].name;
		}
	return NULL;
}

static bool expectation_evaluate(struct evaluation *evaluation, struct expectation *ret)
{
	const struct annotation *annotation = evaluation->annotation;
	const char *unknown = find_unknown(annotation, evaluation->x);

	for (size_t i = 0; i < annotation->n_cases; i++)
		if (expectation_case_holds(&annotation->cases[i], evaluation->x))
			return evaluate_case(evaluation, &annotation->cases[i], ret);
	if (unknown)
		expectation_refuse(evaluation, ERR_NOT_FOUND,
				   "no case holds as far as is known: it depends on %s", unknown);
	else
		expectation_refuse(evaluation, ERR_NOT_FOUND, "no case of %s holds there",
				   annotation->function);
	return false;
}

static bool expectation_of_model(const struct annotation *annotation,
				 const struct annotation_list *all, const struct argument *x,
				 bool interval, struct expectation *ret, struct err *err)
{
	unsigned references = 0;
	struct evaluation evaluation = {.annotation = annotation,
					.all = all,
					.x = x,
					.interval = interval,
					.references = &references,
					.err = err};
	struct expectation found;

	if (!expectation_evaluate(&evaluation, &found))
		return false;
	*ret = found;
	return true;
}

bool expectation_find(const struct annotation *annotation, const struct annotation_list *all,
		      const struct argument *x, struct expectation *ret, struct err *err)
{
	return expectation_of_model(annotation, all, x, false, ret, err);
}

bool expectation_find_interval(const struct annotation *annotation,
			       const struct annotation_list *all, const struct argument *x,
			       struct expectation *ret, struct err *err)
{
	return expectation_of_model(annotation, all, x, true, ret, err);
}
