/* The facts of a call, as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views.h"

static const struct sample_key *call_key_of(const struct study *study, size_t point)
{
	return &study->samples->keys[study->rows[point]];
}

static void call_print_number(FILE *out, double number)
{
	fputs(cell_text_number(number).bytes, out);
}

static void call_print_cost(const struct study *study, size_t point, FILE *out)
{
	const struct metric_info *info = metric_info(study->metric);
	const double deviation = study->deviation[point];
	const double left = study->costs[point] - study->expected[point];

	fprintf(out, "%s ", info->keyword);
	call_print_number(out, study->costs[point]);
	fprintf(out, "%s%s", *info->unit_text ? " " : "", info->unit_text);
	if (isnan(study->expected[point])) {
		fputs(", no case holds", out);
		return;
	}
	fputs(", expected ", out);
	call_print_number(out, study->expected[point]);
	if (deviation > 0) {
		fputs(" give or take ", out);
		call_print_number(out, deviation);
	}
	fputs(" (", out);
	call_print_number(out, fabs(left));
	fputs(left < 0 ? " less)" : " more)", out);
}

static void call_print_key(const struct study *study, size_t point, FILE *out)
{
	const struct sample_key *key = call_key_of(study, point);
	const char **callers = study->samples->callers;
	const char *caller = callers ? callers[study->rows[point]] : NULL;

	fprintf(out, "call %" PRId64 ", thread %" PRId64, key->id, key->thread);
	if (key->process != key->thread)
		fprintf(out, " of process %" PRId64, key->process);
	if (key->parent)
		fprintf(out,
			caller ? ", called by %s (call %" PRId64 ")"
			       : ", called by %scall %" PRId64,
			caller ? caller : "", key->parent);
	else
		fputs(", no measured caller", out);
	fprintf(out, ", run %" PRId64 " at %.6g s", key->run, (double)key->start_ns / 1e9);
}

static void call_print_case(const struct study *study, size_t point, FILE *out)
{
	const unsigned in = study->cases[point];
	const struct annotation_case *one;

	if (in >= study->annotation->n_cases)
		return;
	one = &study->annotation->cases[in];
	fprintf(out, "case %u: ", in + 1);
	annotation_print_scope(study->annotation, one, out);
	if (study->models[point] < one->n_models)
		annotation_print_formula(study->annotation, &one->models[study->models[point]].mean,
					 out);
	fputc('\n', out);
}

static void point_print_value(const struct study *study, size_t feature, size_t point, FILE *out)
{
	const struct value value = study_value(study, feature, point);
	const char *label = study_label(study, feature, point);

	if (value.absence != PRESENT)
		fprintf(out, "absent: %s", value_absence_meaning(value.absence));
	else if (label)
		fprintf(out, study->features[feature].type == FEATURE_STRING ? "\"%s\"" : "%s",
			label);
	else if (study->features[feature].type == FEATURE_BOOL)
		fputs(value.number != 0 ? "true" : "false", out);
	else
		call_print_number(out, value.number);
}

/* The length of what is before @call, as `.size()`, at the end of @expression; 0: it is not. */
static size_t length_before(const char *expression, const char *call)
{
	const size_t n = strlen(expression), end = strlen(call);

	return n > end && !strcmp(expression + n - end, call) ? n - end : 0;
}

/* Is @feature the first element of the container whose size is the feature @size? */
static bool is_front(const struct study *study, size_t feature, size_t size)
{
	const char *expression = study->features[feature].expression;
	const char *whole = study->features[size].expression;
	const size_t n = length_before(expression, "front()");

	return n && n == length_before(whole, "size()") && !strncmp(expression, whole, n);
}

/*
 * A container as `items = {size 3: 7, ...}`, in the way of fathom stack: samples have its size, and
 * its first element if that is a value. False: the feature is no size of one.
 */
