/*
 * The thread that lists and models, and the hand-over of its results under one lock.
 * explore/fitter_open.c opens requests, explore/explorer_source.c reads samples, explore/explore.c
 * shows results.
 */
#include "fitter_state.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/arena.h"
#include "base/mem.h"
#include "results/selected_functions.h"
#include "model/metric_models.h"
#include "model/study_build.h"

enum {
	REST_MS = 1000,   /* least time between two reads of a growing profile */
	REST_FACTOR = 3,  /* and this multiple of what the last one took */
	PUBLISH_MS = 100, /* between two published lists */
};

/* Relative growth in samples that is worth a new model. */
static const double WORTH = 0.1;

/* May the source be read? Then the caller must fitter_end_reading(). */
static bool begin_reading(struct fitter *fitter)
{
	bool may;

	pthread_mutex_lock(&fitter->lock);
	may = !fitter->is_over;
	fitter->n_reading += may;
	pthread_mutex_unlock(&fitter->lock);
	return may;
}

static void say_trouble(struct fitter *fitter, const struct err *err)
{
	pthread_mutex_lock(&fitter->lock);
	if (!fitter->had_trouble)
		fitter->trouble = strdup(err->text);
	fitter->had_trouble = true;
	pthread_mutex_unlock(&fitter->lock);
	fitter_tell(fitter);
}

static void fitter_publish(struct fitter *fitter)
{
	struct explorer_list *list = explorer_source_copy_list(fitter->list);
	struct explorer_list *before;

	fitter->published_ms = clock_now_ms();
	pthread_mutex_lock(&fitter->lock);
	before = fitter->published;
	fitter->published = list;
	pthread_mutex_unlock(&fitter->lock);
	explorer_source_destroy_list(before);
	fitter_tell(fitter);
}

static bool is_stale(const struct fitter *fitter, size_t entry, bool settled)
{
	const size_t now = fitter->list->entries[entry].n_samples;
	const size_t then = fitter->modelled[entry];

	return !then || (settled ? now != then : now > then * (1 + WORTH));
}

/* Time of all calls: as it was summed up, else extrapolated from the samples; NAN: neither. */
static double total_time(const struct samples *samples)
{
	const size_t time = samples_find_column(samples, COLUMN_METRIC, "time");
	const struct column *column = &samples->columns[time];
	double sum = 0;
	size_t n = 0;
	size_t i;

	if (isfinite(samples->total_us))
		return fmax(samples->total_us, 0);
	if (time >= samples->n_columns)
		return NAN;
	for (i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT) {
			sum += column->numbers[i];
			n++;
		}
	return n ? sum / n * samples->n_calls : NAN;
}

/* Duration of all runs, in µs. */
static double duration_us(struct fitter *fitter, bool settled)
{
	const double so_far = (clock_now_ms() - fitter->started_ms) / 1000.0;
	double seconds = explorer_source_duration(fitter->source);

	if (fitter->source->is_growing && !settled)
		seconds = (isnan(seconds) ? 0 : seconds) + so_far;
	return seconds * 1e6;
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
				 const struct samples *samples, const struct model_options *options)
{
	struct explorer_list *list = fitter->list;
	struct annotation *annotations[METRIC_COUNT];
	unsigned metrics = 0;
	size_t n, i, j;

	for (i = first; i < end; i++)
		metrics |= 1u << list->entries[i].metric;
	n = explorer_source_models(fitter->source, list->keys[first], samples, metrics, options,
				   annotations);
	for (j = 0; j < n; j++) {
		const double r2 = whole_r2(samples, options, annotations[j]);

		for (i = first; i < end; i++)
			if (list->entries[i].metric == annotations[j]->metric) {
				explorer_models_describe(annotations[j], r2, list->arena,
							 &list->entries[i]);
				fitter->modelled[i] = list->entries[i].n_samples;
			}
	}
	pthread_mutex_lock(&fitter->lock);
	for (j = 0; j < n; j++)
		explorer_models_put(fitter->fits, list->keys[first], samples->n_rows,
				    annotations[j]);
	pthread_mutex_unlock(&fitter->lock);
}

static void note_share(struct explorer_list *list, size_t first, size_t end, double share)
{
	size_t i;

	for (i = first; i < end; i++)
		list->entries[i].share = isnan(share) ? NAN : fmin(share, 1);
}

