/*
 * Points, and how the annotation's models stand to them. The tree is study_tree.c's matter,
 * features are study_rank.c's.
 */
#include "study_build.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "base/mem.h"
#include "model/data/annotated_rows.h"
#include "model/tree/study_rank.h"
#include "model/tree/study_tree.h"

static void set_points(struct study *study)
{
	const struct samples *samples = study->samples;
	const size_t at =
		samples_find_column(samples, COLUMN_METRIC, metric_info(study->metric)->keyword);
	size_t *rows = arena_array(study->arena, size_t, samples->n_rows + 1);
	double *costs = arena_array(study->arena, double, samples->n_rows + 1);
	size_t row;

	for (row = 0; at < samples->n_columns && row < samples->n_rows; row++) {
		const struct column *column = &samples->columns[at];

		if (column->absence[row] != PRESENT || !isfinite(column->numbers[row]))
			continue;
		rows[study->n_points] = row;
		costs[study->n_points++] = column->numbers[row];
	}
	study->rows = rows;
	study->costs = costs;
}

/* What the models say of all points. */
struct saying {
	double *expected, *deviation;
	unsigned *cases, *models;
};

/* What the models of a case say of one point, room for all. */
struct room {
	struct argument *arguments;
	double *numbers, *means, *deviations;
};

static void say_nothing(struct saying *saying, size_t point)
{
	saying->expected[point] = saying->deviation[point] = NAN;
	saying->cases[point] = saying->models[point] = STUDY_NONE;
}

static double deviation_of(const struct model *model, const double *numbers)
{
	const double deviation = annotation_value(&model->deviation, numbers);

	return isfinite(deviation) ? fmax(deviation, 0) : NAN;
}

static void study_point_says(const struct annotated_rows *annotated, double cost,
			     const struct room *room, struct saying *saying, size_t point)
{
	const size_t at = annotated_rows_case(annotated, room->arguments);
	const struct annotation_case *in = &annotated->annotation->cases[at];
	unsigned model;
	size_t i;

	say_nothing(saying, point);
	if (at == annotated->annotation->n_cases)
		return;
	for (i = 0; i < in->n_models; i++) {
		room->means[i] = annotation_value(&in->models[i].mean, room->numbers);
		room->deviations[i] = deviation_of(&in->models[i], room->numbers);
	}
	model = annotated_rows_model(in, room->means, room->deviations, cost);
	if (!isfinite(room->means[model]) || !isfinite(room->deviations[model]))
		return;
	saying->expected[point] = room->means[model];
	saying->deviation[point] = room->deviations[model];
	saying->cases[point] = at;
	saying->models[point] = model;
}

static size_t most_models(const struct annotation *annotation)
{
	size_t most = 0;
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (annotation->cases[i].n_models > most)
			most = annotation->cases[i].n_models;
	return most;
}

static void say_all(struct study *study, const struct annotated_rows *annotated,
		    struct saying *saying)
{
	const size_t n_features = study->annotation->n_features + 1;
	const size_t n_models = most_models(study->annotation) + 1;
	struct room room = {.arguments = mem_alloc(n_features * sizeof(*room.arguments)),
			    .numbers = mem_alloc(n_features * sizeof(double)),
			    .means = mem_alloc(n_models * sizeof(double)),
			    .deviations = mem_alloc(n_models * sizeof(double))};
	size_t i;

	for (i = 0; i < study->n_points; i++) {
		annotated_rows_arguments(annotated, study->rows[i], room.arguments);
		annotated_rows_numbers(annotated, study->rows[i], room.numbers);
		study_point_says(annotated, study->costs[i], &room, saying, i);
	}
	free(room.arguments);
	free(room.numbers);
	free(room.means);
	free(room.deviations);
}

static void set_expected(struct study *study)
{
	struct arena *arena = study->arena;
	struct saying saying = {.expected = arena_array(arena, double, study->n_points + 1),
				.deviation = arena_array(arena, double, study->n_points + 1),
				.cases = arena_array(arena, unsigned, study->n_points + 1),
				.models = arena_array(arena, unsigned, study->n_points + 1)};
	struct annotated_rows annotated;
	size_t i;

	if (annotated_rows_find(study->annotation, study->samples, arena, &annotated))
		say_all(study, &annotated, &saying);
	else
		for (i = 0; i < study->n_points; i++)
			say_nothing(&saying, i);
	for (i = 0; i < study->n_points; i++)
		study->n_outside += saying.cases[i] == STUDY_NONE;
	study->expected = saying.expected;
	study->deviation = saying.deviation;
	study->cases = saying.cases;
	study->models = saying.models;
}

static double study_total_of(const struct study *study)
{
	const double n = study->n_points;
	double mean = 0;
	size_t i;

	for (i = 0; i < study->n_points; i++)
		mean += study->costs[i] / n;
	return study->n_points ? mean * study->samples->n_calls : NAN;
}

struct study *study_build(const struct samples *samples, enum metric metric,
			  const struct model_options *options, struct annotation *annotation)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct arena *arena = arena_create();
	struct study *study = arena_new(arena, struct study);

	*study = (struct study){
		.arena = arena,
		.samples = samples,
		.annotation = annotation ? annotation : model_build(samples, metric, options),
		.metric = metric,
	};
	set_points(study);
	study->total = study_total_of(study);
	set_expected(study);
	study_tree(study);
	study_rank(study, options);
	gsl_set_error_handler(handler);
	return study;
}
