/*
 * From samples to an annotation: exclude features, screen equivalents, grow the tree, write its
 * cases and notes. Each step has its own file.
 *
 * GSL's default error handler ends the process, so it is turned off while a model is built, and
 * restored after. It is global: one thread builds at a time, unless all called
 * model_build_prepare() first.
 */
#include "model_build.h"

#include "core/samples/asked_rows.h"
#include "core/samples/samples_load.h"

#include <malloc.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "base/arena.h"
#include "base/mem.h"
#include "model/tree/model_tree_cases.h"
#include "model/tree/left_out.h"
#include "model/tree/model_notes.h"
#include "model/data/equivalents.h"
#include "model/data/feature_pins.h"
#include "model/data/row_expectation.h"
#include "model/data/run_effect.h"

static void write_head(struct annotation *annotation, const struct samples *samples,
		       enum metric metric)
{
	struct arena *arena = annotation->arena;

	annotation->function = arena_strdup(arena, samples->function ? samples->function : "");
	annotation->linkage = arena_strdup(arena, samples->linkage ? samples->linkage : "");
	annotation->file = samples->file ? arena_strdup(arena, samples->file) : NULL;
	annotation->line = samples->line;
	annotation->module = samples->module ? arena_strdup(arena, samples->module) : NULL;
	annotation->metric = metric;
	annotation->where = samples->where ? arena_strdup(arena, samples->where) : NULL;
	annotation->where_of = samples->where_of;
	annotation->where_kept = samples->where ? samples->n_rows : 0;
}

static size_t list_fits(const struct model_tree *tree, const struct fit **ret)
{
	size_t n = 0;
	unsigned i, j;

	for (i = 0; i < tree->n; i++)
		for (j = 0; j < tree->leaves[i].n_models; j++)
			ret[n++] = &tree->leaves[i].models[j].fit;
	return n;
}

static void model_samples(struct annotation *annotation, struct dataset *data,
			  const struct model_options *options)
{
	const double kin = options->correlation > 0 ? options->correlation : MODEL_CORRELATION;
	const struct fit *fits[TREE_LEAVES * LEAF_MODELS];
	struct model_tree *tree = mem_alloc(sizeof(*tree));

	model_tree_grow(data, options, tree);
	model_tree_cases(tree, data, kin, annotation);
	annotation->left_out = left_out_find(data, tree);
	model_notes_write(annotation, data, fits, list_fits(tree, fits),
			  tree->n == 1 && tree->leaves[0].is_loose ? &tree->leaves[0].loose : NULL);
	model_tree_deinit(tree);
	free(tree);
}

/* Costs of exact metrics do not differ by run; of one run nothing can be said. */
static void find_runs(struct annotation *annotation, const struct samples *samples)
{
	struct arena *arena = arena_create();
	double *expected = arena_array(arena, double, samples->n_rows + 1);
	const struct column *metric = samples_metric(samples, annotation->metric);
	struct run_rows rows = run_effect_rows(arena, samples->n_rows);
	struct run_means means;
	size_t i;

	row_expectation_find(annotation, samples, expected, NULL);
	for (i = 0; i < samples->n_rows; i++)
		if (metric->absence[i] == PRESENT && expected[i] > 0)
			run_effect_add(&rows, metric->numbers[i] - expected[i], expected[i],
				       samples->keys[i].run);
	run_effect_means(&rows, arena, &means);
	annotation->n_runs = means.n;
	annotation->run_deviation = run_effect_deviation(&means);
	annotation->load = samples_load(samples);
	if (metric_is_exact(annotation->metric))
		annotation->load.resolution = 0;
	arena_destroy(arena);
}

static bool has_runs(const struct samples *samples)
{
	size_t i;

	for (i = 1; i < samples->n_rows; i++)
		if (samples->keys[i].run != samples->keys[0].run)
			return true;
	return false;
}

static struct annotation *model_rows(const struct samples *samples, enum metric metric,
				     const struct model_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct annotation *annotation = annotation_create();
	struct arena *arena = arena_create();
	struct dataset *data =
		dataset_create(feature_pins_apply(samples, metric, options, arena), metric);

	write_head(annotation, samples, metric);
	equivalents_screen(data, options);
	if (data->n_rows)
		model_samples(annotation, data, options);
	else
		model_notes_write(annotation, data, NULL, 0, NULL);
	if (annotation->n_cases && has_runs(samples) && !metric_is_exact(metric))
		find_runs(annotation, samples);
	dataset_destroy(data);
	arena_destroy(arena);
	gsl_set_error_handler(handler);
	return annotation;
}

static bool has_column(const struct samples *samples, const char *expression)
{
	return samples_find_column(samples, COLUMN_FEATURE, expression) < samples->n_columns;
}

/* Is the feature, or one that gives its value, known of all calls? */
static bool is_always_known(const struct annotation_feature *feature, const struct samples *rest)
{
	bool ret = has_column(rest, feature->expression);

	for (size_t i = 0; i < feature->n_aliases; i++)
		ret |= has_column(rest, feature->aliases[i]);
	for (size_t i = 0; i < feature->n_affine; i++)
		ret |= has_column(rest, feature->affine[i].expression);
	return ret;
}

static bool uses_rare(const struct annotation *annotation, const struct samples *rest)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		if (!is_always_known(&annotation->features[i], rest))
			return true;
	return false;
}

/*
 * Where some features were read in a tenth of the calls only, all are compared by that tenth: one
 * that is in fewer calls than its rivals would lose. If those that matter are known of all calls,
 * these say how.
 */
static struct annotation *model_asked(const struct samples *samples, enum metric metric,
				      const struct model_options *options)
{
	struct arena *arena = arena_create();
	const struct samples *rest = asked_rows_rest(samples, arena);
	struct annotation *ret = model_rows(asked_rows_tenth(samples, arena), metric, options);

	if (!uses_rare(ret, rest)) {
		annotation_destroy(ret);
		ret = model_rows(rest, metric, options);
	}
	arena_destroy(arena);
	return ret;
}

struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options)
{
	return (asked_rows_differ(samples) ? model_asked : model_rows)(samples, metric, options);
}

/*
 * Columns that come and go are not given back at once: where each is mapped and cleared anew, large
 * tables take about a tenth longer. 32 MiB is the most that M_MMAP_THRESHOLD takes.
 */
enum { MEMORY_KEPT = 32 << 20 };

/* All threads share the handler: then each finds, and restores, none. */
void model_build_prepare(void)
{
	gsl_set_error_handler_off();
	mallopt(M_MMAP_THRESHOLD, MEMORY_KEPT);
	mallopt(M_TRIM_THRESHOLD, MEMORY_KEPT);
}