/* False: the fitter was abandoned. */
static bool model_function(struct fitter *fitter, size_t first, size_t end, bool settled)
{
	struct model_options options;
	struct samples *samples;
	struct err err;

	if (!begin_reading(fitter))
		return false;
	options = selected_functions_options(fitter->source->options);
	if (!explorer_source_load(fitter->source, fitter->list->keys[first], &samples, &err)) {
		say_trouble(fitter, &err);
		fitter_end_reading(fitter);
		return true;
	}
	note_share(fitter->list, first, end, total_time(samples) / duration_us(fitter, settled));
	fitter_end_reading(fitter);
	fitter_begin_modelling(fitter);
	fitter_model_metrics(fitter, first, end, samples, &options);
	fitter_end_modelling(fitter);
	samples_destroy(samples);
	if (clock_now_ms() - fitter->published_ms >= PUBLISH_MS)
		fitter_publish(fitter);
	return true;
}

/* False: the fitter was abandoned. */
static bool model_list(struct fitter *fitter, bool settled)
{
	const struct explorer_list *list = fitter->list;
	size_t first, end;

	for (first = 0; first < list->n; first = end) {
		bool stale = false;

		for (end = first; end < list->n && !strcmp(list->keys[end], list->keys[first]);
		     end++)
			stale = stale || is_stale(fitter, end, settled);
		if (stale && !model_function(fitter, first, end, settled))
			return false;
	}
	return true;
}

/* Entries keep what @before knows of them. */
static void carry_over(struct fitter *fitter, const struct explorer_list *before,
		       const size_t *modelled)
{
	struct explorer_list *list = fitter->list;
	size_t i;

	fitter->modelled = mem_alloc((list->n + 1) * sizeof(*fitter->modelled));
	for (i = 0; i < list->n; i++) {
		struct explorer_entry *entry = &list->entries[i];
		const size_t from = explorer_source_find(before, list->keys[i], entry->metric);
		const struct explorer_entry *known = &before->entries[from];

		if (from == before->n)
			continue;
		fitter->modelled[i] = modelled[from];
		entry->share = known->share;
		entry->is_modelled = known->is_modelled;
		entry->formula = known->formula ? arena_strdup(list->arena, known->formula) : NULL;
		entry->r2 = known->r2;
		entry->n_cases = known->n_cases;
	}
}

/* Reopen the requested function if it has enough new samples. */
static void fitter_reopen_grown(struct fitter *fitter, bool settled)
{
	const struct explorer_list *list = fitter->list;
	struct wanted *wanted;
	size_t entry;

	pthread_mutex_lock(&fitter->lock);
	wanted = fitter->wanted;
	entry = wanted ? explorer_source_find(list, wanted->request.key, wanted->request.metric)
		       : list->n;
	if (entry < list->n) {
		const size_t now = list->entries[entry].n_samples;

		if (wanted->n_samples &&
		    (settled ? now != wanted->n_samples : now > wanted->n_samples * (1 + WORTH))) {
			wanted->n_samples = now;
			fitter->is_new = true;
			pthread_cond_broadcast(&fitter->wake);
		}
	}
	pthread_mutex_unlock(&fitter->lock);
}

/* False: the fitter was abandoned. */
static bool list_again(struct fitter *fitter, bool settled)
{
	struct explorer_list *before = fitter->list;
	size_t *modelled = fitter->modelled;
	struct explorer_list *list;
	struct err err;
	bool ok;

	if (!begin_reading(fitter))
		return false;
	ok = explorer_source_list(fitter->source, &list, &err);
	if (!ok)
		say_trouble(fitter, &err);
	fitter_end_reading(fitter);
	if (!ok)
		return true;
	fitter->list = list;
	carry_over(fitter, before, modelled);
	explorer_source_destroy_list(before);
	free(modelled);
	fitter_reopen_grown(fitter, settled);
	fitter_publish(fitter);
	return true;
}

/* Wait until it is time to read again. False: the fitter was abandoned. */
static bool rest(struct fitter *fitter, int64_t ms, bool *ret_settled)
{
	const struct timespec until = clock_timespec((uint64_t)(clock_now_ms() + ms) * 1000000);
	bool more;

	pthread_mutex_lock(&fitter->lock);
	fitter->is_listing = false;
	while (!fitter->is_over && !fitter->is_settled &&
	       pthread_cond_timedwait(&fitter->wake, &fitter->lock, &until) != ETIMEDOUT)
		;
	*ret_settled = fitter->is_settled;
	more = !fitter->is_over;
	fitter->is_listing = true;
	pthread_mutex_unlock(&fitter->lock);
	return more;
}

