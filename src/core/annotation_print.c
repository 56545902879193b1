/*
 * Annotations as text: the annotation language, with what supports a model in comments. What the
 * numbers mean is annotation.c's matter; reading the language back is not done here.
 */
#include "core/annotation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	DIGITS = 6,
	NUMBER_SIZE = 32,
	ALIASES_MAX = 4, /* the rest are counted */
};

/*
 * Names come from other people's programs: what could steer a terminal is shown as a question
 * mark.
 */
static void print_text(const char *text, FILE *out)
{
	const unsigned char *c;

	for (c = (const unsigned char *)text; *c; c++) {
		bool c1 = c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f;

		fputc(*c < 0x20 || *c == 0x7f || c1 ? '?' : *c, out);
		c += c1;
	}
}

/* The shortest text that reads back to the same DIGITS digits. */
static void format_number(double number, char ret[NUMBER_SIZE])
{
	char text[NUMBER_SIZE];
	int digits;

	number = isnan(number) ? 0 : fmin(fmax(number, -DBL_MAX), DBL_MAX);
	if (number == 0)
		number = 0; /* no -0 */
	snprintf(ret, NUMBER_SIZE, "%.*g", DIGITS, number);
	for (digits = DIGITS - 1; digits > 0; digits--) {
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == strtod(ret, NULL) && strlen(text) <= strlen(ret))
			strcpy(ret, text);
	}
}

static void print_number(double number, FILE *out)
{
	char text[NUMBER_SIZE];

	format_number(number, text);
	fputs(text, out);
}

static void print_power(const char *base, double power, FILE *out)
{
	fputs(base, out);
	if (power != 1) {
		fputc('^', out);
		print_number(power, out);
	}
}

static void print_factor(const struct factor *factor, const char *name, FILE *out)
{
	if (factor->power == 0.5)
		fprintf(out, "*sqrt(%s)", name);
	else if (factor->power != 0) {
		fputc(factor->power < 0 ? '/' : '*', out);
		print_power(name, fabs(factor->power), out);
	}
	if (factor->log) {
		fprintf(out, "*log(%s)", name);
		if (factor->log > 1)
			fprintf(out, "^%u", factor->log);
	}
}

static enum growth term_growth(const struct term *term)
{
	enum growth fastest = GROWTH_CONSTANT;
	unsigned i;

	for (i = 0; i < term->n_factors; i++)
		if (factor_growth(&term->factors[i]) > fastest)
			fastest = factor_growth(&term->factors[i]);
	return fastest;
}

static void print_term(const struct annotation *annotation, const struct term *term, bool first,
		       FILE *out)
{
	char number[NUMBER_SIZE];
	const char *shown = number;
	unsigned i;

	format_number(term->coefficient, number);
	if (!first) {
		fputs(*number == '-' ? " - " : " + ", out);
		shown += *number == '-';
	}
	fputs(shown, out);
	for (i = 0; i < term->n_factors; i++)
		print_factor(&term->factors[i], annotation->features[term->factors[i].feature].name,
			     out);
}

/* The constant first, then by growth; equal ones in their order. */
static void print_formula(const struct annotation *annotation, const struct formula *formula,
			  FILE *out)
{
	bool first = true;
	int round; /* -1: terms without factors */
	size_t i;

	for (round = -1; round < GROWTH_COUNT; round++)
		for (i = 0; i < formula->n_terms; i++) {
			const struct term *term = &formula->terms[i];
			int turn = term->n_factors ? (int)term_growth(term) : -1;

			if (turn != round)
				continue;
			print_term(annotation, term, first, out);
			first = false;
		}
	if (first)
		fputc('0', out);
}

static void print_aliases(const struct annotation_feature *feature, FILE *out)
{
	size_t i;

	for (i = 0; i < feature->n_aliases && i < ALIASES_MAX; i++) {
		fputs(i ? ", " : "    // the same as ", out);
		print_text(feature->aliases[i], out);
	}
	if (feature->n_aliases > ALIASES_MAX)
		fprintf(out, " and %zu more", feature->n_aliases - ALIASES_MAX);
	if (feature->n_aliases)
		fputc('\n', out);
}

