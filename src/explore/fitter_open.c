/*
 * The thread that opens what the user requests: samples, annotation, study. explore/fitter.c models
 * the other functions.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "results/selected_functions.h"
#include "fitter_state.h"
#include "model/metric_models.h"
#include "model/study_build.h"

static const char *const *opener_copy_names(struct arena *arena, const char *const *names, size_t n)
{
	const char **copies = arena_array(arena, const char *, n);

	for (size_t i = 0; i < n; i++)
		copies[i] = arena_strdup(arena, names[i]);
	return copies;
}

static struct wanted *wanted_copy(const struct explorer_request *request)
{
	struct arena *arena = arena_create();
	struct wanted *wanted = arena_new(arena, struct wanted);

	wanted->arena = arena;
	wanted->request = *request;
	wanted->request.key = arena_strdup(arena, request->key);
	wanted->request.pinned = opener_copy_names(arena, request->pinned, request->n_pinned);
	wanted->request.excluded = opener_copy_names(arena, request->excluded, request->n_excluded);
	return wanted;
}

static void wanted_destroy(struct wanted *wanted)
{
	if (wanted)
		arena_destroy(wanted->arena);
}

static void opened_destroy(struct explorer_opened *opened)
{
	if (!opened)
		return;
	study_destroy(opened->study);
	if (opened->n_users && atomic_fetch_sub(opened->n_users, 1) == 1) {
		samples_destroy(opened->samples);
		free(opened->n_users);
	}
	annotation_destroy(opened->before);
	free(opened->key);
	free(opened->why);
	free(opened);
}

/* With the pins and exclusions of the beginning, its annotation goes back into the cache. */
void fitter_give_back(struct fitter *fitter, struct explorer_opened *opened)
{
	if (opened && opened->study && opened->is_free) {
		pthread_mutex_lock(&fitter->lock);
		explorer_models_put(fitter->fits, opened->key, opened->samples->n_rows,
				    opened->study->annotation);
		pthread_mutex_unlock(&fitter->lock);
		opened->study->annotation = NULL;
	}
	opened_destroy(opened);
}

static void opener_publish(struct fitter *fitter, struct explorer_opened *opened)
{
	struct explorer_opened *before;

	pthread_mutex_lock(&fitter->lock);
	before = fitter->opened;
	fitter->opened = opened;
	pthread_mutex_unlock(&fitter->lock);
	fitter_give_back(fitter, before);
	fitter_tell(fitter);
}

static struct annotation *annotation_of_sketch(const struct samples *samples, enum metric metric)
{
	static const char *const notes[] = {"The model is being made."};
	struct annotation *annotation = annotation_create();

	annotation->function =
		arena_strdup(annotation->arena, samples->function ? samples->function : "");
	annotation->linkage = "";
	annotation->metric = metric;
	annotation->n_samples = samples->n_rows;
	annotation->notes = notes;
	annotation->n_notes = 1;
	return annotation;
}

/* The samples of @opened, shown until its model is there. */
static void publish_sketch(struct fitter *fitter, const struct explorer_opened *opened,
			   const struct model_options *options)
{
	struct explorer_opened *sketch = mem_alloc(sizeof(*sketch));

	sketch->key = strdup(opened->key);
	sketch->metric = opened->metric;
	sketch->is_sketch = true;
	sketch->samples = opened->samples;
	sketch->n_users = opened->n_users;
	atomic_fetch_add(sketch->n_users, 1);
	sketch->study = study_build(opened->samples, opened->metric, options,
				    annotation_of_sketch(opened->samples, opened->metric));
	opener_publish(fitter, sketch);
}

/* The cached annotation, if features are pinned as at the beginning; NULL: there is none. */
static struct annotation *take_annotation(struct fitter *fitter,
					  const struct explorer_opened *opened)
{
	struct annotation *annotation;

	if (!opened->is_free)
		return NULL;
	pthread_mutex_lock(&fitter->lock);
	annotation = explorer_models_take(fitter->fits, opened->key, opened->samples->n_rows,
					  opened->metric);
	pthread_mutex_unlock(&fitter->lock);
	return annotation;
}

/* The cached annotation, or a new one. */
static struct annotation *opener_annotate(struct fitter *fitter, const struct wanted *wanted,
					  const struct explorer_opened *opened,
					  const struct lent_profile *keeper,
					  const struct model_options *options)
{
	struct annotation *annotation = take_annotation(fitter, opened);

	if (annotation)
		return annotation;
	if (opened->is_free && !wanted->n_samples)
		publish_sketch(fitter, opened, options);
	if (explorer_source_models(keeper, opened->key, opened->samples, METRIC_BIT(opened->metric),
				   options, &annotation))
		return annotation;
	return NULL;
}

/* The samples of the same function in the profile that is compared with; NULL: none. */
static struct samples *load_before(const struct explorer_source *before,
				   const struct explorer_request *request)
{
	struct samples *samples;
	struct err ignored;

	if (before && explorer_source_load(before, request->key, LOAD_ALL, &samples, &ignored))
		return samples;
	return NULL;
}

