/* A queue of tables, and threads that take from it. */
#include "model_crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/interrupt.h"
#include "model/metric_models.h"
#include "selected_functions.h"

enum { THREADS_MOST = 64 };

struct crew_task {
	struct samples *samples; /* NULL: modelled */
	struct annotation *annotations[METRIC_COUNT];
	size_t n;
};

struct model_crew {
	const struct options *options;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	struct crew_task **tasks;
	size_t n, capacity;
	size_t next;    /* the first that nobody has taken */
	size_t n_cells; /* of those that are not yet modelled */
	bool is_ending;
	pthread_t threads[THREADS_MOST];
	unsigned n_threads, threads_most;
};

static size_t crew_cells(const struct samples *samples)
{
	return samples->n_rows * samples->n_columns;
}

static unsigned crew_processors(void)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n <= THREADS_MOST ? (unsigned)n : THREADS_MOST + 1;
}

static void crew_model(const struct model_crew *crew, struct crew_task *task)
{
	const struct model_options options = selected_functions_options(crew->options);

	if (interrupt_is_pending())
		return;
	task->n = metric_models_build(task->samples,
				      selected_functions_metrics(task->samples, crew->options),
				      &options, task->annotations);
}

/* Take the next table and model it; the lock is held before and after. */
static void crew_work(struct model_crew *crew)
{
	struct crew_task *task = crew->tasks[crew->next++];

	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	crew_model(crew, task);
	pthread_mutex_lock(&crew->lock);
	crew->n_cells -= crew_cells(task->samples);
	samples_destroy(task->samples);
	task->samples = NULL;
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

/* Signals are for the thread that began. */
static void crew_start_thread(struct model_crew *crew)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&crew->threads[crew->n_threads], NULL, crew_run, crew))
		crew->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct model_crew *model_crew_create(const struct options *options)
{
	struct model_crew *crew = mem_alloc(sizeof(*crew));

	model_build_allow_threads();
	crew->options = options;
	crew->threads_most = crew_processors() - 1; /* and the caller */
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	return crew;
}

/* Do as many wait as there are threads, or is as much in memory as there may be? */
static bool crew_is_full(const struct model_crew *crew)
{
	return crew->n - crew->next > crew->n_threads || crew->n_cells > SELECTED_CELLS;
}

void model_crew_add(struct model_crew *crew, struct samples *samples)
{
	struct crew_task *task = mem_alloc(sizeof(*task));

	task->samples = samples;
	pthread_mutex_lock(&crew->lock);
	crew->tasks = mem_grow(crew->tasks, &crew->capacity, crew->n + 1, sizeof(*crew->tasks));
	crew->tasks[crew->n++] = task;
	crew->n_cells += crew_cells(samples);
	pthread_cond_broadcast(&crew->changed);
	if (crew->n > 1 && crew->n_threads < crew->threads_most)
		crew_start_thread(crew);
	while (crew_is_full(crew))
		if (crew->next < crew->n)
			crew_work(crew);
		else
			pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void crew_end_threads(struct model_crew *crew)
{
	unsigned i;

	pthread_mutex_lock(&crew->lock);
	crew->is_ending = true;
	pthread_cond_broadcast(&crew->changed);
	while (crew->next < crew->n)
		crew_work(crew);
	pthread_mutex_unlock(&crew->lock);
	for (i = 0; i < crew->n_threads; i++)
		pthread_join(crew->threads[i], NULL);
}

size_t model_crew_finish(struct model_crew *crew, struct annotation ***ret)
{
	size_t n = 0;
	size_t i, j;

	crew_end_threads(crew);
	*ret = mem_alloc((crew->n * METRIC_COUNT + 1) * sizeof(**ret));
	for (i = 0; i < crew->n; i++) {
		for (j = 0; j < crew->tasks[i]->n; j++)
			(*ret)[n++] = crew->tasks[i]->annotations[j];
		free(crew->tasks[i]);
	}
	free(crew->tasks);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
	return n;
}
