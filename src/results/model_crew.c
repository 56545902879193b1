/* A queue of tables, and threads that take from it. */
#include "model_crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "base/size.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "kept_models.h"
#include "model/metric_models.h"
#include "pins.h"
#include "selected_functions.h"

enum { THREADS_MOST = 64, SILENT_S = 2 };

struct crew_task {
	struct modelled modelled;
	struct profile *profile;
	struct arena *arena; /* of `options` */
	struct model_options options;
	struct kept_models kept;
	bool was_kept, is_done;
};

struct model_crew {
	const struct options *options;
	model_crew_receive *receive;
	void *receiver;
	size_t n_received;    /* by the caller's thread, as are all above */
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	struct crew_task **tasks;
	size_t n, capacity;
	size_t next;    /* the first that nobody has taken */
	size_t n_cells; /* of those that are not yet received */
	bool is_ending, is_over;
	pthread_cond_t over;
	pthread_t teller;
	bool has_teller;
	pthread_t threads[THREADS_MOST];
	unsigned n_threads, threads_most;
};

static size_t crew_cells(const struct samples *samples)
{
	return size_product(samples->n_rows, samples->n_columns);
}

static unsigned crew_processors(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n <= THREADS_MOST ? (unsigned)n : THREADS_MOST + 1;
}

static void crew_model(struct crew_task *task)
{
	if (interrupt_is_pending())
		return;
	task->modelled.n = metric_models_build(task->modelled.samples, task->kept.metrics,
					       &task->options, task->modelled.annotations);
	while (interrupt_is_pending() && task->modelled.n)
		annotation_destroy(task->modelled.annotations[--task->modelled.n]);
}

/* Take the next table and model it; the lock is held before and after. */
static void crew_work(struct model_crew *crew)
{
	struct crew_task *task = crew->tasks[crew->next++];

	if (task->is_done)
		return;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	crew_model(task);
	pthread_mutex_lock(&crew->lock);
	task->is_done = true;
	pthread_cond_broadcast(&crew->changed);
}

static void *crew_run(void *argument)
{
	struct model_crew *crew = argument;

	pthread_mutex_lock(&crew->lock);
	while (crew->next < crew->n || !crew->is_ending)
		if (crew->next < crew->n)
			crew_work(crew);
		else
			pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Nobody may wonder for long, whatever else is not to be said. */
static void *crew_tell(void *argument)
{
	struct model_crew *crew = argument;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += SILENT_S;
	pthread_mutex_lock(&crew->lock);
	while (!crew->is_over && !pthread_cond_timedwait(&crew->over, &crew->lock, &until))
		;
	if (!crew->is_over)
		message_note("the models take a while: Ctrl-C keeps those that are made, and all "
			     "samples");
	pthread_mutex_unlock(&crew->lock);
	return NULL;
}

/* Signals are for the thread that began. */
static bool crew_start_thread(struct model_crew *crew, pthread_t *ret, void *run(void *))
{
	sigset_t all, before;
	bool ok;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ok = pthread_create(ret, NULL, run, crew) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

static void crew_init_over(struct model_crew *crew)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&crew->over, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

struct model_crew *model_crew_create(const struct options *options, model_crew_receive *receive,
				     void *receiver)
{
	struct model_crew *crew = mem_alloc(sizeof(*crew));

	model_build_prepare();
	crew->options = options;
	crew->receive = receive;
	crew->receiver = receiver;
	crew->threads_most = crew_processors() - 1; /* and the caller */
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	crew_init_over(crew);
	crew->has_teller = options->quiet && crew_start_thread(crew, &crew->teller, crew_tell);
	return crew;
}

/* Do as many wait as there are threads, or is as much in memory as there may be? */
static bool crew_is_full(const struct model_crew *crew)
{
	return crew->n - crew->next > crew->n_threads || crew->n_cells > SELECTED_CELLS;
}

static struct crew_task *make_task(const struct model_crew *crew, const struct model_task *of)
{
	struct crew_task *task = mem_alloc(sizeof(*task));

	task->modelled.samples = of->samples;
	task->profile = of->profile;
	task->options = selected_functions_options(crew->options);
	task->options.is_over = interrupt_is_pending;
	task->arena = arena_create();
	pins_resolve(crew->options, of->samples, task->arena, &task->options);
	kept_models_init(&task->kept, of->key, of->samples, of->metrics, &task->options);
	task->modelled.n = kept_models_find(&task->kept, of->profile, task->modelled.annotations);
	task->was_kept = task->is_done = task->modelled.n > 0;
	return task;
}

/* Give the caller the oldest, which is done; the lock is held before and after. */
static void crew_give(struct model_crew *crew)
{
	struct crew_task *task = crew->tasks[crew->n_received++];

	/* Nobody has taken what was kept. */
	if (crew->next < crew->n_received)
		crew->next = crew->n_received;
	crew->n_cells -= crew_cells(task->modelled.samples);
	pthread_mutex_unlock(&crew->lock);
	if (!task->was_kept)
		kept_models_keep(&task->kept, task->profile, task->modelled.annotations,
				 task->modelled.n);
	crew->receive(crew->receiver, &task->modelled);
	kept_models_deinit(&task->kept);
	arena_destroy(task->arena);
	free(task);
	pthread_mutex_lock(&crew->lock);
}

static bool crew_may_give(const struct model_crew *crew)
{
	return crew->n_received < crew->n && crew->tasks[crew->n_received]->is_done;
}

/* Give what is done, or work, or wait for others. */
static void crew_help(struct model_crew *crew)
{
	if (crew_may_give(crew))
		crew_give(crew);
	else if (crew->next < crew->n)
		crew_work(crew);
	else
		pthread_cond_wait(&crew->changed, &crew->lock);
}

void model_crew_add(struct model_crew *crew, const struct model_task *of)
{
	struct crew_task *task = make_task(crew, of);

	pthread_mutex_lock(&crew->lock);
	crew->tasks = mem_grow(crew->tasks, &crew->capacity, crew->n + 1, sizeof(*crew->tasks));
	crew->tasks[crew->n++] = task;
	crew->n_cells += crew_cells(of->samples);
	pthread_cond_broadcast(&crew->changed);
	if (crew->n > 1 && !task->is_done && crew->n_threads < crew->threads_most)
		crew->n_threads +=
			crew_start_thread(crew, &crew->threads[crew->n_threads], crew_run);
	while (crew_is_full(crew) || crew_may_give(crew))
		crew_help(crew);
	pthread_mutex_unlock(&crew->lock);
}

void model_crew_finish(struct model_crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	crew->is_ending = true;
	pthread_cond_broadcast(&crew->changed);
	while (crew->n_received < crew->n)
		crew_help(crew);
	crew->is_over = true;
	pthread_cond_signal(&crew->over);
	pthread_mutex_unlock(&crew->lock);
	if (crew->has_teller)
		pthread_join(crew->teller, NULL);
	for (unsigned i = 0; i < crew->n_threads; i++)
		pthread_join(crew->threads[i], NULL);
	free(crew->tasks);
	pthread_cond_destroy(&crew->changed);
	pthread_cond_destroy(&crew->over);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
