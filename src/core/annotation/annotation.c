/* Annotations as data: the growth and the value of formulas. annotation_print.c prints them. */
#include "annotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct annotation *annotation_create(void)
{
	struct arena *arena = arena_create();
	struct annotation *annotation = arena_new(arena, struct annotation);

	annotation->arena = arena;
	annotation->load.threads = NAN;
	return annotation;
}

void annotation_destroy(struct annotation *annotation)
{
	if (annotation)
		arena_destroy(annotation->arena);
}

enum growth annotation_factor_growth(const struct factor *factor)
{
	const bool grows = factor->power > 0 && factor->base > 1;

	if (factor->kind == FACTOR_EXPONENTIAL)
		return grows ? GROWTH_EXPONENTIAL : GROWTH_CONSTANT;
	return factor->kind == FACTOR_FEATURE ? growth_of(factor->power, factor->log)
					      : GROWTH_CONSTANT;
}

/* A search among none takes no steps, and a power beats the logarithm: at 0 log(x) is 0. */
static double growth_factor_value(const struct factor *factor, double x)
{
	double value = factor->power == 1 ? x : pow(x, factor->power);

	if (!factor->log)
		return value;
	if (x == 0 && factor->power >= 0)
		return 0;
	return value * pow(log(x), factor->log);
}

double annotation_number(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", number);
	return strtod(text, NULL);
}

static const char *const functions[FUNCTION_COUNT] = {
	[FUNCTION_LOG] = "log", [FUNCTION_LOG2] = "log2", [FUNCTION_SQRT] = "sqrt",
	[FUNCTION_EXP] = "exp", [FUNCTION_MIN] = "min",   [FUNCTION_MAX] = "max",
};

const char *annotation_function_name(enum formula_function function)
{
	return functions[function];
}

enum formula_function annotation_function_parse(const char *name, size_t length)
{
	enum formula_function function;

	for (function = 0; function < FUNCTION_COUNT; function++)
		if (strlen(functions[function]) == length &&
		    !strncmp(functions[function], name, length))
			break;
	return function;
}

enum growth annotation_growth(const struct formula *formula)
{
	enum growth fastest = GROWTH_CONSTANT;
	size_t i;
	unsigned j;

	for (i = 0; i < formula->n_terms; i++)
		for (j = 0; j < formula->terms[i].n_factors; j++) {
			const struct factor *factor = &formula->terms[i].factors[j];
			enum growth growth = annotation_factor_growth(factor);

			fastest = growth > fastest ? growth : fastest;
		}
	return fastest;
}

static double function_value(const struct factor *factor, const struct formula_context *context)
{
	const struct formula *arguments = factor->arguments;
	double value = annotation_value_in(&arguments[0], context);
	size_t i;

	switch (factor->function) {
	case FUNCTION_LOG:
		return log(value);
	case FUNCTION_LOG2:
		return log2(value);
	case FUNCTION_SQRT:
		return sqrt(value);
	case FUNCTION_EXP:
		return exp(value);
	case FUNCTION_MIN:
		for (i = 1; i < factor->n_arguments; i++)
			value = fmin(value, annotation_value_in(&arguments[i], context));
		return value;
	case FUNCTION_MAX:
		for (i = 1; i < factor->n_arguments; i++)
			value = fmax(value, annotation_value_in(&arguments[i], context));
		return value;
	case FUNCTION_COUNT:
		break;
	}
	return NAN;
}

static double any_value(const struct factor *factor, const struct formula_context *context)
{
	switch (factor->kind) {
	case FACTOR_FEATURE:
		return growth_factor_value(factor, context->x[factor->feature]);
	case FACTOR_FUNCTION:
		return pow(function_value(factor, context), factor->power);
	case FACTOR_GROUP:
		return pow(annotation_value_in(factor->arguments, context), factor->power);
	case FACTOR_EXPONENTIAL:
		return pow(factor->base,
			   factor->power * annotation_value_in(factor->arguments, context));
	case FACTOR_REFERENCE:
		return context->reference
			       ? pow(context->reference(context, factor->reference), factor->power)
			       : NAN;
	}
	return NAN;
}

double annotation_value_in(const struct formula *formula, const struct formula_context *context)
{
	double sum = 0;
	size_t i;
	unsigned j;

	for (i = 0; i < formula->n_terms; i++) {
		const struct term *term = &formula->terms[i];
		double value = term->coefficient;

		for (j = 0; j < term->n_factors; j++)
			value *= any_value(&term->factors[j], context);
		sum += value;
	}
	return sum;
}

double annotation_value(const struct formula *formula, const double *x)
{
	return annotation_value_in(formula, &(struct formula_context){.x = x});
}

bool annotation_is_unexplained(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			if (annotation->cases[i].models[j].is_unexplained)
				return true;
	return false;
}

bool annotation_formula_uses(const struct formula *formula, unsigned feature)
{
	size_t i, k;
	unsigned j;

	for (i = 0; i < formula->n_terms; i++)
		for (j = 0; j < formula->terms[i].n_factors; j++) {
			const struct factor *factor = &formula->terms[i].factors[j];

			if (factor->kind == FACTOR_FEATURE && factor->feature == feature)
				return true;
			for (k = 0; k < factor->n_arguments; k++)
				if (annotation_formula_uses(&factor->arguments[k], feature))
					return true;
			for (k = 0; factor->reference && k < factor->reference->n_bindings; k++)
				if (annotation_formula_uses(&factor->reference->bindings[k].value,
							    feature))
					return true;
		}
	return false;
}

bool annotation_case_uses(const struct annotation_case *one, unsigned feature)
{
	size_t i;

	for (i = 0; i < one->n_models; i++)
		if (annotation_formula_uses(&one->models[i].mean, feature) ||
		    annotation_formula_uses(&one->models[i].deviation, feature))
			return true;
	return false;
}

static bool annotation_has_text(const char *const *texts, size_t n, const char *text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(texts[i], text))
			return true;
	return false;
}

bool annotation_feature_find(const struct annotation_feature *feature, const char *expression,
			     struct annotation_affine *ret)
{
	size_t i;

	for (i = 0; i < feature->n_affine; i++)
		if (!strcmp(feature->affine[i].expression, expression)) {
			*ret = feature->affine[i];
			return true;
		}
	*ret = (struct annotation_affine){expression, 1, 0};
	return !strcmp(feature->expression, expression) ||
	       annotation_has_text(feature->aliases, feature->n_aliases, expression);
}

bool annotation_feature_is(const struct annotation_feature *feature, const char *name)
{
	struct annotation_affine ignored;

	return !strcmp(feature->name, name) || annotation_feature_find(feature, name, &ignored);
}

double annotation_affine_back(const struct annotation_affine *affine, double number)
{
	return (number - affine->offset) / affine->scale;
}

void annotation_affine_phrase(const struct annotation_affine *affine, char ret[ANNOTATION_PHRASE])
{
	char plus[32] = "";

	ret[0] = '\0';
	if (affine->offset != 0)
		snprintf(plus, sizeof(plus), "%.6g + ", affine->offset);
	if (affine->offset != 0 || affine->scale != 1)
		snprintf(ret, ANNOTATION_PHRASE, " (%s%.6g times this)", plus, affine->scale);
}

bool annotation_feature_has_kin(const struct annotation_feature *feature, const char *expression)
{
	return annotation_has_text(feature->kin, feature->n_kin, expression);
}
