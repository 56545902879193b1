/*
 * Run times from the kernel's records of switches; else from /proc/TID/schedstat, whose files are
 * kept open.
 */
#include "tracee_run_time.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "tracer_runs.h"
#include "proc_file.h"
#include "context_switches.h"

enum { THREADS_KEPT = 128 /* with more, some share a place, and less is known */ };

/*
 * A sleeping processor that is woken starts running at least this long after the waking one was
 * left. A busy one switches sooner, and costs the waking one no more than its own switch.
 */
static const uint64_t WAKE_NS = 2500;

struct counts {
	uint64_t ran_ns;
	uint64_t times; /* put on a processor */
};

/* The time between a resume and a stop. */
struct window {
	uint64_t resumed_ns;        /* 0: not yet */
	uint64_t on_ns;             /* first put on a processor; 0: unknown */
	struct context_switch last; /* the last switch */
	uint64_t intruded_ns;       /* the tracer had its processor */
};

struct thread {
	pid_t tid;                         /* 0: none */
	struct context_switches *switches; /* NULL: counts only */
	int fd;                            /* of the counts */
	bool counted;                      /* `at_stop` is known */
	struct counts at_stop;             /* at the last stop */
	struct window window;              /* after `at_stop`, as far as looked at */
};

struct tracee_run_time {
	bool counts_only;
	struct tracer_runs *own_runs; /* NULL: there were never several threads */
	struct thread threads[THREADS_KEPT];
};

struct tracee_run_time *tracee_run_time_create(void)
{
	return mem_alloc(sizeof(struct tracee_run_time));
}

static void run_time_forget(struct thread *thread)
{
	if (thread->switches)
		context_switches_close(thread->switches);
	else if (thread->tid)
		close(thread->fd);
	*thread = (struct thread){.tid = 0};
}

void tracee_run_time_several(struct tracee_run_time *clock)
{
	if (!clock->own_runs)
		clock->own_runs = tracer_runs_create();
}

void tracee_run_time_count_only(struct tracee_run_time *clock)
{
	clock->counts_only = true;
}

void tracee_run_time_destroy(struct tracee_run_time *clock)
{
	if (!clock)
		return;
	for (size_t i = 0; i < THREADS_KEPT; i++)
		run_time_forget(&clock->threads[i]);
	tracer_runs_destroy(clock->own_runs);
	free(clock);
}

static struct thread *run_time_place_of(struct tracee_run_time *clock, pid_t tid)
{
	return &clock->threads[tid % THREADS_KEPT];
}

void tracee_run_time_resumed(struct tracee_run_time *clock, pid_t tid, uint64_t now_ns)
{
	struct thread *thread = run_time_place_of(clock, tid);

	if (thread->tid == tid)
		thread->window = (struct window){.resumed_ns = now_ns};
}

static bool read_counts(const struct thread *thread, struct counts *ret)
{
	char text[96];
	const ssize_t n = pread(thread->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return proc_schedstat(text, &ret->ran_ns, &ret->times);
}

/* Open a thread seen for the first time, or a new one with a reused number. */
static void meet(const struct tracee_run_time *clock, struct thread *thread, pid_t tid)
{
	run_time_forget(thread);
	thread->switches = clock->counts_only ? NULL : context_switches_open(tid);
	if (thread->switches || proc_open(tid, "schedstat", O_RDONLY, &thread->fd))
		thread->tid = tid;
}

static void add_switch(struct tracee_run_time *clock, struct window *window,
		       const struct context_switch *switched)
{
	if (!switched->off && !window->on_ns)
		window->on_ns = switched->when_ns;
	else if (!switched->off && window->last.preempted && clock->own_runs)
		window->intruded_ns += tracer_runs_between(clock->own_runs, window->last.processor,
							   window->last.when_ns, switched->when_ns);
	window->last = *switched;
}

static void take_switches(struct tracee_run_time *clock, struct thread *thread)
{
	struct context_switch switched;

	while (context_switches_take(thread->switches, &switched))
		if (switched.when_ns >= thread->window.resumed_ns)
			add_switch(clock, &thread->window, &switched);
}

void tracee_run_time_update(struct tracee_run_time *clock)
{
	if (clock->own_runs)
		tracer_runs_update(clock->own_runs);
	for (size_t i = 0; i < THREADS_KEPT; i++)
		if (clock->threads[i].switches && clock->threads[i].window.resumed_ns)
			take_switches(clock, &clock->threads[i]);
}

/*
 * The time before it was put on a processor, that in which the tracer had its processor, and that
 * after it was taken off for good.
 */
static uint64_t idle_by_switches(struct tracee_run_time *clock, struct thread *thread,
				 uint64_t seen_ns, struct tracee_seen *ret)
{
	const bool is_full = context_switches_full(thread->switches);
	struct window window;
	uint64_t idle_ns;

	take_switches(clock, thread);
	window = thread->window;
	thread->window = (struct window){0};
	if (!window.resumed_ns)
		return 0;
	if (!window.on_ns ||
	    window.on_ns > seen_ns) { /* perhaps another thread has the number now */
		run_time_forget(thread);
		return 0;
	}
	ret->far = !is_full && window.last.off && clock->own_runs &&
		   tracer_runs_came_elsewhere(clock->own_runs, window.last.processor,
					      window.last.when_ns + WAKE_NS);
	if (!is_full && window.last.off && window.last.when_ns < seen_ns)
		ret->late_ns = seen_ns - window.last.when_ns;
	idle_ns = window.on_ns - window.resumed_ns + window.intruded_ns + ret->late_ns;
	return idle_ns < seen_ns - window.resumed_ns ? idle_ns : seen_ns - window.resumed_ns;
}

static uint64_t idle_by_counts(struct thread *thread, uint64_t seen_ns)
{
	const struct thread before = *thread;
	struct counts now;
	uint64_t ran_ns, seemed_ns;

	if (!read_counts(thread, &now)) {
		run_time_forget(thread);
		return 0;
	}
	thread->counted = true;
	thread->at_stop = now;
	thread->window.resumed_ns = 0;
	if (!before.counted || !before.window.resumed_ns || now.times != before.at_stop.times + 1)
		return 0;
	ran_ns = now.ran_ns - before.at_stop.ran_ns;
	seemed_ns = seen_ns - before.window.resumed_ns;
	return ran_ns < seemed_ns ? seemed_ns - ran_ns : 0;
}

uint64_t tracee_run_time_stopped(struct tracee_run_time *clock, pid_t tid, uint64_t seen_ns,
				 struct tracee_seen *ret)
{
	struct thread *thread = run_time_place_of(clock, tid);

	*ret = (struct tracee_seen){.far = false};
	if (thread->tid != tid)
		meet(clock, thread, tid);
	if (thread->tid != tid)
		return 0;
	if (clock->own_runs)
		tracer_runs_update(clock->own_runs);
	return thread->switches ? idle_by_switches(clock, thread, seen_ns, ret)
				: idle_by_counts(thread, seen_ns);
}
