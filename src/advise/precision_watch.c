/* The thread opens the profile anew each time: the run's own writer may be at it. */
#include "precision_watch.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/samples/derived_columns.h"
#include "model/metric_models.h"
#include "model/study_build.h"
#include "precision.h"
#include "profile/profile.h"

enum { SAMPLES_LEAST = 100, CELLS_MAX = 8 << 20, WATCH_NICE = 10 };

/* By the function's key in the profile. */
struct looked_at {
	char *key;
	size_t next; /* look again when it has so many samples; SIZE_MAX: never */
};

struct precision_watch {
	char *path;
	int64_t run;
	uint64_t metrics;
	double until;
	pthread_t thread;
	pthread_mutex_t lock; /* of the next five */
	pthread_cond_t changed;
	bool is_woken, is_over;
	struct precise_function *found;
	size_t n_found, found_capacity;
	struct looked_at *looked; /* the thread's own, as are the next */
	size_t n_looked, looked_capacity;
};

static struct looked_at *find_looked(struct precision_watch *watch, const char *key)
{
	for (size_t i = 0; i < watch->n_looked; i++)
		if (!strcmp(watch->looked[i].key, key))
			return &watch->looked[i];
	watch->looked = mem_grow(watch->looked, &watch->looked_capacity, watch->n_looked + 1,
				 sizeof(*watch->looked));
	watch->looked[watch->n_looked] = (struct looked_at){strdup(key), SAMPLES_LEAST};
	return &watch->looked[watch->n_looked++];
}

/* Laws without any deviation are known; INFINITY: nothing is. */
static double relative_of(const struct study *study)
{
	struct precision precision;
	bool is_exact = study->annotation->n_cases > 0 && study->n_points > 0;

	for (size_t i = 0; i < study->n_points; i++)
		is_exact &= study->deviation[i] == 0;
	if (is_exact)
		return 0;
	return precision_find(study, &precision) ? precision.relative : INFINITY;
}

/* The worst of its metrics. */
static double relative_of_all(struct samples *samples, uint64_t metrics)
{
	const struct model_options options = {.min_r2 = 0.75, .correlation = MODEL_CORRELATION};
	struct annotation *annotations[METRIC_COUNT];
	double worst = 0;
	size_t n;

	derived_columns_add(samples);
	n = metric_models_build(samples, metrics, &options, annotations);
	for (size_t i = 0; i < n; i++) {
		struct study *study =
			study_build(samples, annotations[i]->metric, &options, annotations[i]);

		worst = fmax(worst, relative_of(study));
		study_destroy(study);
	}
	return n ? worst : INFINITY;
}

/* Takes @samples. */
static void add_found(struct precision_watch *watch, struct samples *samples, double relative)
{
	samples_clear(samples);
	pthread_mutex_lock(&watch->lock);
	watch->found = mem_grow(watch->found, &watch->found_capacity, watch->n_found + 1,
				sizeof(*watch->found));
	watch->found[watch->n_found++] = (struct precise_function){samples, relative};
	pthread_mutex_unlock(&watch->lock);
}

static void look_at(struct precision_watch *watch, struct profile *profile, const char *key)
{
	struct looked_at *looked = find_looked(watch, key);
	struct samples *samples;
	struct err ignored;
	double relative;
	size_t n;

	if (!profile_count(profile, key, &n, &ignored) || n < looked->next ||
	    !profile_load(profile, key, CELLS_MAX, &samples, &ignored))
		return;
	samples_keep_run(samples, watch->run);
	n = samples->n_rows;
	relative = n >= SAMPLES_LEAST ? relative_of_all(samples, watch->metrics) : INFINITY;
	looked->next = relative < watch->until ? SIZE_MAX : looked->next * 2;
	if (relative < watch->until)
		add_found(watch, samples, relative);
	else
		samples_destroy(samples);
}

static bool is_over(struct precision_watch *watch)
{
	bool ret;

	pthread_mutex_lock(&watch->lock);
	ret = watch->is_over;
	pthread_mutex_unlock(&watch->lock);
	return ret;
}

static void look_at_all(struct precision_watch *watch)
{
	struct profile *profile;
	const char *const *keys;
	struct err ignored;
	size_t n;

	if (!profile_open(watch->path, &profile, &ignored))
		return;
	n = profile_functions(profile, &keys);
	for (size_t i = 0; i < n && !is_over(watch); i++)
		look_at(watch, profile, keys[i]);
	profile_close(profile);
}

/* Waits until it is woken; false: it is over. */
static bool wait_for_wake(struct precision_watch *watch)
{
	bool goes_on;

	pthread_mutex_lock(&watch->lock);
	while (!watch->is_woken && !watch->is_over)
		pthread_cond_wait(&watch->changed, &watch->lock);
	watch->is_woken = false;
	goes_on = !watch->is_over;
	pthread_mutex_unlock(&watch->lock);
	return goes_on;
}

static void *precision_watch_run(void *self)
{
	setpriority(PRIO_PROCESS, gettid(), WATCH_NICE);
	while (wait_for_wake(self))
		look_at_all(self);
	return NULL;
}

/* Signals are for the thread that began. */
static bool start_watching(struct precision_watch *watch)
{
	sigset_t all, before;
	bool ok;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ok = pthread_create(&watch->thread, NULL, precision_watch_run, watch) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

static void precision_watch_free(struct precision_watch *watch)
{
	for (size_t i = 0; i < watch->n_found; i++)
		samples_destroy(watch->found[i].function);
	for (size_t i = 0; i < watch->n_looked; i++)
		free(watch->looked[i].key);
	pthread_cond_destroy(&watch->changed);
	pthread_mutex_destroy(&watch->lock);
	free(watch->found);
	free(watch->looked);
	free(watch->path);
	free(watch);
}

struct precision_watch *precision_watch_create(const char *path, int64_t run, uint64_t metrics,
					       double until)
{
	struct precision_watch *watch = mem_alloc(sizeof(*watch));

	watch->path = strdup(path);
	watch->run = run;
	watch->metrics = metrics;
	watch->until = until;
	pthread_mutex_init(&watch->lock, NULL);
	pthread_cond_init(&watch->changed, NULL);
	model_build_prepare();
	if (start_watching(watch))
		return watch;
	precision_watch_free(watch);
	return NULL;
}

void precision_watch_destroy(struct precision_watch *watch)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->is_over = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
	precision_watch_free(watch);
}

void precision_watch_wake(struct precision_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	watch->is_woken = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
}

bool precision_watch_found(struct precision_watch *watch, size_t at, struct precise_function *ret)
{
	bool is_found;

	pthread_mutex_lock(&watch->lock);
	is_found = at < watch->n_found;
	if (is_found)
		*ret = watch->found[at];
	pthread_mutex_unlock(&watch->lock);
	return is_found;
}