static int64_t rest_after(int64_t ms)
{
	return ms * REST_FACTOR > REST_MS ? ms * REST_FACTOR : REST_MS;
}

static void *list_and_model(void *self)
{
	struct fitter *fitter = self;
	bool settled = !fitter->source->is_growing;
	int64_t began = clock_now_ms();

	while (model_list(fitter, settled)) {
		fitter_publish(fitter);
		if (settled || !rest(fitter, rest_after(clock_now_ms() - began), &settled))
			break;
		began = clock_now_ms();
		if (!list_again(fitter, settled))
			break;
	}
	pthread_mutex_lock(&fitter->lock);
	fitter->is_listing = false;
	pthread_mutex_unlock(&fitter->lock);
	fitter_tell(fitter);
	fitter_leave(fitter);
	return NULL;
}

static bool start_thread(struct fitter *fitter, void *(*run)(void *), struct err *err)
{
	sigset_t all, before;
	pthread_t thread;
	int number;

	fitter->n_threads++;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	number = pthread_create(&thread, NULL, run, fitter);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (number) {
		fitter_leave(fitter);
		return err_set_errno(err, ERR_IO, number, "cannot start a thread");
	}
	pthread_detach(thread);
	return true;
}

static void init_lock(struct fitter *fitter)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&fitter->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&fitter->wake, &attributes);
	pthread_condattr_destroy(&attributes);
}

bool fitter_start(const struct explorer_source *source, struct explorer_list *list,
		  struct fitter **ret, struct err *err)
{
	struct fitter *fitter = mem_alloc(sizeof(*fitter));

	model_build_allow_threads();
	init_lock(fitter);
	fitter->source = source;
	fitter->list = list;
	fitter->modelled = mem_alloc((list->n + 1) * sizeof(*fitter->modelled));
	fitter->started_ms = clock_now_ms();
	fitter->is_listing = true;
	fitter->fits = explorer_models_create();
	fitter->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fitter_publish(fitter);
	if (!start_thread(fitter, list_and_model, err) ||
	    !start_thread(fitter, fitter_open_wanted, err)) {
		fitter_abandon(fitter);
		return false;
	}
	*ret = fitter;
	return true;
}

static void destroy(struct fitter *fitter)
{
	fitter_forget_wanted(fitter);
	explorer_source_destroy_list(fitter->published);
	explorer_source_destroy_list(fitter->list);
	explorer_models_destroy(fitter->fits);
	free(fitter->modelled);
	free(fitter->trouble);
	close(fitter->fd);
	pthread_cond_destroy(&fitter->wake);
	pthread_mutex_destroy(&fitter->lock);
	free(fitter);
}

void fitter_abandon(struct fitter *fitter)
{
	bool is_alone;

	if (!fitter)
		return;
	pthread_mutex_lock(&fitter->lock);
	fitter->is_over = true;
	pthread_cond_broadcast(&fitter->wake);
	while (fitter->n_reading || fitter->n_threads > fitter->n_modelling)
		pthread_cond_wait(&fitter->wake, &fitter->lock);
	is_alone = !fitter->n_threads;
	pthread_mutex_unlock(&fitter->lock);
	if (is_alone)
		destroy(fitter);
}

int fitter_fd(const struct fitter *fitter)
{
	return fitter->fd;
}

struct explorer_list *fitter_take_list(struct fitter *fitter)
{
	struct explorer_list *list;
	eventfd_t count;

	if (eventfd_read(fitter->fd, &count) != 0)
		count = 0; /* no event; there may be a list nevertheless */
	pthread_mutex_lock(&fitter->lock);
	list = fitter->published;
	fitter->published = NULL;
	pthread_mutex_unlock(&fitter->lock);
	return list;
}

char *fitter_take_trouble(struct fitter *fitter)
{
	char *trouble;

	pthread_mutex_lock(&fitter->lock);
	trouble = fitter->trouble;
	fitter->trouble = NULL;
	pthread_mutex_unlock(&fitter->lock);
	return trouble;
}

void fitter_settle(struct fitter *fitter)
{
	pthread_mutex_lock(&fitter->lock);
	fitter->is_settled = true;
	pthread_cond_broadcast(&fitter->wake);
	pthread_mutex_unlock(&fitter->lock);
}

bool fitter_is_busy(struct fitter *fitter)
{
	bool busy;

	pthread_mutex_lock(&fitter->lock);
	busy = fitter->is_listing || fitter->is_new || fitter->is_opening;
	pthread_mutex_unlock(&fitter->lock);
	return busy;
}
