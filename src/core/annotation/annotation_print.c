/*
 * Printing annotations in their language, with a model's support in comments. quote.c prints
 * foreign texts; annotation_parse.c reads it all back.
 */
#include "annotation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "annotation_comments.h"
#include "base/paint.h"
#include "quote.h"

enum {
	DIGITS = 6,
	NUMBER_SIZE = 32,
	ALIASES_MAX = 4, /* the rest are counted */
};

static double tamed(double number)
{
	number = isnan(number) ? 0 : fmin(fmax(number, -DBL_MAX), DBL_MAX);
	return number == 0 ? 0 : number; /* no -0 */
}

#define WHOLE_PLAIN 1e9

/* The shortest text that reads back to @number; usual whole numbers without an exponent. */
static void format_exactly(double number, char ret[NUMBER_SIZE])
{
	char text[NUMBER_SIZE];
	int digits;

	if (number == rint(number) && fabs(number) < WHOLE_PLAIN) {
		snprintf(ret, NUMBER_SIZE, "%.0f", number);
		return;
	}
	snprintf(ret, NUMBER_SIZE, "%.17g", number);
	for (digits = 16; digits > 0; digits--) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number && strlen(text) <= strlen(ret))
			strcpy(ret, text);
	}
}

static void annotation_print_number(double number, FILE *out)
{
	char text[NUMBER_SIZE];

	format_exactly(tamed(number), text);
	fputs(text, out);
}

/* For comments, where a few digits do. */
static void print_roughly(double number, FILE *out)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%.*g", DIGITS, tamed(number));
	annotation_print_number(strtod(text, NULL), out);
}

/* The sign between two factors; nothing before the first. */
static void print_operator(bool divides, bool first, FILE *out)
{
	if (divides)
		fputs(first ? "1/" : "/", out);
	else if (!first)
		fputc('*', out);
}

static void print_power(double power, FILE *out)
{
	if (power == 1)
		return;
	fputc('^', out);
	annotation_print_number(power, out);
}

static void print_feature_factor(const struct annotation *annotation, const struct factor *factor,
				 bool first, FILE *out)
{
	const char *name = annotation->features[factor->feature].name;

	if (factor->power == 0.5) {
		print_operator(false, first, out);
		fprintf(out, "sqrt(%s)", name);
		first = false;
	} else if (factor->power != 0) {
		print_operator(factor->power < 0, first, out);
		fputs(name, out);
		print_power(fabs(factor->power), out);
		first = false;
	}
	if (factor->log) {
		print_operator(false, first, out);
		fprintf(out, "log(%s)", name);
		if (factor->log > 1)
			fprintf(out, "^%u", factor->log);
	}
}

static void print_reference(const struct annotation *annotation, const struct reference *reference,
			    FILE *out)
{
	size_t i;

	fputc('@', out);
	quote_print(reference->function, QUOTE_REFERENCE, out);
	for (i = 0; i < reference->n_bindings; i++) {
		fprintf(out, "%s%s:=", i ? ", " : "[", reference->bindings[i].feature);
		annotation_print_formula(annotation, &reference->bindings[i].value, out);
	}
	if (i)
		fputc(']', out);
}

static void print_arguments(const struct annotation *annotation, const struct factor *factor,
			    FILE *out)
{
	size_t i;

	fputc('(', out);
	for (i = 0; i < factor->n_arguments; i++) {
		fputs(i ? ", " : "", out);
		annotation_print_formula(annotation, &factor->arguments[i], out);
	}
	fputc(')', out);
}

/* Is it read as one factor without parentheses around it? */
static bool is_one_factor(const struct formula *formula)
{
	const struct term *term = formula->terms;

	return formula->n_terms == 1 && term->coefficient == 1 && term->n_factors == 1 &&
	       term->factors[0].power == 1 && !term->factors[0].log &&
	       term->factors[0].kind != FACTOR_EXPONENTIAL;
}