static void print_feature(const struct annotation_feature *feature, FILE *out)
{
	fprintf(out, "  %s %s = ", feature_type_name(feature->type), feature->name);
	print_text(feature->expression, out);
	fputc(';', out);
	if (isfinite(feature->min) && isfinite(feature->max)) {
		fputs("  // ", out);
		print_number(feature->min, out);
		fputs(" .. ", out);
		print_number(feature->max, out);
	}
	fputc('\n', out);
	print_aliases(feature, out);
}

static void print_condition(const struct annotation *annotation, const struct condition *condition,
			    FILE *out)
{
	static const char *const comparisons[] = {
		[LESS] = " < ",           [LESS_EQUAL] = " <= ", [GREATER] = " > ",
		[GREATER_EQUAL] = " >= ", [EQUAL] = " == ",      [NOT_EQUAL] = " != ",
		[IS_TRUE] = "",           [IS_FALSE] = "",
	};

	if (condition->comparison == IS_FALSE)
		fputc('!', out);
	fputs(annotation->features[condition->feature].name, out);
	if (condition->comparison == IS_TRUE || condition->comparison == IS_FALSE)
		return;
	fputs(comparisons[condition->comparison], out);
	if (condition->symbol)
		print_text(condition->symbol, out);
	else
		print_number(condition->number, out);
}

static void print_scope(const struct annotation *annotation, const struct annotation_case *one,
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

/* What supports the model: samples, R2, cross-validation. */
static void print_support(const struct model *model, FILE *out)
{
	fprintf(out, "  // %s: %zu sample%s", growth_phrase(model->growth), model->n_samples,
		model->n_samples == 1 ? "" : "s");
	if (isfinite(model->r2))
		fprintf(out, ", R² %.3f", model->r2);
	if (isfinite(model->cv_r2))
		fprintf(out, ", cross-validated %.3f", model->cv_r2);
	if (isfinite(model->error))
		fprintf(out, ", median error %.*f %%", model->error < 0.1, 100 * model->error);
	fputc('\n', out);
}

static void print_distribution(const struct annotation *annotation, const struct model *model,
			       bool mixture, FILE *out)
{
	if (mixture || model->probability != 1) {
		fputc('{', out);
		print_number(model->probability, out);
		fputs("} ", out);
	}
	if (model->heuristic != HEURISTIC_NONE)
		fputs(model->heuristic == HEURISTIC_ENVELOPE ? "R " : "M ", out);
	fputs("Norm(", out);
	print_formula(annotation, &model->mean, out);
	fputs(", ", out);
	print_formula(annotation, &model->deviation, out);
	fputs(");", out);
	print_support(model, out);
}

static void print_case(const struct annotation *annotation, const struct annotation_case *one,
		       FILE *out)
{
	size_t i;

	fputs("  ", out);
	print_scope(annotation, one, out);
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

void annotation_print(const struct annotation *annotation, FILE *out)
{
	size_t i;

	print_text(annotation->function, out);
	fprintf(out, ".%s {\nfeatures:\n", metric_info(annotation->metric)->keyword);
	for (i = 0; i < annotation->n_features; i++)
		print_feature(&annotation->features[i], out);
	fputs("annotations:\n", out);
	for (i = 0; i < annotation->n_cases; i++)
		print_case(annotation, &annotation->cases[i], out);
	if (annotation->module) {
		fputs("  // It is in ", out);
		print_text(annotation->module, out);
		fputs(".\n", out);
	}
	for (i = 0; i < annotation->n_notes; i++) {
		fputs("  // ", out);
		print_text(annotation->notes[i], out);
		fputc('\n', out);
	}
	fputs("}\n", out);
}
