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

#include "base/arena.h"
#include "base/mem.h"
#include "core/samples/derived_columns.h"
#include "model/metric_models.h"
#include "model/study_build.h"
#include "precision.h"
#include "profile/profile.h"

/* Of fewer samples than the last number, no feature is said not to matter. */
enum { SAMPLES_LEAST = 100, WATCH_NICE = 10, ADAPT_LEAST = 300 };

/* What others' calls tell more than those of a function that is known so. */
static const double KNOWN_PRECISION = 0.02;

/* How precise a cost is known all calls say; what it depends on fewer do, evenly spaced. */
enum { PRECISION_CELLS = 8 << 20, ADAPT_CELLS = 1 << 19 };

/* Expressions, in the watch's arena. */
struct used_features {
	const char **list;
	size_t n;
};

/* By the function's key in the profile. */
struct looked_at {
	char *key;
	size_t next; /* look again when it has so many samples; SIZE_MAX: never */
	struct used_features used, told; /* at the last look; and what was told */
	bool was_told, was_known;
};

struct precision_watch {
	struct learning_options options;
	struct arena *arena;
	pthread_t thread;
	pthread_mutex_t lock; /* of the next five */
	pthread_cond_t changed;
	bool is_woken, is_over;
	struct learned_function *found;
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
	watch->looked[watch->n_looked] =
		(struct looked_at){.key = strdup(key), .next = SAMPLES_LEAST};
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

static bool is_used(const struct used_features *used, const char *expression)
{
	for (size_t i = 0; i < used->n; i++)
		if (!strcmp(used->list[i], expression))
			return true;
	return false;
}

/* Add those of @more that are not in it. */
static void use(struct arena *arena, struct used_features *used, const char *const *more, size_t n)
{
	const char **list = arena_array(arena, const char *, used->n + n + 1);

	for (size_t i = 0; i < used->n; i++)
		list[i] = used->list[i];
	used->list = list;
	for (size_t i = 0; i < n; i++)
		if (!is_used(used, more[i]))
			list[used->n++] = arena_strdup(arena, more[i]);
}

static void use_those_of(struct arena *arena, struct used_features *used,
			 const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		use(arena, used, &annotation->features[i].expression, 1);
}

/* The worst of its metrics; and the features that are used. */
static double relative_of_all(const struct precision_watch *watch, struct samples *samples,
			      struct used_features *ret)
{
	const struct model_options options = {.min_r2 = 0.75, .correlation = MODEL_CORRELATION};
	struct annotation *annotations[METRIC_COUNT];
	double worst = 0;
	size_t n;

	derived_columns_add(samples);
	n = metric_models_build(samples, watch->options.metrics, &options, annotations);
	for (size_t i = 0; i < n; i++) {
		struct study *study;

		use_those_of(watch->arena, ret, annotations[i]);
		study = study_build(samples, annotations[i]->metric, &options, annotations[i]);
		worst = fmax(worst, relative_of(study));
		study_destroy(study);
	}
	return n ? worst : INFINITY;
}

static void add_found(struct precision_watch *watch, const struct learned_function *learned)
{
	samples_clear(learned->function);
	pthread_mutex_lock(&watch->lock);
	watch->found = mem_grow(watch->found, &watch->found_capacity, watch->n_found + 1,
				sizeof(*watch->found));
	watch->found[watch->n_found++] = *learned;
	pthread_mutex_unlock(&watch->lock);
}

/* Takes @samples, if so. False: nothing new is to be told. */
static bool tell_used(struct precision_watch *watch, struct looked_at *looked,
		      struct samples *samples, const struct used_features *now, double relative)
{

	struct used_features both = *now;
	const bool is_second = looked->used.list;
	struct learned_function learned = {.function = samples,
					   .is_known = relative < KNOWN_PRECISION,
					   .was_known = looked->was_known,
					   .relative = relative,
					   .is_use_new = !looked->was_told};

	use(watch->arena, &both, looked->used.list, looked->used.n);
	looked->used = *now;
	if (!watch->options.adapts || !is_second || samples->n_rows < ADAPT_LEAST)
		return false;
	learned.used = both.list;
	learned.n_used = both.n;
	learned.is_use_new |= both.n != looked->told.n;
	for (size_t i = 0; i < both.n; i++)
		learned.is_use_new |= !is_used(&looked->told, both.list[i]);
	if (!learned.is_use_new && learned.is_known == learned.was_known)
		return false;
	looked->was_told = true;
	looked->was_known = learned.is_known;
	looked->told = both;
	add_found(watch, &learned);
	return true;
}

static void look_at(struct precision_watch *watch, struct profile *profile, const char *key)
{
	struct looked_at *looked = find_looked(watch, key);
	struct used_features used = {0};
	const size_t cells = watch->options.until > 0 ? PRECISION_CELLS : ADAPT_CELLS;
	struct samples *samples;
	struct err ignored;
	double relative = INFINITY;
	size_t n;

	if (!profile_count(profile, key, &n, &ignored) || n < looked->next ||
	    !profile_load(profile, key, cells, &samples, &ignored))
		return;
	samples_keep_run(samples, watch->options.run);
	use(watch->arena, &used, NULL, 0);
	if (samples->n_rows >= SAMPLES_LEAST)
		relative = relative_of_all(watch, samples, &used);
	if (relative < watch->options.until) {
		looked->next = SIZE_MAX;
		add_found(watch, &(struct learned_function){.function = samples,
							    .is_precise = true,
							    .relative = relative});
		return;
	}
	looked->next *= 2;
	if (!tell_used(watch, looked, samples, &used, relative))
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

	if (!profile_open(watch->options.path, &profile, &ignored))
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
	free((char *)watch->options.path);
	arena_destroy(watch->arena);
	free(watch);
}

struct precision_watch *precision_watch_create(const struct learning_options *options)
{
	struct precision_watch *watch = mem_alloc(sizeof(*watch));

	watch->options = *options;
	watch->options.path = strdup(options->path);
	watch->arena = arena_create();
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

bool precision_watch_found(struct precision_watch *watch, size_t at, struct learned_function *ret)
{
	bool is_found;

	pthread_mutex_lock(&watch->lock);
	is_found = at < watch->n_found;
	if (is_found)
		*ret = watch->found[at];
	pthread_mutex_unlock(&watch->lock);
	return is_found;
}
