/* Orders the metrics, and passes features from the models of earlier metrics to later ones. */
#include "metric_models.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/annotation/quote_head.h"
#include "model/tree/metric_covariate.h"
#include "model/tree/parts_sum.h"

struct metric_models {
	const struct samples *samples;
	const struct model_options *options;
	struct annotation *annotations[METRIC_COUNT];
	const char **preferred;
	size_t n_preferred, capacity;
};

/*
 * Values of the system and return values may explain other metrics for reasons that time does not
 * share.
 */
static bool is_preferable(const struct samples *samples, const char *expression)
{
	const size_t at = samples_find_column(samples, COLUMN_FEATURE, expression);

	return at < samples->n_columns && samples->columns[at].provenance != FROM_SYSTEM &&
	       samples->columns[at].provenance != FROM_RETURN;
}

static void prefer(struct metric_models *story, const char *expression)
{
	size_t i;

	for (i = 0; i < story->n_preferred; i++)
		if (!strcmp(story->preferred[i], expression))
			return;
	story->preferred = mem_grow(story->preferred, &story->capacity, story->n_preferred + 1,
				    sizeof(*story->preferred));
	story->preferred[story->n_preferred++] = expression;
}

static void prefer_features(struct metric_models *story, const struct annotation *annotation)
{
	size_t i, j;

	for (i = 0; annotation && i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];

		if (!is_preferable(story->samples, feature->expression))
			continue;
		prefer(story, feature->expression);
		for (j = 0; j < feature->n_aliases; j++)
			prefer(story, feature->aliases[j]);
		for (j = 0; j < feature->n_affine; j++)
			prefer(story, feature->affine[j].expression);
	}
}

/* The features of the first @n teachers; a self metric skips those that have no self variant. */
static void prefer_all(struct metric_models *story, enum metric metric, size_t n)
{
	const struct model_options *options = story->options;
	size_t i;

	story->n_preferred = 0;
	for (i = 0; i < options->n_preferred; i++)
		prefer(story, options->preferred[i]);
	for (i = 1; i <= n; i++) {
		const enum metric teacher = metric_teaching(i);

		if (metric_is_self(metric) && teacher >= METRIC_SUMS)
			continue;
		prefer_features(story, story->annotations[teacher + metric - metric_total(metric)]);
	}
}

static void metrics_build_one(struct metric_models *story, enum metric metric, size_t n_before)
{
	struct model_options options = *story->options;

	if (story->annotations[metric])
		return;
	if (n_before) {
		prefer_all(story, metric, n_before);
		options.preferred = story->preferred;
		options.n_preferred = story->n_preferred;
	}
	story->annotations[metric] = model_build(story->samples, metric, &options);
	if (n_before)
		metric_covariate_note(story->annotations[metric], story->samples);
}

/* How many metrics @metric learns from: only times learn, from less noisy metrics. */
static size_t learned(enum metric metric)
{
	const unsigned place = metric_info(metric)->teaches;

	return place && metric_is_time(metric) ? place - 1 : 0;
}

/* Build @metric after the measured metrics that it learns from. */
static void build_metric(struct metric_models *story, enum metric metric)
{
	const unsigned offset = metric - metric_total(metric);
	size_t i;

	for (i = 1; i <= learned(metric); i++) {
		const enum metric teacher = metric_teaching(i);

		if ((!offset || teacher < METRIC_SUMS) &&
		    samples_metric(story->samples, teacher + offset))
			metrics_build_one(story, teacher + offset, learned(teacher));
	}
	metrics_build_one(story, metric, learned(metric));
}

/* Of merged calls. */
static void sum_up_time(struct metric_models *story)
{
	static const enum metric parts[] = {METRIC_OWN, METRIC_SERVER + METRIC_TIME,
					    METRIC_NETWORK};
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	struct annotation *built[PARTS];

	for (size_t i = 0; i < PARTS; i++) {
		if (!samples_metric(story->samples, parts[i]))
			return;
		build_metric(story, parts[i]);
		built[i] = story->annotations[parts[i]];
	}
	parts_sum_settle(story->annotations[METRIC_TIME], built, PARTS, story->samples);
}

/* A place has what is told by place; of a function, that it lacks a metric is worth a note. */
static uint64_t metrics_of_place(const struct samples *samples, uint64_t metrics)
{
	if (!samples->function[quote_head_length(samples->function)])
		return metrics;
	for (enum metric metric = 0; metric < METRIC_COUNT; metric++)
		if (samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword) ==
		    samples->n_columns)
			metrics &= ~METRIC_BIT(metric);
	return metrics;
}

size_t metric_models_build(const struct samples *samples, uint64_t metrics,
			   const struct model_options *options, struct annotation **ret)
{
	struct metric_models story = {.samples = samples, .options = options};
	enum metric metric;
	size_t n = 0;

	metrics = metrics_of_place(samples, metrics);
	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (metrics & METRIC_BIT(metric))
			build_metric(&story, metric);
	if (metrics & METRIC_BIT(METRIC_TIME))
		sum_up_time(&story);
	for (metric = 0; metric < METRIC_COUNT; metric++) {
		if (metrics & METRIC_BIT(metric))
			ret[n++] = story.annotations[metric];
		else
			annotation_destroy(story.annotations[metric]);
	}
	free(story.preferred);
	return n;
}
