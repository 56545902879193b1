/*
 * Features on axes: numbers map to themselves, named values to places in the order of their
 * numbers.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "figure_draw.h"

static bool axis_is_named(enum feature_type type)
{
	switch (type) {
	case FEATURE_BOOL:
	case FEATURE_STRING:
	case FEATURE_ENUM:
	case FEATURE_CLASS:
		return true;
	case FEATURE_INT:
	case FEATURE_FLOAT:
	case FEATURE_TYPE_COUNT:
		break;
	}
	return false;
}

static int axis_compare_numbers(const void *a, const void *b)
{
	const double left = *(const double *)a;
	const double right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The distinct values of the feature. */
static struct figure_places find_places(const struct study *study, unsigned feature)
{
	struct figure_places places = {.numbers =
					       mem_alloc((study->n_points + 1) * sizeof(double))};
	size_t kept = 0;

	for (size_t i = 0; i < study->n_points; i++) {
		const struct value value = study_value(study, feature, i);

		if (value.absence == PRESENT)
			places.numbers[places.n++] = value.number;
	}
	qsort(places.numbers, places.n, sizeof(double), axis_compare_numbers);
	for (size_t i = 0; i < places.n; i++)
		if (!kept || places.numbers[kept - 1] != places.numbers[i])
			places.numbers[kept++] = places.numbers[i];
	places.n = kept;
	return places;
}

static const char *axis_name_of(struct drawing *drawing, const struct study_feature *feature,
				double number)
{
	const struct column *column = &drawing->study->samples->columns[feature->column];
	const char *label = samples_label(column, number);
	char text[FIGURE_TEXT];

	if (label)
		return label;
	if (feature->type == FEATURE_BOOL && (number == 0 || number == 1))
		return number == 0 ? "false" : "true";
	figure_text(number, text);
	return arena_strdup(drawing->arena, text);
}

static void set_labels(struct drawing *drawing, const struct study_feature *feature,
		       const struct figure_places *places, struct figure_axis *axis)
{
	struct label *labels = arena_array(drawing->arena, struct label, places->n + 1);

	for (size_t i = 0; i < places->n; i++)
		labels[i] = (struct label){i, axis_name_of(drawing, feature, places->numbers[i])};
	axis->labels = labels;
	axis->n_labels = places->n;
}

struct figure_places figure_places_init(struct drawing *drawing, unsigned feature,
					struct figure_axis *axis)
{
	const struct study_feature *one = &drawing->study->features[feature];
	struct figure_places places = {.n = 0};

	axis->title = one->expression;
	if (!axis_is_named(one->type))
		return places;
	places = find_places(drawing->study, feature);
	set_labels(drawing, one, &places, axis);
	return places;
}

void figure_places_deinit(struct figure_places *places)
{
	free(places->numbers);
}

double figure_places_place(const struct figure_places *places, double number)
{
	const double *found;

	if (!places->numbers)
		return number;
	found = bsearch(&number, places->numbers, places->n, sizeof(double), axis_compare_numbers);
	return found ? found - places->numbers : 0;
}

double figure_places_number(const struct figure_places *places, double place)
{
	if (!places->numbers)
		return place;
	return places->n ? places->numbers[(size_t)fmin(fmax(round(place), 0), places->n - 1)]
			 : NAN;
}
