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

static void match_none(struct match *match, size_t point)
{
	match->expected[point] = match->deviation[point] = NAN;
	match->cases[point] = match->models[point] = STUDY_NONE;
}

static void match_all(struct study *study, const struct annotated_rows *annotated,
		      struct match *match)
{
	const struct annotation *annotation = study->annotation;
	struct argument *x = mem_alloc((annotation->n_features + 1) * sizeof(*x));
	double *numbers = mem_alloc((annotation->n_features + 1) * sizeof(*numbers));
	size_t i;

	for (i = 0; i < study->n_points; i++) {
		struct annotated_model like;
		size_t at;

		annotated_rows_arguments(annotated, study->rows[i], x);
		annotated_rows_numbers(annotated, study->rows[i], numbers);
		match_none(match, i);
		at = annotated_rows_case(annotated, x);
		if (at == annotation->n_cases)
			continue;
		like = annotated_rows_model(&annotation->cases[at], numbers, study->costs[i]);
		if (!isfinite(like.mean) || !isfinite(like.deviation))
			continue;
		match->expected[i] = like.mean;
		match->deviation[i] = like.deviation;
		match->cases[i] = at;
		match->models[i] = like.at;
	}
	free(x);
	free(numbers);
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
