/* Reading what the kernel writes down of switches; else /proc/TID/schedstat, whose files are kept open. */
#include "trace/run_clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/own_runs.h"
#include "trace/proc_file.h"
#include "trace/switches.h"

enum { THREADS_KEPT = 128 /* with more, some share a place, and less is known of them */ };

/*
 * A processor that has to be woken itself begins so long after the one that woke it has been left, or later. One that is
 * busy changes tasks sooner, and costs the one that wakes no more than its own.
 */
static const uint64_t WAKE_NS = 2500;

struct counts {
	uint64_t ran_ns;
	uint64_t times; /* that it was put on a processor */
};

struct thread {
	pid_t tid;                 /* 0: none */
	struct switches *switches; /* NULL: there are counts only */
	int fd;                    /* of the counts */
	bool counted;              /* the next two are known */
	struct counts at_stop;     /* the last one that was looked at */
	uint64_t resumed_ns;       /* after that; 0: not yet */
};

struct run_clock {
	bool counts_only;
	struct own_runs *own_runs; /* NULL: there were never several threads */
	struct thread threads[THREADS_KEPT];
};

struct run_clock *run_clock_create(void)
{
	return mem_alloc(sizeof(struct run_clock));
}

static void forget(struct thread *thread)
{
	if (thread->switches)
		switches_close(thread->switches);
	else if (thread->tid)
		close(thread->fd);
	*thread = (struct thread){.tid = 0};
}

void run_clock_several(struct run_clock *clock)
{
	if (!clock->own_runs)
		clock->own_runs = own_runs_create();
}

void run_clock_count_only(struct run_clock *clock)
{
	clock->counts_only = true;
}

void run_clock_destroy(struct run_clock *clock)
{
	size_t i;

	if (!clock)
		return;
	for (i = 0; i < THREADS_KEPT; i++)
		forget(&clock->threads[i]);
	own_runs_destroy(clock->own_runs);
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

static bool read_counts(const struct thread *thread, struct counts *ret)
{
	char text[96];
	const ssize_t n = pread(thread->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return proc_schedstat(text, &ret->ran_ns, &ret->times);
}

/* A thread that is seen for the first time, or again under a number that another one had. */
static void meet(const struct run_clock *clock, struct thread *thread, pid_t tid)
{
	forget(thread);
	thread->switches = clock->counts_only ? NULL : switches_open(tid);
	if (thread->switches || proc_open(tid, "schedstat", O_RDONLY, &thread->fd))
		thread->tid = tid;
}

/* What is known of the time between a resume and a stop. */
struct window {
	uint64_t resumed_ns;
	uint64_t on_ns;       /* first put on a processor; 0: unknown */
	struct switched last; /* the last switch */
	uint64_t intruded_ns; /* the tracer had its processor */
};

static void add_switch(struct run_clock *clock, struct window *window,
		       const struct switched *switched)
{
	if (!switched->off && !window->on_ns)
		window->on_ns = switched->when_ns;
	else if (!switched->off && window->last.preempted && clock->own_runs)
		window->intruded_ns += own_runs_between(clock->own_runs, window->last.processor,
							window->last.when_ns, switched->when_ns);
	window->last = *switched;
}

/*
 * The time before it was put on a processor, that in which the tracer had its processor, and that after it was taken
 * from one for good.
 */
static uint64_t idle_by_switches(struct run_clock *clock, struct thread *thread, uint64_t seen_ns,
				 bool *ret_far)
{
	struct window window = {.resumed_ns = thread->resumed_ns};
	const bool is_full = switches_full(thread->switches);
	struct switched switched;
	uint64_t idle_ns;

	thread->resumed_ns = 0;
	while (switches_take(thread->switches, &switched))
		if (switched.when_ns >= window.resumed_ns)
			add_switch(clock, &window, &switched);
	if (!window.resumed_ns)
		return 0;
	if (!window.on_ns ||
	    window.on_ns > seen_ns) { /* perhaps another thread has the number now */
		forget(thread);
		return 0;
	}
	idle_ns = window.on_ns - window.resumed_ns + window.intruded_ns;
	*ret_far = !is_full && window.last.off && clock->own_runs &&
		   own_runs_came_elsewhere(clock->own_runs, window.last.processor,
					   window.last.when_ns + WAKE_NS);
	if (!is_full && window.last.off && window.last.when_ns < seen_ns)
		idle_ns += seen_ns - window.last.when_ns;
	return idle_ns < seen_ns - window.resumed_ns ? idle_ns : seen_ns - window.resumed_ns;
}

static uint64_t idle_by_counts(struct thread *thread, uint64_t seen_ns)
{
	const struct thread before = *thread;
	struct counts now;
	uint64_t ran_ns, seemed_ns;

	if (!read_counts(thread, &now)) {
		forget(thread);
		return 0;
	}
	thread->counted = true;
	thread->at_stop = now;
	thread->resumed_ns = 0;
	if (!before.counted || !before.resumed_ns || now.times != before.at_stop.times + 1)
		return 0;
	ran_ns = now.ran_ns - before.at_stop.ran_ns;
	seemed_ns = seen_ns - before.resumed_ns;
	return ran_ns < seemed_ns ? seemed_ns - ran_ns : 0;
}

uint64_t run_clock_stopped(struct run_clock *clock, pid_t tid, uint64_t seen_ns, bool *ret_far)
{
	struct thread *thread = place_of(clock, tid);

	*ret_far = false;
	if (thread->tid != tid)
		meet(clock, thread, tid);
	if (thread->tid != tid)
		return 0;
	if (clock->own_runs)
		own_runs_update(clock->own_runs);
	return thread->switches ? idle_by_switches(clock, thread, seen_ns, ret_far)
				: idle_by_counts(thread, seen_ns);
}
