/*
 * What holds of every study and every figure, whatever the samples.
 * Functions of this header are inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_STUDY_CHECK_H
#define FATHOM_TESTS_STUDY_CHECK_H

#include "model_table.h"

#include "core/figure/figure.h"
#include "model/study_build.h"

static inline struct study *build_study(const struct table *table)
{
	const struct model_options options = {.min_r2 = 0.75};

	return study_build(table->samples, METRIC_TIME, &options, NULL);
}

/* The feature of that name, or that stands for it; n_features: there is none. */
static inline size_t feature_called(const struct study *study, const char *expression)
{
	size_t i, j;

	for (i = 0; i < study->n_features; i++) {
		if (!strcmp(study->features[i].expression, expression))
			return i;
		for (j = 0; j < study->features[i].n_aliases; j++)
			if (!strcmp(study->features[i].aliases[j], expression))
				return i;
	}
	return i;
}

/* Points of a case have what its model expects, others nothing. */
static inline void assert_points_sound(const struct study *study)
{
	size_t outside = 0;
	size_t i;

	for (i = 0; i < study->n_points; i++) {
		assert_true(study->rows[i] < study->samples->n_rows);
		assert_true(!i || study->rows[i] > study->rows[i - 1]);
		assert_true(isfinite(study->costs[i]));
		if (study->cases[i] == STUDY_NONE) {
			assert_true(isnan(study->expected[i]) && isnan(study->deviation[i]));
			outside++;
			continue;
		}
		assert_true(study->cases[i] < study->annotation->n_cases);
		assert_true(study->models[i] < study->annotation->cases[study->cases[i]].n_models);
		assert_true(isfinite(study->expected[i]) && study->deviation[i] >= 0);
	}
	assert_int_equal(outside, study->n_outside);
}

/* Nodes are in preorder; the points of the parts are those of the whole. */
static inline void assert_tree_sound(const struct study *study)
{
	size_t i, j;

	assert_true(study->n_nodes || !study->annotation->n_cases);
	for (i = 0; i < study->n_nodes; i++) {
		const struct study_node *node = &study->nodes[i];
		size_t below = i ? 0 : study->n_outside;
		size_t n_below = 0;

		assert_int_equal(node->parent == STUDY_NONE, i == 0);
		assert_int_equal(node->condition == NULL, i == 0);
		assert_int_equal(node->depth, i ? study->nodes[node->parent].depth + 1 : 0);
		assert_true(i == 0 || node->parent < i);
		for (j = i + 1; j < study->n_nodes; j++)
			if (study->nodes[j].parent == i) {
				below += study->nodes[j].n_points;
				n_below++;
			}
		if (n_below)
			assert_int_equal(node->n_points, below);
		else
			assert_true(node->in_case < study->annotation->n_cases);
		assert_true(isnan(node->r2) || (node->r2 >= 0 && node->r2 <= 1));
	}
	if (study->n_nodes)
		assert_int_equal(study->nodes[0].n_points, study->n_points);
}

/* Features are in the order of what they explain, and none is there twice. */
static inline void assert_features_sound(const struct study *study)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < study->n_features; i++) {
		const struct study_feature *feature = &study->features[i];

		assert_string_equal(feature->expression,
				    study->samples->columns[feature->column].name);
		assert_true(isnan(feature->explains) ||
			    (feature->explains >= 0 && feature->explains <= 1));
		if (i && !isnan(feature->explains))
			assert_true(feature->explains <= study->features[i - 1].explains);
		assert_int_equal(isnan(feature->min), feature->n_present == 0);
		n += 1 + feature->n_aliases;
	}
	for (i = 0; i < study->samples->n_columns; i++)
		n -= study->samples->columns[i].role == COLUMN_FEATURE;
	assert_int_equal(n, 0);
	assert_true(study_main_feature(study) < study->n_features || !study->n_features);
}

static inline void assert_study_sound(const struct study *study)
{
	assert_points_sound(study);
	assert_tree_sound(study);
	assert_features_sound(study);
}

static inline void assert_axis_sound(const struct figure_axis *axis)
{
	double ticks[12];
	char text[FIGURE_TEXT];
	size_t n, i;

	assert_non_null(axis->title);
	assert_true(isfinite(axis->low) && isfinite(axis->high));
	assert_true(axis->low < axis->high);
	assert_true(!axis->is_log || axis->low > 0);
	n = figure_ticks(axis, 12, ticks);
	assert_true(n <= 12);
	for (i = 0; i < n; i++) {
		const double place = figure_place(axis, ticks[i]);

		assert_true(isfinite(ticks[i]));
		assert_true(!i || ticks[i] > ticks[i - 1]);
		assert_true(place > -1e-6 && place < 1 + 1e-6);
		figure_text(ticks[i], text);
		assert_true(strlen(text) < 16);
	}
	assert_true(isfinite(figure_number(axis, 0.5)));
}

/* Bands and bars come first, curves last. */
static inline int order_of_kind(enum figure_kind kind)
{
	switch (kind) {
	case FIGURE_BAND:
	case FIGURE_BARS:
		return 0;
	case FIGURE_POINTS:
		return 1;
	case FIGURE_CURVE:
		break;
	}
	return 2;
}

static inline void assert_number_sound(const struct figure_axis *axis, double number)
{
	assert_true(isfinite(number));
	assert_true(!axis->is_log || number > 0);
}

static inline void assert_series_sound(const struct figure *figure,
				       const struct figure_series *series)
{
	const bool has_ends = series->kind == FIGURE_BAND || series->kind == FIGURE_BARS;
	size_t i;

	assert_true(series->n > 0);
	assert_int_equal(series->x2 != NULL, series->kind == FIGURE_BARS);
	assert_int_equal(series->y2 != NULL, series->kind == FIGURE_BAND);
	for (i = 0; i < series->n; i++) {
		assert_number_sound(&figure->x, series->x[i]);
		assert_number_sound(&figure->y, series->y[i]);
		if (has_ends && series->x2)
			assert_true(series->x2[i] >= series->x[i]);
		if (has_ends && series->y2)
			assert_true(series->y2[i] >= series->y[i]);
		if (series->kind != FIGURE_POINTS && i)
			assert_true(series->x[i] >= series->x[i - 1]);
	}
}

/* Takes @figure. */
static inline void assert_figure_sound(struct figure *figure)
{
	size_t i;

	assert_axis_sound(&figure->x);
	assert_axis_sound(&figure->y);
	assert_true(figure->n_series || figure->caption);
	for (i = 0; i < figure->n_series; i++) {
		assert_series_sound(figure, &figure->series[i]);
		assert_true(!i || order_of_kind(figure->series[i].kind) >=
					  order_of_kind(figure->series[i - 1].kind));
	}
	figure_destroy(figure);
}

/* All figures of a study, with the options. */
static inline void assert_figures_sound(const struct study *study,
					const struct figure_options *options)
{
	size_t i;

	for (i = 0; i <= study->n_features; i++) {
		const unsigned feature = i < study->n_features ? i : STUDY_NONE;

		assert_figure_sound(figure_scatter(study, feature, options));
		assert_figure_sound(figure_residuals(study, feature, options));
	}
	assert_figure_sound(figure_histogram(study, options));
}

/* The series number @which of a kind; NULL: there are not as many. */
static inline const struct figure_series *series_of(const struct figure *figure,
						    enum figure_kind kind, size_t which)
{
	size_t i;

	for (i = 0; i < figure->n_series; i++)
		if (figure->series[i].kind == kind && !which--)
			return &figure->series[i];
	return NULL;
}

#endif
