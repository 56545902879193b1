/*
 * Run times from the kernel's records of switches; else from /proc/TID/schedstat, whose files are
 * kept open, and which also tells how late processors came after sleeps.
 */
#include "tracee_run_time.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "tracer_runs.h"
#include "proc_file.h"
#include "context_switches.h"

enum {
	THREADS_FIRST = 128, /* doubled while more threads stop */
	THREADS_MOST = 4096, /* with more, some have no place, and less is known */
	FILES = 2,           /* of a thread */
	PATIENCE = 64,
	WAITS_KEPT = 1 << 14,
	BREAKS_KEPT = 1024, /* between two looks */
	SLEEPY = 64,        /* resumes */
};

/* A processor that sleeps comes so late after a sleep of a thread: nobody else had it. */
static const uint64_t LATE_LEAST_NS = 10000;

/*
 * So late after a sleep is believed, and if it ended on another processor. Kernels since 6.12 count
 * nearly all of a sleep as waiting if they moved the thread before they had taken it off the queue
 * of its processor; it may also be moved back.
 */
static const uint64_t LATE_MOST_NS = 20000000, LATE_MOVED_NS = 5000000;

/*
 * A sleeping processor that is woken starts running at least this long after the waking one was
 * left. A busy one switches sooner, and costs the waking one no more than its own switch.
 */
static const uint64_t WAKE_NS = 2500;

/* The time between a resume and a stop. */
struct window {
	uint64_t on_ns;             /* first put on a processor; 0: unknown */
	struct context_switch last; /* the last switch */
	uint64_t intruded_ns;       /* the tracer had its processor */
};

/* Others had its processor, though it could have run. */
struct wait_interval {
	uint64_t from_ns;
	uint64_t ns;     /* less what the tracer took of it */
	uint64_t sum_ns; /* of all so far, with it */
};

/* It did not run. */
struct run_break {
	uint64_t from_ns, ns;
	bool is_sleep, is_moved; /* it ended on another processor */
};

struct thread {
	pid_t tid;         /* 0: none */
	unsigned patience; /* how often others may want the place before it is given up */
	struct context_switches *switches; /* NULL: counts only */
	int fd;                            /* of the counts; -1: none */
	bool counted;                      /* `at_stop` is known */
	struct proc_schedstat at_stop;     /* at the last stop */
	uint64_t resumed_ns;               /* after `at_stop`; 0: not yet */
	uint64_t late_ns;                  /* of the last stop: until it was seen */
	struct window window;              /* since `resumed_ns` */
	struct wait_interval *waits;       /* the last ones, in order; owned */
	size_t n_waits, waits_capacity;
	uint64_t delay_ns;        /* what it waited for processors in all, when last read */
	uint64_t explained_ns;    /* of what came since: by what the switches tell */
	struct run_break *breaks; /* since then, in order; owned */
	size_t n_breaks, n_sleeps, breaks_capacity;
	bool is_blurred; /* `delay_ns` is not of that time, or there were more than are kept */
	unsigned sleepy; /* it slept not long ago: for so many resumes the sum is read at each */
};

struct tracee_run_time {
	bool counts_only;
	bool certain;                 /* see tracee_run_time_certain() */
	struct tracer_runs *own_runs; /* NULL: there were never several threads */
	struct thread *threads;       /* [n_threads], by the lower bits of their numbers */
	size_t n_threads;
};

static struct thread *run_time_places(size_t n)
{
	struct thread *places = mem_alloc(n * sizeof(*places));

	for (size_t i = 0; i < n; i++)
		places[i].fd = -1;
	return places;
}

struct tracee_run_time *tracee_run_time_create(void)
{
	struct tracee_run_time *clock = mem_alloc(sizeof(*clock));

	clock->n_threads = THREADS_FIRST;
	clock->threads = run_time_places(clock->n_threads);
	return clock;
}

