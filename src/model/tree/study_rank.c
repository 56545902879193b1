/*
 * Equivalent features are grouped as for a model; all others are single. Costs are clamped to a few
 * deviations from the annotation's models: preempted calls would else decide the ranking.
 */
#include "study_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/data/dataset.h"
#include "variance_explained.h"
#include "model/data/equivalents.h"

struct ranking_features {
	struct study *study;
	const struct model_options *options;
	struct study_feature *features;
	bool *taken; /* [columns of the samples] already in a feature */
};

static size_t study_find_column(const struct study *study, const char *expression)
{
	return samples_find_column(study->samples, COLUMN_FEATURE, expression);
}

static bool study_is_among(const char *expression, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!strcmp(expression, list[i]))
			return true;
	return false;
}

static enum study_request request_of(const struct model_options *options, const char *expression)
{
	if (study_is_among(expression, options->excluded, options->n_excluded))
		return STUDY_EXCLUDED;
	return study_is_among(expression, options->pinned, options->n_pinned) ? STUDY_PINNED
									      : STUDY_FREE;
}

static unsigned used_as(const struct study *study, const char *expression)
{
	size_t i;

	for (i = 0; i < study->annotation->n_features; i++)
		if (!strcmp(study->annotation->features[i].expression, expression))
			return i;
	return STUDY_NONE;
}

static void study_feature_join(struct ranking_features *ranking, struct study_feature *feature,
			       size_t column)
{
	const char *name = ranking->study->samples->columns[column].name;
	const enum study_request request = request_of(ranking->options, name);

	ranking->taken[column] = true;
	if (request > feature->wish)
		feature->wish = request;
}

static struct study_feature *add_feature(struct ranking_features *ranking, size_t column)
{
	struct study_feature *feature = &ranking->features[ranking->study->n_features++];

	*feature = (struct study_feature){
		.column = column,
		.in_annotation =
			used_as(ranking->study, ranking->study->samples->columns[column].name)};
	study_feature_join(ranking, feature, column);
	return feature;
}

/* The one of the predictor's columns that the annotation names, or the predictor's own. */
static const struct column *find_main(const struct study *study, const struct predictor *predictor)
{
	size_t i;

	for (i = 0; i < predictor->n_alike; i++)
		if (used_as(study, predictor->column->name) == STUDY_NONE &&
		    used_as(study, predictor->alike[i]->name) != STUDY_NONE)
			return predictor->alike[i];
	return predictor->column;
}

/* Columns of the predictor that give each other's values are one feature. */
static void add_group(struct ranking_features *ranking, const struct dataset *data,
		      const struct predictor *predictor)
{
	struct study *study = ranking->study;
	const struct column *own = find_main(study, predictor);
	struct study_feature *feature = add_feature(ranking, study_find_column(study, own->name));
	const char **aliases = arena_array(study->arena, const char *, predictor->n_alike + 1);
	struct annotation_affine *maps =
		arena_array(study->arena, struct annotation_affine, predictor->n_alike + 1);
	size_t i;

	for (i = 0; i <= predictor->n_alike; i++) {
		const struct column *other = i ? predictor->alike[i - 1] : predictor->column;
		const size_t at = study_find_column(study, other->name);
		struct annotation_affine *map = &maps[feature->n_aliases];

		if (other == own || !equivalents_map(data, own, other, map))
			continue;
		study_feature_join(ranking, feature, at);
		map->expression = study->samples->columns[at].name;
		aliases[feature->n_aliases++] = map->expression;
	}
	feature->aliases = aliases;
	feature->maps = maps;
}

static void add_all(struct ranking_features *ranking, const struct dataset *data)
{
	const struct samples *samples = ranking->study->samples;
	size_t i;

	for (i = 0; i < data->n_predictors; i++)
		add_group(ranking, data, &data->predictors[i]);
	for (i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE && !ranking->taken[i])
			add_feature(ranking, i);
}

static void study_feature_describe(const struct study *study, struct study_feature *feature)
{
	const struct column *column = &study->samples->columns[feature->column];

	feature->expression = column->name;
	feature->type = column->type;
	feature->provenance = column->provenance;
	feature->n_present = dataset_column_range(column, study->rows, study->n_points,
						  &feature->min, &feature->max);
}

/* The costs of the rows that models are chosen by, scaled to unit size. */
static double *read_costs(const struct study *study, const struct dataset *data)
{
	size_t *points = mem_alloc((study->samples->n_rows + 1) * sizeof(*points));
	double *costs = mem_alloc((data->n_choice + 1) * sizeof(*costs));
	size_t i;

	for (i = 0; i < study->n_points; i++)
		points[study->rows[i]] = i;
	for (i = 0; i < data->n_choice; i++)
		costs[i] = data->y_max > 0
				   ? study_usual_cost(study, points[data->choice[i]]) / data->y_max
				   : 0;
	free(points);
	return costs;
}

static void study_rank_features(struct ranking_features *ranking, const struct dataset *data)
{
	struct study *study = ranking->study;
	double *costs = read_costs(study, data);
	struct variance_explained explaining;
	size_t i;

	variance_explained_init(&explaining, data->choice, costs, data->n_choice);
	for (i = 0; i < study->n_features; i++) {
		struct study_feature *feature = &ranking->features[i];

		study_feature_describe(study, feature);
		feature->explains =
			variance_explained(&explaining, &study->samples->columns[feature->column]);
	}
	variance_explained_deinit(&explaining);
	free(costs);
}

/* Unknown ones last; among equals those that the annotation uses first. */
static int compare_features(const void *a, const void *b)
{
	const struct study_feature *left = a;
	const struct study_feature *right = b;

	if (isnan(left->explains) != isnan(right->explains))
		return isnan(left->explains) ? 1 : -1;
	if (!isnan(left->explains) && left->explains != right->explains)
		return left->explains > right->explains ? -1 : 1;
	if (left->in_annotation != right->in_annotation)
		return left->in_annotation < right->in_annotation ? -1 : 1;
	return strcmp(left->expression, right->expression);
}

void study_rank(struct study *study, const struct model_options *options)
{
	struct dataset *data = dataset_create(study->samples, study->metric);
	struct model_options all = *options;
	struct ranking_features ranking = {
		.study = study,
		.options = options,
		.features = arena_array(study->arena, struct study_feature,
					study->samples->n_columns + 1),
		.taken = arena_array(study->arena, bool, study->samples->n_columns + 1),
	};

	all.n_excluded = 0;
	equivalents_screen(data, &all);
	add_all(&ranking, data);
	study_rank_features(&ranking, data);
	qsort(ranking.features, study->n_features, sizeof(*ranking.features), compare_features);
	study->features = ranking.features;
	dataset_destroy(data);
}
