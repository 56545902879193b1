/*
 * From samples to an annotation: leave out what nobody wants, screen, select, fit, name. Each step is its own file's matter.
 *
 * GSL reports errors by ending the process unless told otherwise; the handler is turned off while
 * a model is built and put back after. It is the process's, so models are built by one thread at a
 * time.
 */
#include "model/build.h"

#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "base/mem.h"
#include "model/describe.h"
#include "model/notes.h"
#include "model/screen.h"
#include "model/wishes.h"

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
}

/* The fits of all models of the tree. */
static size_t list_fits(const struct tree *tree, const struct fit **ret)
{
	size_t n = 0;
	unsigned i, j;

	for (i = 0; i < tree->n; i++)
		for (j = 0; j < tree->leaves[i].n_models; j++)
			ret[n++] = &tree->leaves[i].models[j].fit;
	return n;
}

static void model(struct annotation *annotation, struct data *data,
		  const struct model_options *options)
{
	const double kin = options->correlation > 0 ? options->correlation : MODEL_CORRELATION;
	const struct fit *fits[TREE_LEAVES * CLUSTERS_MAX];
	struct tree *tree = mem_alloc(sizeof(*tree));

	tree_grow(data, options, tree);
	describe_tree(tree, data, kin, annotation);
	notes_write(annotation, data, fits, list_fits(tree, fits),
		    tree->n == 1 && tree->leaves[0].is_loose ? &tree->leaves[0].loose : NULL);
	tree_deinit(tree);
	free(tree);
}

struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options)
{
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	struct annotation *annotation = annotation_create();
	struct arena *arena = arena_create();
	struct data *data = data_create(wishes_apply(samples, metric, options, arena), metric);

	write_head(annotation, samples, metric);
	screen_predictors(data, options);
	if (data->n_rows)
		model(annotation, data, options);
	else
		notes_write(annotation, data, NULL, 0, NULL);
	data_destroy(data);
	arena_destroy(arena);
	gsl_set_error_handler(handler);
	return annotation;
}

/* The handler of errors is one for all threads: none of them shall find anything but none, and put that back. */
void model_allow_threads(void)
{
	gsl_set_error_handler_off();
}