static void print_exponential(const struct annotation *annotation, const struct factor *factor,
			      FILE *out)
{
	const bool bare = is_one_factor(factor->arguments);

	annotation_print_number(factor->base, out);
	fputs(bare ? "^" : "^(", out);
	annotation_print_formula(annotation, factor->arguments, out);
	fputs(bare ? "" : ")", out);
}

static void print_factor(const struct annotation *annotation, const struct factor *factor,
			 bool first, FILE *out)
{
	if (factor->kind == FACTOR_FEATURE) {
		print_feature_factor(annotation, factor, first, out);
		return;
	}
	print_operator(factor->power < 0, first, out);
	if (factor->kind == FACTOR_EXPONENTIAL) {
		print_exponential(annotation, factor, out);
		return;
	}
	if (factor->kind == FACTOR_REFERENCE) {
		print_reference(annotation, factor->reference, out);
	} else {
		if (factor->kind == FACTOR_FUNCTION)
			fputs(annotation_function_name(factor->function), out);
		print_arguments(annotation, factor, out);
	}
	print_power(fabs(factor->power), out);
}

static void print_term(const struct annotation *annotation, const struct term *term, bool first,
		       FILE *out)
{
	double coefficient = tamed(term->coefficient);
	bool bare = term->n_factors && fabs(coefficient) == 1;
	unsigned i;

	if (!first)
		fputs(coefficient < 0 ? " - " : " + ", out);
	else if (coefficient < 0)
		fputc('-', out);
	if (!bare)
		annotation_print_number(fabs(coefficient), out);
	for (i = 0; i < term->n_factors; i++)
		print_factor(annotation, &term->factors[i], bare && i == 0, out);
}

/* The constant first, then by growth, otherwise in their order. */
void annotation_print_formula(const struct annotation *annotation, const struct formula *formula,
			      FILE *out)
{
	bool first = true;
	int round; /* -1: terms without factors */
	size_t i;

	for (round = -1; round < GROWTH_COUNT; round++)
		for (i = 0; i < formula->n_terms; i++) {
			const struct term *term = &formula->terms[i];
			const struct formula alone = {term, 1};
			int turn = term->n_factors ? (int)annotation_growth(&alone) : -1;

			if (turn != round)
				continue;
			print_term(annotation, term, first, out);
			first = false;
		}
	if (first)
		fputc('0', out);
}

/* The end of a list of @n, of which ALIASES_MAX were written; @n_more were only counted. */
static void print_more(size_t n, size_t n_more, FILE *out)
{
	const size_t more = n_more + (n > ALIASES_MAX ? n - ALIASES_MAX : 0);

	if (n && more)
		fprintf(out, " and %zu more", more);
	if (n)
		fputc('\n', out);
}

static void print_names(const char *head, const char *const *names, size_t n, size_t n_more,
			FILE *out)
{
	size_t i;

	for (i = 0; i < n && i < ALIASES_MAX; i++) {
		fprintf(out, i ? ", " : "    // %s", head);
		quote_print(names[i], QUOTE_ALIAS, out);
	}
	print_more(n, n_more, out);
}

/* "a = 100*n, v->end = 4096 + 8*n" */
static void print_affine(const struct annotation_feature *feature, FILE *out)
{
	size_t i;

	for (i = 0; i < feature->n_affine && i < ALIASES_MAX; i++) {
		const struct annotation_affine *one = &feature->affine[i];

		fprintf(out, i ? ", " : "    // %s", ANNOTATION_AFFINE);
		quote_print(one->expression, QUOTE_ALIAS, out);
		fputs(" = ", out);
		if (one->offset != 0) {
			annotation_print_number(one->offset, out);
			fputs(one->scale < 0 ? " - " : " + ", out);
		} else if (one->scale < 0) {
			fputc('-', out);
		}
		if (fabs(one->scale) != 1) {
			annotation_print_number(fabs(one->scale), out);
			fputc('*', out);
		}
		fputs(feature->name, out);
	}
	print_more(feature->n_affine, feature->n_affine_more, out);
}