/* A model of @samples; NULL: there is none, or there are no samples. */
static struct annotation *annotate_before(const struct samples *samples,
					  const struct explorer_request *request,
					  const struct lent_profile *keeper,
					  const struct model_options *options)
{
	struct annotation *annotation;

	if (samples && explorer_source_models(keeper, request->key, samples,
					      METRIC_BIT(request->metric), options, &annotation))
		return annotation;
	return NULL;
}

static void opener_model(struct fitter *fitter, const struct wanted *wanted,
			 struct explorer_opened *opened)
{
	const struct explorer_request *request = &wanted->request;
	const struct explorer_source *before = fitter->source->before;
	const struct lent_profile keeper =
		explorer_source_keeper(fitter->source, wanted->is_settled);
	const struct lent_profile keeper_before =
		before ? explorer_source_keeper(before, true) : (struct lent_profile){NULL, NULL};
	struct samples *samples_before = load_before(before, request);
	struct model_options options = fitter->options;

	options.pinned = request->pinned;
	options.n_pinned = request->n_pinned;
	options.excluded = request->excluded;
	options.n_excluded = request->n_excluded;
	fitter_begin_modelling(fitter);
	fitter_end_reading(fitter);
	opened->study = study_build(opened->samples, request->metric, &options,
				    opener_annotate(fitter, wanted, opened, &keeper, &options));
	opened->before = annotate_before(samples_before, request, &keeper_before, &options);
	samples_destroy(samples_before);
	explorer_pool_take_back(&keeper);
	explorer_pool_take_back(&keeper_before);
	fitter_end_modelling(fitter);
}

static bool are_same_names(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
	size_t same = 0;

	while (same < n_a && same < n_b && !strcmp(a[same], b[same]))
		same++;
	return same == n_a && same == n_b;
}

static bool is_as_begun(const struct model_options *options, const struct explorer_request *request)
{
	return are_same_names(options->pinned, options->n_pinned, request->pinned,
			      request->n_pinned) &&
	       are_same_names(options->excluded, options->n_excluded, request->excluded,
			      request->n_excluded);
}

static struct explorer_opened *open_request(struct fitter *fitter, const struct wanted *wanted)
{
	const struct explorer_request *request = &wanted->request;
	struct explorer_opened *opened = mem_alloc(sizeof(*opened));
	struct err err;

	opened->key = strdup(request->key);
	opened->metric = request->metric;
	opened->is_free = is_as_begun(&fitter->options, request);
	if (!explorer_source_load(fitter->source, request->key,
				  wanted->is_settled ? LOAD_SETTLED : LOAD_ALL, &opened->samples,
				  &err)) {
		fitter_end_reading(fitter);
		opened->why = strdup(err.text);
		return opened;
	}
	opened->n_users = mem_alloc(sizeof(*opened->n_users));
	atomic_init(opened->n_users, 1);
	opener_model(fitter, wanted, opened);
	return opened;
}

/* Wait for a request; the caller owns it. NULL: the fitter was abandoned. */
static struct wanted *next_wanted(struct fitter *fitter)
{
	struct wanted *wanted = NULL;

	pthread_mutex_lock(&fitter->lock);
	fitter->is_opening = false;
	while (!fitter->is_over && !fitter->is_new)
		pthread_cond_wait(&fitter->wake, &fitter->lock);
	if (!fitter->is_over) {
		wanted = wanted_copy(&fitter->wanted->request);
		wanted->n_samples = fitter->wanted->n_samples;
		wanted->is_settled = fitter->is_settled;
		fitter->is_new = false;
		fitter->is_opening = true;
		fitter->n_reading++;
	}
	pthread_mutex_unlock(&fitter->lock);
	return wanted;
}

void *fitter_open_wanted(void *self)
{
	struct fitter *fitter = self;
	struct wanted *wanted;

	while ((wanted = next_wanted(fitter))) {
		struct explorer_opened *opened = open_request(fitter, wanted);
		struct explorer_opened *before;

		pthread_mutex_lock(&fitter->lock);
		before = fitter->opened;
		fitter->opened = opened;
		fitter->is_opening = false;
		pthread_cond_broadcast(&fitter->wake);
		if (!fitter->is_new && !fitter->wanted->n_samples && opened->samples)
			fitter->wanted->n_samples = opened->samples->n_rows;
		pthread_mutex_unlock(&fitter->lock);
		fitter_give_back(fitter, before);
		wanted_destroy(wanted);
		fitter_tell(fitter);
	}
	fitter_leave(fitter);
	return NULL;
}

void fitter_forget_wanted(struct fitter *fitter)
{
	opened_destroy(fitter->opened);
	wanted_destroy(fitter->wanted);
}

struct explorer_opened *fitter_take_opened(struct fitter *fitter)
{
	struct explorer_opened *opened;

	pthread_mutex_lock(&fitter->lock);
	opened = fitter->opened;
	fitter->opened = NULL;
	pthread_mutex_unlock(&fitter->lock);
	return opened;
}

void fitter_open(struct fitter *fitter, const struct explorer_request *request)
{
	struct wanted *before;

	pthread_mutex_lock(&fitter->lock);
	before = fitter->wanted;
	fitter->wanted = wanted_copy(request);
	fitter->is_new = true;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
	wanted_destroy(before);
}
