/* Reading /proc/TID/schedstat, whose files are kept open. */
#include "trace/run_clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/proc.h"

enum { THREADS_KEPT = 128 /* with more, some share a place, and less is known of them */ };

struct counts {
	uint64_t ran_ns;
	uint64_t times; /* that it was put on a processor */
};

struct thread {
	pid_t tid; /* 0: none */
	int fd;
	bool counted;          /* the next two are known */
	struct counts at_stop; /* the last one that was looked at */
	uint64_t resumed_ns;   /* after that; 0: not yet */
};

struct run_clock {
	struct thread threads[THREADS_KEPT];
};

struct run_clock *run_clock_create(void)
{
	return mem_alloc(sizeof(struct run_clock));
}

static void forget(struct thread *thread)
{
	if (thread->tid)
		close(thread->fd);
	thread->tid = 0;
}

void run_clock_destroy(struct run_clock *clock)
{
	size_t i;

	if (!clock)
		return;
	for (i = 0; i < THREADS_KEPT; i++)
		forget(&clock->threads[i]);
	free(clock);
}

static struct thread *place_of(struct run_clock *clock, pid_t tid)
{
	return &clock->threads[tid % THREADS_KEPT];
}

void run_clock_resumed(struct run_clock *clock, pid_t tid, uint64_t now_ns)
{
	struct thread *thread = place_of(clock, tid);

	if (thread->tid == tid)
		thread->resumed_ns = now_ns;
}

/* "RAN WAITED TIMES\n"; all are 0 where the kernel does not count. */
static bool read_counts(const struct thread *thread, struct counts *ret)
{
	char text[96];
	char *at = text;
	ssize_t n = pread(thread->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	ret->ran_ns = strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	ret->times = strtoull(at, &at, 10);
	return ret->times != 0;
}

/* A thread that is seen for the first time, or again under a number that another one had. */
static bool meet(struct thread *thread, pid_t tid, struct counts *ret)
{
	forget(thread);
	*thread = (struct thread){.tid = 0};
	if (!proc_open(tid, "schedstat", O_RDONLY, &thread->fd))
		return false;
	thread->tid = tid;
	return read_counts(thread, ret);
}

uint64_t run_clock_stopped(struct run_clock *clock, pid_t tid, uint64_t seen_ns)
{
	struct thread *thread = place_of(clock, tid);
	struct thread before = *thread;
	struct counts now;
	uint64_t ran_ns, seemed_ns;

	thread->counted =
		(thread->tid == tid && read_counts(thread, &now)) || meet(thread, tid, &now);
	if (!thread->counted)
		return 0;
	thread->at_stop = now;
	thread->resumed_ns = 0;
	if (before.tid != tid || !before.counted || !before.resumed_ns ||
	    now.times != before.at_stop.times + 1)
		return 0;
	ran_ns = now.ran_ns - before.at_stop.ran_ns;
	seemed_ns = seen_ns - before.resumed_ns;
	return ran_ns < seemed_ns ? seemed_ns - ran_ns : 0;
}