static void annotation_print_feature(const struct annotation_feature *feature, FILE *out)
{
	fprintf(out, "  %s %s = ", feature_type_name(feature->type), feature->name);
	quote_print(feature->expression, QUOTE_EXPRESSION, out);
	fputc(';', out);
	if (isfinite(feature->min) && isfinite(feature->max)) {
		fputs("  // ", out);
		print_roughly(feature->min, out);
		fputs(" .. ", out);
		print_roughly(feature->max, out);
	}
	fputc('\n', out);
	print_names(ANNOTATION_EQUAL, feature->aliases, feature->n_aliases, feature->n_more, out);
	print_affine(feature, out);
	print_names(ANNOTATION_KIN, feature->kin, feature->n_kin, feature->n_kin_more, out);
}

static void print_condition(const struct annotation *annotation, const struct condition *condition,
			    FILE *out)
{
	static const char *const comparisons[] = {
		[LESS] = " < ",           [LESS_EQUAL] = " <= ", [GREATER] = " > ",
		[GREATER_EQUAL] = " >= ", [EQUAL] = " == ",      [NOT_EQUAL] = " != ",
		[IS_TRUE] = "",           [IS_FALSE] = "",       [IS_DEFINED] = ")",
		[IS_ABSENT] = ")",
	};
	const bool negated =
		condition->comparison == IS_FALSE || condition->comparison == IS_ABSENT;
	const bool of_presence =
		condition->comparison == IS_DEFINED || condition->comparison == IS_ABSENT;

	if (condition->of_pair && condition->number != 1) {
		annotation_print_number(condition->number, out);
		fputc('*', out);
	}
	fprintf(out, "%s%s%s", negated ? "!" : "", of_presence ? "defined(" : "",
		annotation->features[condition->feature].name);
	fputs(comparisons[condition->comparison], out);
	if (condition->comparison >= IS_TRUE)
		return;
	if (condition->of_pair)
		fputs(annotation->features[condition->other].name, out);
	else if (condition->symbol &&
		 annotation->features[condition->feature].type == FEATURE_STRING)
		quote_print_string(condition->symbol, out);
	else if (condition->symbol)
		quote_print(condition->symbol, QUOTE_SYMBOL, out);
	else
		annotation_print_number(condition->number, out);
}

void annotation_print_scope(const struct annotation *annotation, const struct annotation_case *one,
			    FILE *out)
{
	size_t i;

	for (i = 0; i < one->n_conditions; i++) {
		fputs(i ? " && " : "[", out);
		print_condition(annotation, &one->scope[i], out);
	}
	if (one->n_conditions)
		fputs("] ", out);
}

void annotation_print_component(const struct annotation_case *one, unsigned model, FILE *out)
{
	if (one->models[model].is_rest)
		fputs(ANNOTATION_REST, out);
	else
		fprintf(out, "number %u of the mixture", model + 1);
}

static const char *model_phrase(const struct model *model)
{
	if (model->is_rest)
		return ANNOTATION_REST;
	return model->is_unexplained ? ANNOTATION_UNEXPLAINED : growth_phrase(model->growth);
}

/* The model's support: samples, R², cross-validation. Models written by people have none. */
static void print_support(const struct model *model, FILE *out)
{
	if (!model->n_samples) {
		fputc('\n', out);
		return;
	}
	paint(out, PAINT_FAINT);
	fprintf(out, "  // %s: %zu sample%s", model_phrase(model), model->n_samples,
		model->n_samples == 1 ? "" : "s");
	if (model->is_unexplained && isfinite(model->low) && isfinite(model->high)) {
		fputs(", 90 % between ", out);
		print_roughly(model->low, out);
		fputs(" and ", out);
		print_roughly(model->high, out);
	}
	if (model->growth >= GROWTH_FIXED && model->free_low > 0) {
		fprintf(out, ", %s ", model->growth == GROWTH_POWER ? "exponent" : "base");
		print_roughly(model->free_low, out);
		fputs(" .. ", out);
		print_roughly(model->free_high, out);
	}
	if (isfinite(model->r2))
		fprintf(out, ", R² %.3f", model->r2);
	if (isfinite(model->cv_r2))
		fprintf(out, ", cross-validated %.3f", model->cv_r2);
	if (isfinite(model->error))
		fprintf(out, ", median error %.*f %%", 100 * model->error < 9.95,
			100 * model->error);
	paint(out, PAINT_NONE);
	fputc('\n', out);
}

