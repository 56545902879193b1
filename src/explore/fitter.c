/*
 * The thread that lists and models, and the hand-over of its results under one lock.
 * explore/fitter_open.c opens requests, explore/explorer_source.c reads samples, explore/explore.c
 * shows results.
 */
#include "fitter_state.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/arena.h"
#include "base/mem.h"
#include "model/metric_models.h"
#include "results/selected_functions.h"

enum {
	REST_MS = 1000,  /* least time between two reads of a growing profile */
	EMPTY_MS = 100,  /* the same until there is something to show */
	REST_FACTOR = 3, /* and this multiple of what the last one took */
	THREADS_MOST = 64,
};

/* Entries keep what @before knows of them. */
static void carry_over(struct fitter *fitter, const struct explorer_list *before,
		       const size_t *modelled)
{
	struct explorer_list *list = fitter->list;

	fitter->modelled = mem_alloc((list->n + 1) * sizeof(*fitter->modelled));
	for (size_t i = 0; i < list->n; i++) {
		struct explorer_entry *entry = &list->entries[i];
		const size_t from = explorer_source_find(before, list->keys[i], entry->metric);
		const struct explorer_entry *known = &before->entries[from];

		if (from == before->n)
			continue;
		fitter->modelled[i] = modelled[from];
		if (isnan(entry->share))
			entry->share = known->share;
		entry->costs = known->costs;
		entry->before = known->before;
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

		if (wanted->n_samples && (settled ? now != wanted->n_samples
						  : now > wanted->n_samples * (1 + FITTER_WORTH))) {
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

	if (!fitter_begin_reading(fitter))
		return false;
	ok = explorer_source_list(fitter->source, &list, &err);
	if (!ok)
		fitter_say_trouble(fitter, &err);
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

static int64_t rest_after(const struct fitter *fitter, int64_t ms)
{
	if (!fitter->list->n)
		return EMPTY_MS;
	return ms * REST_FACTOR > REST_MS ? ms * REST_FACTOR : REST_MS;
}

static void *list_and_model(void *self)
{
	struct fitter *fitter = self;
	bool settled = !fitter->source->is_growing;
	int64_t began = clock_now_ms();

	while (fitter_survey(fitter, settled) && fitter_crew_model(fitter, settled)) {
		fitter_publish(fitter);
		if (settled || !rest(fitter, rest_after(fitter, clock_now_ms() - began), &settled))
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

static unsigned fitter_processors(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < THREADS_MOST ? (unsigned)n : THREADS_MOST;
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
	struct err ignored;

	model_build_prepare();
	init_lock(fitter);
	fitter->source = source;
	fitter->options = selected_functions_options(source->options);
	fitter->options.pinned = source->names.pinned;
	fitter->options.n_pinned = source->names.n_pinned;
	fitter->options.excluded = source->names.excluded;
	fitter->options.n_excluded = source->names.n_excluded;
	fitter->list = list;
	fitter->modelled = mem_alloc((list->n + 1) * sizeof(*fitter->modelled));
	fitter->started_ms = clock_now_ms();
	fitter->is_listing = true;
	fitter->fits = explorer_models_create();
	fitter->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	fitter_publish(fitter);
	fitter->processors = fitter_processors();
	if (!start_thread(fitter, list_and_model, err) ||
	    !start_thread(fitter, fitter_open_wanted, err)) {
		fitter_abandon(fitter);
		return false;
	}
	/* The lister is one of the crew; fewer than could be are no failure. */
	for (unsigned i = 1; i < fitter->processors; i++)
		if (!start_thread(fitter, fitter_crew_run, &ignored))
			break;
	*ret = fitter;
	return true;
}

static void destroy(struct fitter *fitter)
{
	fitter_forget_wanted(fitter);
	explorer_source_destroy_list(fitter->published);
	explorer_source_destroy_list(fitter->list);
	call_graph_destroy(fitter->graph);
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

struct call_graph *fitter_take_calls(struct fitter *fitter)
{
	struct call_graph *graph;

	pthread_mutex_lock(&fitter->lock);
	graph = fitter->graph;
	fitter->graph = NULL;
	pthread_mutex_unlock(&fitter->lock);
	return graph;
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