static void run_time_forget(struct thread *thread)
{
	context_switches_close(thread->switches);
	if (thread->fd >= 0)
		close(thread->fd);
	free(thread->waits);
	free(thread->breaks);
	*thread = (struct thread){.fd = -1};
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

void tracee_run_time_certain(struct tracee_run_time *clock)
{
	clock->certain = true;
}

void tracee_run_time_destroy(struct tracee_run_time *clock)
{
	if (!clock)
		return;
	for (size_t i = 0; i < clock->n_threads; i++)
		run_time_forget(&clock->threads[i]);
	free(clock->threads);
	tracer_runs_destroy(clock->own_runs);
	free(clock);
}

static struct thread *run_time_place_of(struct tracee_run_time *clock, pid_t tid)
{
	return &clock->threads[(size_t)tid % clock->n_threads];
}

static bool read_counts(const struct thread *thread, struct proc_schedstat *ret)
{
	char text[96];
	const ssize_t n = thread->fd < 0 ? 0 : pread(thread->fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return proc_schedstat(text, ret);
}

void tracee_run_time_resumed(struct tracee_run_time *clock, pid_t tid, uint64_t now_ns)
{
	struct thread *thread = run_time_place_of(clock, tid);
	struct proc_schedstat counts;

	if (thread->tid != tid)
		return;
	thread->resumed_ns = now_ns;
	thread->window = (struct window){.on_ns = 0};
	thread->explained_ns = 0;
	thread->is_blurred = !thread->sleepy || !thread->switches || !read_counts(thread, &counts);
	if (thread->is_blurred)
		return;
	thread->sleepy--;
	thread->delay_ns = counts.waited_ns;
}

/* Twice as many places, in which those of now do not meet. False: they would be too many. */
static bool run_time_grow(struct tracee_run_time *clock)
{
	const size_t n = 2 * clock->n_threads;
	struct thread *places;

	if (n > THREADS_MOST || !proc_file_room(n * FILES, 4))
		return false;
	places = run_time_places(n);
	for (size_t i = 0; i < clock->n_threads; i++)
		if (clock->threads[i].tid)
			places[(size_t)clock->threads[i].tid % n] = clock->threads[i];
	free(clock->threads);
	clock->threads = places;
	clock->n_threads = n;
	return true;
}

/*
 * Open a thread seen for the first time, or a new one with a reused number. One that stops keeps
 * its place: to open two in turn would cost more than their stops. Returns the place.
 */
static struct thread *meet(struct tracee_run_time *clock, pid_t tid)
{
	struct thread *thread = run_time_place_of(clock, tid);
	struct proc_schedstat counts;

	while (thread->patience && thread->tid != tid && run_time_grow(clock))
		thread = run_time_place_of(clock, tid);
	if (thread->tid == tid)
		return thread;
	if (thread->patience) {
		thread->patience--;
		return thread;
	}
	run_time_forget(thread);
	thread->switches = clock->counts_only ? NULL : context_switches_open(tid);
	if (!proc_open(tid, "schedstat", O_RDONLY, &thread->fd))
		thread->fd = -1;
	if (thread->switches || thread->fd >= 0) {
		thread->tid = tid;
		thread->patience = PATIENCE;
	}
	if (read_counts(thread, &counts))
		thread->delay_ns = counts.waited_ns;
	return thread;
}

void tracee_run_time_ended(struct tracee_run_time *clock, pid_t tid)
{
	struct thread *thread = run_time_place_of(clock, tid);

	if (thread->tid == tid)
		thread->patience = 0;
}

/* Forgets the older half when there are many. */
static void add_wait(struct thread *thread, struct wait_interval wait)
{
	const size_t half = WAITS_KEPT / 2;

	if (thread->n_waits == WAITS_KEPT) {
		memmove(thread->waits, thread->waits + half, half * sizeof(*thread->waits));
		thread->n_waits = half;
	}
	wait.sum_ns = wait.ns + (thread->n_waits ? thread->waits[thread->n_waits - 1].sum_ns : 0);
	thread->waits = mem_grow(thread->waits, &thread->waits_capacity, thread->n_waits + 1,
				 sizeof(*thread->waits));
	thread->waits[thread->n_waits++] = wait;
}

static int longer_first(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/*
 * Which sleep it was that @late_ns belong to is not told: what makes the longest of them alike. The
 * length above which they are too long.
 */
static uint64_t length_of_sleeps(const struct thread *thread, uint64_t late_ns)
{
	uint64_t lengths[BREAKS_KEPT], sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < thread->n_breaks; i++)
		if (thread->breaks[i].is_sleep)
			lengths[n++] = thread->breaks[i].ns;
	qsort(lengths, n, sizeof(*lengths), longer_first);
	for (size_t i = 0; i < n; i++) {
		sum += lengths[i];
		if (sum >= late_ns && (i + 1 == n || (sum - late_ns) / (i + 1) >= lengths[i + 1]))
			return (sum - late_ns) / (i + 1);
	}
	return 0;
}

static void add_waits(struct thread *thread, uint64_t late_ns)
{
	const uint64_t length_ns = late_ns ? length_of_sleeps(thread, late_ns) : UINT64_MAX;

	for (size_t i = 0; i < thread->n_breaks; i++) {
		const struct run_break *at = &thread->breaks[i];
		struct wait_interval wait = {.from_ns = at->from_ns, .ns = at->ns};

		if (at->is_sleep) {
			const uint64_t most_ns = at->is_moved ? LATE_MOVED_NS : LATE_MOST_NS;

			if (at->ns <= length_ns)
				continue;
			wait.ns = at->ns - length_ns < most_ns ? at->ns - length_ns : most_ns;
			wait.from_ns += at->ns - wait.ns;
		}
		add_wait(thread, wait);
	}
	thread->n_breaks = thread->n_sleeps = 0;
}

static void add_break(struct thread *thread, struct run_break added)
{
	if (thread->n_breaks == BREAKS_KEPT) {
		add_waits(thread, 0);
		thread->is_blurred = true;
	}
	thread->breaks = mem_grow(thread->breaks, &thread->breaks_capacity, thread->n_breaks + 1,
				  sizeof(*thread->breaks));
	thread->breaks[thread->n_breaks++] = added;
	thread->n_sleeps += added.is_sleep;
}

/* It is put on a processor. */
static void end_break(struct tracee_run_time *clock, struct thread *thread,
		      const struct context_switch *on)
{
	struct window *window = &thread->window;
	const uint64_t now_ns = on->when_ns;
	const uint64_t off_ns = window->last.when_ns;
	const uint64_t ns = now_ns - off_ns;
	uint64_t ours_ns;

	if (!window->last.off) { /* by its resume */
		if (!window->on_ns && thread->resumed_ns)
			thread->explained_ns += now_ns - thread->resumed_ns;
		return;
	}
	if (!window->last.preempted) {
		add_break(thread, (struct run_break){off_ns, ns, true,
						     on->processor != window->last.processor});
		return;
	}
	ours_ns = clock->own_runs ? tracer_runs_between(clock->own_runs, window->last.processor,
							off_ns, now_ns)
				  : 0;
	window->intruded_ns += ours_ns;
	thread->explained_ns += ns;
	add_break(thread, (struct run_break){off_ns, ns > ours_ns ? ns - ours_ns : 0});
}

static void add_switch(struct tracee_run_time *clock, struct thread *thread,
		       const struct context_switch *switched)
{
	struct window *window = &thread->window;

	if (!switched->off)
		end_break(clock, thread, switched);
	if (!switched->off && !window->on_ns)
		window->on_ns = switched->when_ns;
	window->last = *switched;
}

static size_t take_all(struct tracee_run_time *clock, struct thread *thread)
{
	struct context_switch switched;
	size_t n = 0;

	for (; context_switches_take(thread->switches, &switched); n++)
		if (switched.when_ns >= thread->resumed_ns)
			add_switch(clock, thread, &switched);
	return n;
}

/*
 * How long a processor came late after all the sleeps together. The kernel's sum has that beside
 * what the switches tell. It is read again if there was a switch meanwhile.
 */
static uint64_t late_after_sleeps(struct tracee_run_time *clock, struct thread *thread)
{
	struct proc_schedstat counts;
	uint64_t late_ns = 0;

	for (int i = 0; i < 3; i++) {
		if (!read_counts(thread, &counts))
			return 0;
		if (!take_all(clock, thread))
			break;
	}
	if (!thread->is_blurred && counts.waited_ns > thread->delay_ns + thread->explained_ns)
		late_ns = counts.waited_ns - thread->delay_ns - thread->explained_ns;
	thread->delay_ns = counts.waited_ns;
	thread->explained_ns = 0;
	thread->is_blurred = false;
	thread->sleepy = SLEEPY;
	return late_ns > thread->n_sleeps * LATE_LEAST_NS ? late_ns : 0;
}

/* What the kernel has recorded since the resume. After what it has not, nothing waits. */
static void take_switches(struct tracee_run_time *clock, struct thread *thread)
{
	const bool is_full = context_switches_full(thread->switches);

	take_all(clock, thread);
	if (thread->n_breaks)
		add_waits(thread, thread->n_sleeps && !clock->certain
					  ? late_after_sleeps(clock, thread)
					  : 0);
	if (is_full) {
		thread->window.last.preempted = false;
		thread->is_blurred = true;
	}
}

void tracee_run_time_update(struct tracee_run_time *clock)
{
	if (clock->own_runs)
		tracer_runs_update(clock->own_runs);
	for (size_t i = 0; i < clock->n_threads; i++)
		if (clock->threads[i].switches && clock->threads[i].resumed_ns)
			take_switches(clock, &clock->threads[i]);
}

/*
 * The time before it was put on a processor, that in which the tracer had its processor, and that
 * after it was taken off for good.
 */
static uint64_t idle_by_switches(struct tracee_run_time *clock, struct thread *thread,
				 uint64_t seen_ns, bool *ret_far)
{
	const uint64_t resumed_ns = thread->resumed_ns;
	const bool is_full = context_switches_full(thread->switches);
	struct window window;
	uint64_t idle_ns;

	take_switches(clock, thread);
	window = thread->window;
	thread->resumed_ns = thread->late_ns = 0;
	if (!resumed_ns)
		return 0;
	if (!window.on_ns ||
	    window.on_ns > seen_ns) { /* perhaps another thread has the number now */
		run_time_forget(thread);
		return 0;
	}
	idle_ns = window.on_ns - resumed_ns + window.intruded_ns;
	*ret_far = !is_full && window.last.off && clock->own_runs &&
		   tracer_runs_came_elsewhere(clock->own_runs, window.last.processor,
					      window.last.when_ns + WAKE_NS);
	if (!is_full && window.last.off && window.last.when_ns < seen_ns)
		thread->late_ns = seen_ns - window.last.when_ns;
	idle_ns += thread->late_ns;
	return idle_ns < seen_ns - resumed_ns ? idle_ns : seen_ns - resumed_ns;
}

static uint64_t idle_by_counts(struct thread *thread, uint64_t seen_ns)
{
	const struct thread before = *thread;
	struct proc_schedstat now;
	uint64_t ran_ns, seemed_ns;

	if (!read_counts(thread, &now)) {
		run_time_forget(thread);
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

/* The number of its waits that began before @ns. */
static size_t waits_before(const struct thread *thread, uint64_t ns)
{
	return BISECT_FIRST(i, thread->n_waits, thread->waits[i].from_ns < ns);
}

uint64_t tracee_run_time_waited(struct tracee_run_time *clock, pid_t tid, uint64_t from_ns,
				uint64_t to_ns)
{
	struct thread *thread = meet(clock, tid);
	size_t first, last;

	if (thread->tid != tid || !thread->switches)
		return 0;
	if (clock->own_runs)
		tracer_runs_update(clock->own_runs);
	take_switches(clock, thread);
	first = waits_before(thread, from_ns);
	last = waits_before(thread, to_ns);
	if (first >= last)
		return 0;
	return thread->waits[last - 1].sum_ns - thread->waits[first].sum_ns +
	       thread->waits[first].ns;
}

uint64_t tracee_run_time_late(struct tracee_run_time *clock, pid_t tid)
{
	const struct thread *thread = run_time_place_of(clock, tid);

	return thread->tid == tid ? thread->late_ns : 0;
}

uint64_t tracee_run_time_stopped(struct tracee_run_time *clock, pid_t tid, uint64_t seen_ns,
				 bool *ret_far)
{
	struct thread *thread = meet(clock, tid);

	*ret_far = false;
	if (thread->tid != tid)
		return 0;
	thread->patience = PATIENCE;
	if (clock->own_runs)
		tracer_runs_update(clock->own_runs);
	return thread->switches ? idle_by_switches(clock, thread, seen_ns, ret_far)
				: idle_by_counts(thread, seen_ns);
}