static void print_distribution(const struct annotation *annotation, const struct model *model,
			       bool mixture, FILE *out)
{
	if (mixture || model->probability != 1) {
		fputc('{', out);
		annotation_print_number(model->probability, out);
		fputs("} ", out);
	}
	if (model->heuristic != HEURISTIC_NONE)
		fputs(model->heuristic == HEURISTIC_ENVELOPE ? "R " : "M ", out);
	fputs("Norm(", out);
	annotation_print_formula(annotation, &model->mean, out);
	fputs(", ", out);
	annotation_print_formula(annotation, &model->deviation, out);
	fputs(");", out);
	print_support(model, out);
}

static void print_case(const struct annotation *annotation, const struct annotation_case *one,
		       FILE *out)
{
	size_t i;

	fputs("  ", out);
	annotation_print_scope(annotation, one, out);
	if (one->n_models == 1) {
		print_distribution(annotation, &one->models[0], false, out);
		return;
	}
	fputs("{\n", out);
	for (i = 0; i < one->n_models; i++) {
		fputs("    ", out);
		print_distribution(annotation, &one->models[i], true, out);
	}
	fputs("  }\n", out);
}

static void print_note(const char *note, FILE *out)
{
	paint(out, PAINT_FAINT);
	fputs("  // ", out);
	if (annotation_comments_is_place(note))
		quote_print_string(note, out);
	else
		quote_print(note, QUOTE_COMMENT, out);
	paint(out, PAINT_NONE);
	fputc('\n', out);
}

static void print_curve(const struct smooth *curve, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	smooth_print(curve, memory);
	fclose(memory);
	fputs("  // " ANNOTATION_CURVE, out);
	quote_print(text, QUOTE_COMMENT, out);
	fputc('\n', out);
	free(text);
}

static void print_runs(const struct annotation *annotation, FILE *out)
{
	fprintf(out, "  // Of %zu runs, which differ by %.3g %%", annotation->n_runs,
		100 * annotation->run_deviation);
	if (annotation->load.threads >= 0)
		fprintf(out, ", at load %.3g", annotation->load.threads);
	if (annotation->load.preempted > 0)
		fprintf(out, ", preempted %.2g %%", 100 * annotation->load.preempted);
	if (annotation->load.stolen > 0)
		fprintf(out, ", stolen %.2g %%", 100 * annotation->load.stolen);
	if (annotation->load.resolution > 0)
		fprintf(out, ", resolution %.2g µs", annotation->load.resolution);
	fputs(".\n", out);
}

void annotation_print(const struct annotation *annotation, FILE *out)
{
	size_t i;

	paint(out, PAINT_STRONG);
	quote_print_head(annotation->function, annotation->metric, out);
	paint(out, PAINT_NONE);
	fputs(" {\n", out);
	if (annotation->where)
		fprintf(out, "where: %s;", annotation->where);
	if (annotation->where && annotation->where_of)
		fprintf(out, "  // %zu of %zu samples", annotation->where_kept,
			annotation->where_of);
	fputs(annotation->where ? "\nfeatures:\n" : "features:\n", out);
	for (i = 0; i < annotation->n_features; i++)
		annotation_print_feature(&annotation->features[i], out);
	fputs("annotations:\n", out);
	for (i = 0; i < annotation->n_cases; i++)
		print_case(annotation, &annotation->cases[i], out);
	if (annotation->n_runs > 1 && annotation->run_deviation >= 0)
		print_runs(annotation, out);
	if (annotation->module) {
		fputs("  // It is in ", out);
		quote_print(annotation->module, QUOTE_COMMENT, out);
		fputs(".\n", out);
	}
	for (i = 0; i < annotation->n_notes; i++)
		print_note(annotation->notes[i], out);
	if (annotation->curve)
		print_curve(annotation->curve, out);
	fputs("}\n", out);
}
