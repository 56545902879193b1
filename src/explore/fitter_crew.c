/*
 * The crew that models functions, the dearest first: the lister and a thread for each other
 * processor. explore/fitter_open.c opens what the user requests, which goes first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fitter_state.h"
#include "model/metric_models.h"
#include "model/study_build.h"
#include "results/selected_functions.h"

static bool is_stale(const struct fitter *fitter, size_t entry, bool settled)
{
	const size_t now = fitter->list->entries[entry].n_samples;
	const size_t then = fitter->modelled[entry];

	return !then || (settled ? now != then : now > then * (1 + FITTER_WORTH));
}

/* R² of all models together, from a study that borrows @annotation. */
static double whole_r2(const struct samples *samples, const struct model_options *options,
		       struct annotation *annotation)
{
	struct study *study;
	double r2;

	if (explorer_models_of(annotation) < 2)
		return explorer_models_r2(annotation);
	study = study_build(samples, annotation->metric, options, annotation);
	r2 = study->n_nodes ? study->nodes[0].r2 : NAN;
	study->annotation = NULL;
	study_destroy(study);
	return r2;
}

/* Model the entries [first, end) of the list, the metrics of one function. */
static void fitter_model_metrics(struct fitter *fitter, size_t first, size_t end,
				 const struct samples *samples, const struct lent_profile *keeper)
{
	const struct model_options *options = &fitter->options;
	struct explorer_list *list = fitter->list;
	struct annotation *annotations[METRIC_COUNT];
	uint64_t metrics = 0;
	size_t n, i, j;

	for (i = first; i < end; i++)
		metrics |= METRIC_BIT(list->entries[i].metric);
	n = explorer_source_models(keeper, list->keys[first], samples, metrics, options,
				   annotations);
	for (j = 0; j < n; j++) {
		const double r2 = whole_r2(samples, options, annotations[j]);

		pthread_mutex_lock(&fitter->lock);
		for (i = first; i < end; i++)
			if (list->entries[i].metric == annotations[j]->metric) {
				explorer_models_describe(annotations[j], r2, list->arena,
							 &list->entries[i]);
				fitter->modelled[i] = list->entries[i].n_samples;
			}
		pthread_mutex_unlock(&fitter->lock);
	}
	pthread_mutex_lock(&fitter->lock);
	for (j = 0; j < n; j++)
		explorer_models_put(fitter->fits, list->keys[first], samples->n_rows,
				    annotations[j]);
	pthread_mutex_unlock(&fitter->lock);
}

static void model_function(struct fitter *fitter, size_t first)
{
	const size_t end = fitter_function_end(fitter->list, first);
	const bool settled = fitter->queue_is_settled;
	struct lent_profile keeper;
	struct samples *samples;
	struct err err;
	bool ok;

	if (!fitter_begin_reading(fitter))
		return;
	ok = explorer_source_load(fitter->source, fitter->list->keys[first],
				  settled ? LOAD_SETTLED : LOAD_ALL, &samples, &err);
	if (!ok)
		fitter_say_trouble(fitter, &err);
	keeper = explorer_source_keeper(fitter->source, settled);
	fitter_begin_modelling(fitter);
	fitter_end_reading(fitter);
	if (ok) {
		fitter_model_metrics(fitter, first, end, samples, &keeper);
		samples_destroy(samples);
	}
	explorer_pool_take_back(&keeper);
	fitter_end_modelling(fitter);
	if (clock_now_ms() - fitter->published_ms >= FITTER_PUBLISH_MS)
		fitter_publish(fitter);
}

/* What the user has opened goes first: then one of the crew waits. */
static bool crew_may_work(const struct fitter *fitter)
{
	return fitter->next < fitter->n_queue &&
	       !((fitter->is_new || fitter->is_opening) &&
		 fitter->n_modelling + fitter->n_reading >= fitter->processors);
}

/* Model what is in the queue; the lock is held before and after. */
static void crew_model_next(struct fitter *fitter)
{
	const size_t first = fitter->queue[fitter->next++];

	fitter->n_busy++;
	pthread_mutex_unlock(&fitter->lock);
	model_function(fitter, first);
	pthread_mutex_lock(&fitter->lock);
	fitter->n_busy--;
	pthread_cond_broadcast(&fitter->wake);
}

void *fitter_crew_run(void *self)
{
	struct fitter *fitter = self;

	pthread_mutex_lock(&fitter->lock);
	while (!fitter->is_over)
		if (crew_may_work(fitter))
			crew_model_next(fitter);
		else
			pthread_cond_wait(&fitter->wake, &fitter->lock);
	pthread_mutex_unlock(&fitter->lock);
	fitter_leave(fitter);
	return NULL;
}

static int compare_shares(const void *a, const void *b, void *context)
{
	const struct explorer_list *list = context;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const double x = isnan(list->entries[i].share) ? -1 : list->entries[i].share;
	const double y = isnan(list->entries[j].share) ? -1 : list->entries[j].share;

	return x != y ? (x < y ? 1 : -1) : (i > j) - (i < j);
}

/* The functions whose models are not up to date, dearest first. */
static size_t *make_queue(struct fitter *fitter, bool settled, size_t *ret_n)
{
	struct explorer_list *list = fitter->list;
	size_t *queue = mem_alloc((list->n + 1) * sizeof(*queue));
	size_t n = 0, end;

	for (size_t first = 0; first < list->n; first = end) {
		bool stale = false;

		end = fitter_function_end(list, first);
		for (size_t i = first; i < end; i++)
			stale = stale || is_stale(fitter, i, settled);
		if (stale)
			queue[n++] = first;
	}
	qsort_r(queue, n, sizeof(*queue), compare_shares, list);
	*ret_n = n;
	return queue;
}

bool fitter_crew_model(struct fitter *fitter, bool settled)
{
	size_t n, *queue = make_queue(fitter, settled, &n);
	bool more;

	pthread_mutex_lock(&fitter->lock);
	fitter->queue = queue;
	fitter->n_queue = n;
	fitter->next = 0;
	fitter->queue_is_settled = settled;
	pthread_cond_broadcast(&fitter->wake);
	while (!fitter->is_over && (fitter->next < fitter->n_queue || fitter->n_busy))
		if (crew_may_work(fitter))
			crew_model_next(fitter);
		else
			pthread_cond_wait(&fitter->wake, &fitter->lock);
	more = !fitter->is_over;
	fitter->n_queue = 0;
	pthread_mutex_unlock(&fitter->lock);
	free(queue);
	return more;
}
