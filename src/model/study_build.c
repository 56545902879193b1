/*
 * Points of a study, and what the models expect of them. study_tree.c makes the tree, study_rank.c
 * ranks features.
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
	const struct column *column = samples_metric(samples, study->metric);
	size_t *rows = arena_array(study->arena, size_t, samples->n_rows + 1);
	double *costs = arena_array(study->arena, double, samples->n_rows + 1);
	size_t row;

	for (row = 0; column && row < samples->n_rows; row++) {
		if (column->absence[row] != PRESENT || !isfinite(column->numbers[row]))
			continue;
		rows[study->n_points] = row;
		costs[study->n_points++] = column->numbers[row];
	}
	study->rows = rows;
	study->costs = costs;
}

/* The model that each point matches, [n_points]. */
struct match {
	double *expected, *deviation;
	unsigned *cases, *models;
};

/* Scratch: features of a point and what the models of its case expect. */
struct scratch {
	struct argument *arguments;
	double *numbers, *means, *deviations;
};

static void match_none(struct match *match, size_t point)
{
	match->expected[point] = match->deviation[point] = NAN;
	match->cases[point] = match->models[point] = STUDY_NONE;
}

static double deviation_of(const struct model *model, const double *numbers)
{
	const double deviation = annotation_value(&model->deviation, numbers);

	return isfinite(deviation) ? fmax(deviation, 0) : NAN;
}

static void match_point(const struct annotated_rows *annotated, double cost,
			const struct scratch *scratch, struct match *match, size_t point)
{
	const size_t at = annotated_rows_case(annotated, scratch->arguments);
	const struct annotation_case *in = &annotated->annotation->cases[at];
	unsigned model;
	size_t i;

	match_none(match, point);
	if (at == annotated->annotation->n_cases)
		return;
	for (i = 0; i < in->n_models; i++) {
		scratch->means[i] = annotation_value(&in->models[i].mean, scratch->numbers);
		scratch->deviations[i] = deviation_of(&in->models[i], scratch->numbers);
	}
	model = annotated_rows_model(in, scratch->means, scratch->deviations, cost);
	if (!isfinite(scratch->means[model]) || !isfinite(scratch->deviations[model]))
		return;
	match->expected[point] = scratch->means[model];
	match->deviation[point] = scratch->deviations[model];
	match->cases[point] = at;
	match->models[point] = model;
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

static void match_all(struct study *study, const struct annotated_rows *annotated,
		      struct match *match)
{
	const size_t n_features = study->annotation->n_features + 1;
	const size_t n_models = most_models(study->annotation) + 1;
	struct scratch scratch = {.arguments = mem_alloc(n_features * sizeof(*scratch.arguments)),
				  .numbers = mem_alloc(n_features * sizeof(double)),
				  .means = mem_alloc(n_models * sizeof(double)),
				  .deviations = mem_alloc(n_models * sizeof(double))};
	size_t i;

	for (i = 0; i < study->n_points; i++) {
		annotated_rows_arguments(annotated, study->rows[i], scratch.arguments);
		annotated_rows_numbers(annotated, study->rows[i], scratch.numbers);
		match_point(annotated, study->costs[i], &scratch, match, i);
	}
	free(scratch.arguments);
	free(scratch.numbers);
	free(scratch.means);
	free(scratch.deviations);
}

static void set_expected(struct study *study)
{
	struct arena *arena = study->arena;
	struct match match = {.expected = arena_array(arena, double, study->n_points + 1),
			      .deviation = arena_array(arena, double, study->n_points + 1),
			      .cases = arena_array(arena, unsigned, study->n_points + 1),
			      .models = arena_array(arena, unsigned, study->n_points + 1)};
	struct annotated_rows annotated;
	size_t i;

	if (annotated_rows_find(study->annotation, study->samples, arena, &annotated))
		match_all(study, &annotated, &match);
	else
		for (i = 0; i < study->n_points; i++)
			match_none(&match, i);
	for (i = 0; i < study->n_points; i++)
		study->n_outside += match.cases[i] == STUDY_NONE;
	study->expected = match.expected;
	study->deviation = match.deviation;
	study->cases = match.cases;
	study->models = match.models;
}

static double study_total_of(const struct study *study)
{
	const double n = study->n_points;
	double mean = 0;
	size_t i;

	if (study->metric == METRIC_TIME && isfinite(study->samples->total_us))
		return fmax(study->samples->total_us, 0);
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
		.curve = options->curve,
		.over = options->over,
	};
	set_points(study);
	study->total = study_total_of(study);
	set_expected(study);
	study_tree(study);
	study_rank(study, options);
	gsl_set_error_handler(handler);
	return study;
}
