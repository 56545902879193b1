/* Access to studies. model/study_build.c makes them. */
#include "study.h"

#include <math.h>
#include <string.h>

/* Usual costs are within so many deviations of the model. */
#define USUAL 4.0

void study_destroy(struct study *study)
{
	if (!study)
		return;
	annotation_destroy(study->annotation);
	arena_destroy(study->arena);
}

struct value study_value(const struct study *study, size_t feature, size_t point)
{
	const struct column *column = &study->samples->columns[study->features[feature].column];
	const size_t row = study->rows[point];

	return (struct value){column->numbers[row], column->absence[row]};
}

const char *study_label(const struct study *study, size_t feature, size_t point)
{
	const struct value value = study_value(study, feature, point);

	if (value.absence != PRESENT)
		return NULL;
	return samples_label(&study->samples->columns[study->features[feature].column],
			     value.number);
}

double study_usual_cost(const struct study *study, size_t point)
{
	const double most = USUAL * study->deviation[point];
	const double expected = study->expected[point];
	const double cost = study->costs[point];

	if (!(most > 0) || !isfinite(most))
		return cost;
	return fmin(fmax(cost, expected - most), expected + most);
}

/* The study's feature for the annotation's feature @index; n_features: none. */
static size_t find_used(const struct study *study, size_t index)
{
	size_t i;

	for (i = 0; i < study->n_features; i++)
		if (study->features[i].in_annotation == index)
			break;
	return i;
}

void study_arguments(const struct study *study, size_t point, double *ret)
{
	for (size_t i = 0; i < study->annotation->n_features; i++) {
		const size_t at = find_used(study, i);
		const struct value value = at < study->n_features
						   ? study_value(study, at, point)
						   : (struct value){0, ABSENT_NOT_MEASURED};

		ret[i] = value.absence == PRESENT ? value.number : NAN;
	}
}

/* Does a formula use the annotation's feature @index? */
static bool is_in_formula(const struct annotation *annotation, unsigned index)
{
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++)
			if (annotation_formula_uses(&annotation->cases[i].models[j].mean, index))
				return true;
	return false;
}

/* The first feature of the annotation, among those that formulas use, or all; n_features: none. */
static size_t find_first(const struct study *study, bool in_formula)
{
	const struct annotation *annotation = study->annotation;
	size_t i, at;

	for (i = 0; i < annotation->n_features; i++) {
		at = find_used(study, i);
		if (at < study->n_features && (!in_formula || is_in_formula(annotation, i)))
			return at;
	}
	return study->n_features;
}

/* STUDY_NONE: there is none. */
static unsigned find_named(const struct study *study, const char *expression)
{
	for (size_t i = 0; i < study->n_features; i++)
		if (!strcmp(study->features[i].expression, expression))
			return i;
	return STUDY_NONE;
}

bool study_has(const struct study *study, const char *over)
{
	return !strcmp(over, STUDY_ORDER) || find_named(study, over) != STUDY_NONE;
}

unsigned study_main_feature(const struct study *study)
{
	size_t found = find_first(study, true);

	if (study->over && study_has(study, study->over))
		return find_named(study, study->over);
	if (found == study->n_features)
		found = find_first(study, false);
	if (found < study->n_features)
		return found;
	return study->n_features ? 0 : STUDY_NONE;
}