static bool print_container(const struct study *study, size_t feature, size_t point, FILE *out)
{
	const char *expression = study->features[feature].expression;
	const struct value size = study_value(study, feature, point);
	const size_t by_value = length_before(expression, ".size()");
	const size_t by_pointer = length_before(expression, "->size()");

	if ((!by_value && !by_pointer) || size.absence != PRESENT)
		return false;
	fprintf(out, "%s%.*s = {size ", by_pointer ? "*" : "",
		(int)(by_value ? by_value : by_pointer), expression);
	call_print_number(out, size.number);
	for (size_t i = 0; i < study->n_features; i++)
		if (is_front(study, i, feature) &&
		    study_value(study, i, point).absence == PRESENT) {
			fputs(": ", out);
			point_print_value(study, i, point, out);
			fputs(size.number > 1 ? ", ..." : "", out);
			break;
		}
	fputc('}', out);
	return true;
}

/* A first element that its container shows. */
static bool is_shown_within(const struct study *study, size_t feature, size_t point)
{
	for (size_t i = 0; i < study->n_features; i++)
		if (is_front(study, feature, i) && study_value(study, i, point).absence == PRESENT)
			return true;
	return false;
}

void call_text(const struct study *study, size_t point, FILE *out)
{
	call_print_key(study, point, out);
	fputc('\n', out);
	call_print_cost(study, point, out);
	fputc('\n', out);
	call_print_case(study, point, out);
	fputc('\n', out);
	for (size_t i = 0; i < study->n_features; i++) {
		if (value_is_left_out(study_value(study, i, point).absence) ||
		    is_shown_within(study, i, point))
			continue;
		if (!print_container(study, i, point, out)) {
			fprintf(out, "%s = ", study->features[i].expression);
			point_print_value(study, i, point, out);
		}
		fputc('\n', out);
	}
}

static size_t calls_of(const struct annotation_case *one)
{
	size_t n = 0;

	for (size_t i = 0; i < one->n_models; i++)
		n += one->models[i].n_samples;
	return n;
}

static unsigned likeliest(const struct annotation_case *one)
{
	unsigned ret = 0;

	for (unsigned i = 1; i < one->n_models; i++)
		if (one->models[i].probability > one->models[ret].probability)
			ret = i;
	return ret;
}

void call_text_formula(const struct study *study, size_t point, FILE *out)
{
	const struct annotation *annotation = study->annotation;
	const bool has_point =
		point < study->n_points && study->cases[point] < annotation->n_cases &&
		study->models[point] < annotation->cases[study->cases[point]].n_models;
	unsigned in = has_point ? study->cases[point] : 0, model;

	if (annotation->n_cases == 0 || study->n_points == 0)
		return;
	for (unsigned i = 1; !has_point && i < annotation->n_cases; i++)
		if (calls_of(&annotation->cases[i]) > calls_of(&annotation->cases[in]))
			in = i;
	model = has_point ? study->models[point] : likeliest(&annotation->cases[in]);
	if (annotation->n_cases > 1)
		fprintf(out, "case %u of %zu: ", in + 1, annotation->n_cases);
	annotation_print_scope(annotation, &annotation->cases[in], out);
	if (annotation->cases[in].n_models > 1)
		fprintf(out, "%u of %zu curves: ", model + 1, annotation->cases[in].n_models);
	annotation_print_formula(annotation, &annotation->cases[in].models[model].mean, out);
}

void call_text_summary(const struct explorer *explorer, struct pane region)
{
	const struct study *study = explorer->opened.study;
	const size_t point = explorer->opened.cursor;
	const unsigned feature = explorer->opened.feature;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	call_print_cost(study, point, out);
	fputc('\n', out);
	if (feature != STUDY_NONE) {
		fprintf(out, "%s = ", study->features[feature].expression);
		point_print_value(study, feature, point, out);
		fputs(", ", out);
	}
	call_print_key(study, point, out);
	fclose(out);
	text[strcspn(text, "\n")] = '\0';
	cell_text_fit(region, 0, 0, region.width, text);
	cell_text_fit(region, 0, 1, region.width, text + strlen(text) + 1);
	free(text);
}
