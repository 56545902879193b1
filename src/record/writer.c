/*
 * The writing thread. Two semaphores, `work` and `done`, hand all shared data over between it and
 * the caller. record/recorder.c decides what is written and when.
 */
#include "writer.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

/* Priority below the measured program's. */
enum { NICE = 5 };

struct writer {
	struct profile *profile;
	struct samples *const *tables;
	size_t n_tables;
	bool failed; /* the last batch */
	struct err err;
	bool over; /* the thread must end */
	sem_t work, done;
	/* The caller's own. */
	bool running, busy;
	pthread_t thread;
	bool pinned; /* `processors` is known */
	cpu_set_t processors;
};

struct writer *writer_create(struct profile *profile)
{
	struct writer *writer = mem_alloc(sizeof(*writer));

	writer->profile = profile;
	sem_init(&writer->work, 0, 0);
	sem_init(&writer->done, 0, 0);
	writer->pinned = sched_getaffinity(0, sizeof(writer->processors), &writer->processors) == 0;
	return writer;
}

static void wait_on(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		; /* EINTR */
}

void writer_destroy(struct writer *writer)
{
	if (!writer)
		return;
	writer_wait(writer);
	if (writer->running) {
		writer->over = true;
		sem_post(&writer->work);
		pthread_join(writer->thread, NULL);
	}
	sem_destroy(&writer->work);
	sem_destroy(&writer->done);
	free(writer);
}

void writer_redirect(struct writer *writer, struct profile *profile)
{
	writer->profile = profile;
}

static bool write_tables(struct writer *writer, size_t first, size_t n)
{
	if (!profile_add_batch(writer->profile, writer->tables + first, n, &writer->err))
		return false;
	for (size_t i = first; i < first + n; i++)
		samples_clear(writer->tables[i]);
	return true;
}

/* Store the other tables although the profile has no room for one. */
static void write_singly(struct writer *writer)
{
	for (size_t i = 0; i < writer->n_tables; i++)
		write_tables(writer, i, 1);
}

static void write_batch(struct writer *writer)
{
	writer->failed = !write_tables(writer, 0, writer->n_tables);
	if (writer->failed && writer->err.code == ERR_UNSUPPORTED)
		write_singly(writer);
	sem_post(&writer->done);
}

static void *writer_run(void *argument)
{
	struct writer *writer = argument;

	setpriority(PRIO_PROCESS, gettid(), getpriority(PRIO_PROCESS, 0) + NICE);
	for (;;) {
		wait_on(&writer->work);
		if (writer->over)
			return NULL;
		write_batch(writer);
	}
}

/* The tracer may be pinned or have a real-time priority: the thread must inherit neither. */
static bool writer_start(struct writer *writer)
{
	const struct sched_param ordinary = {.sched_priority = 0};
	pthread_attr_t how;
	sigset_t all, before;

	pthread_attr_init(&how);
	pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&how, SCHED_OTHER);
	pthread_attr_setschedparam(&how, &ordinary);
	if (writer->pinned)
		pthread_attr_setaffinity_np(&how, sizeof(writer->processors), &writer->processors);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	writer->running = pthread_create(&writer->thread, &how, writer_run, writer) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	return writer->running;
}

void writer_give(struct writer *writer, struct samples *const *tables, size_t n)
{
	writer->tables = tables;
	writer->n_tables = n;
	writer->busy = true;
	if (writer->running || writer_start(writer))
		sem_post(&writer->work);
	else
		write_batch(writer); /* no thread can be created: block the caller */
}

bool writer_is_idle(struct writer *writer)
{
	if (writer->busy && sem_trywait(&writer->done) == 0)
		writer->busy = false;
	return !writer->busy;
}

void writer_wait(struct writer *writer)
{
	if (writer->busy)
		wait_on(&writer->done);
	writer->busy = false;
}

bool writer_succeeded(const struct writer *writer, struct err *err)
{
	if (writer->failed)
		*err = writer->err;
	return !writer->failed;
}
