/*
 * Stopping all threads of a process, looking at them, letting them go. snapshot_thread.c describes
 * a thread, mapped_modules.c its mappings, wait_reason.c what threads wait for.
 */
#include "trace/snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/clock.h"
#include "trace/kernel/syscall_restart.h"
#include "trace/ptrace_access.h"
#include "trace/kernel/proc_file.h"
#include "snapshot_pages.h"
#include "snapshot_thread.h"
#include "trace/kernel/wait_status.h"

enum {
	THREADS_MAX = 1 << 16,
	LATE_MS = 5000, /* wait for threads not stopped in time */
	ASLEEP_MS = 20,
	JOIN_MS = 5,     /* between looks at an overdue snapshot */
	STUCK_LOOKS = 3, /* times in a row it was asleep */
};

/* As in proc(5): uninterruptible. */
static const char SLEEPS_DEEPLY = 'D';

enum grip { GRIP_SEIZED, GRIP_STOPPED, GRIP_GONE, GRIP_NONE /* there was no time */ };

/* How a thread is stopped. */
struct thread_stop {
	pid_t tid;
	enum grip grip;
	struct stop stop;
};

struct stop_round {
	struct snapshot *snapshot;
	const struct snapshot *earlier;
	void (*look)(void *self, struct snapshot *snapshot);
	void *self;
	struct thread_stop *seized;
	size_t n, capacity;
	int number;                /* errno of the first thread that could not be seized */
	_Atomic pid_t stopper;     /* the thread that stops the others */
	_Atomic uint64_t began_ns; /* 0: not stopped yet */
};

static bool is_past(const struct snapshot *snapshot, unsigned ms)
{
	return clock_now_ns() - snapshot->began_ns > (uint64_t)ms * 1000000;
}

void snapshot_unlimit(struct snapshot *snapshot)
{
	snapshot_pages_limit(snapshot->pages, false);
}

size_t snapshot_refused(const struct snapshot *snapshot)
{
	return snapshot_pages_refused(snapshot->pages);
}

bool snapshot_is_late(const struct snapshot *snapshot)
{
	return !snapshot->is_halted && is_past(snapshot, SNAPSHOT_LOOK_MS);
}

static bool snapshot_is_seized(const struct stop_round *round, pid_t tid)
{
	for (size_t i = round->n; i > 0; i--)
		if (round->seized[i - 1].tid == tid)
			return true;
	return false;
}

/* A thread that ends meanwhile is no failure. False: already seized. */
static bool snapshot_seize(struct stop_round *round, pid_t tid)
{
	const bool late = is_past(round->snapshot, SNAPSHOT_STOP_MS);

	if (snapshot_is_seized(round, tid) || round->n == THREADS_MAX)
		return false;
	if (!late && ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
		round->number = round->number ? round->number : errno;
		return false;
	}
	if (!late)
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	round->seized =
		mem_grow(round->seized, &round->capacity, round->n + 1, sizeof(*round->seized));
	round->seized[round->n++] =
		(struct thread_stop){.tid = tid, .grip = late ? GRIP_NONE : GRIP_SEIZED};
	return true;
}

struct listed {
	struct stop_round *round;
	bool any_new;
};

static void seize_one(void *context, pid_t tid)
{
	struct listed *listed = context;

	listed->any_new |= snapshot_seize(listed->round, tid);
}

/* Seize the listed threads. False: none was new. */
static bool seize_listed(struct stop_round *round)
{
	struct listed listed = {.round = round};

	if (!proc_each_thread(round->snapshot->pid, seize_one, &listed))
		round->number = round->number ? round->number : ESRCH;
	return listed.any_new;
}

/* Does not block. */
static void wait_for_stop(struct thread_stop *one)
{
	int status;

	if (one->grip != GRIP_SEIZED || waitpid(one->tid, &status, __WALL | WNOHANG) != one->tid)
		return;
	one->stop = wait_status_decode(one->tid, status);
	one->grip = WIFSTOPPED(status) ? GRIP_STOPPED : GRIP_GONE;
}

static bool wait_for_stops(struct stop_round *round)
{
	bool all = true;

	for (size_t i = 0; i < round->n; i++) {
		wait_for_stop(&round->seized[i]);
		all &= round->seized[i].grip != GRIP_SEIZED;
	}
	return all;
}

/* New threads may appear as long as one runs. */
static void snapshot_stop_all(struct stop_round *round)
{
	const struct timespec moment = {.tv_nsec = 20000};
	bool all;

	do {
		while (seize_listed(round) && !is_past(round->snapshot, SNAPSHOT_STOP_MS))
			;
		all = wait_for_stops(round);
		if (all && !seize_listed(round))
			return;
		nanosleep(&moment, NULL);
	} while (!is_past(round->snapshot, SNAPSHOT_STOP_MS));
}

static void take_registers(struct stop_round *round, struct stopped_thread *thread)
{
	struct user_fpregs_struct fp;
	uint64_t xmm[16];
	bool has_xmm;

	thread->is_held = ptrace(PTRACE_GETREGS, thread->tid, NULL, &thread->raw) == 0;
	if (!thread->is_held)
		return;
	has_xmm = ptrace(PTRACE_GETFPREGS, thread->tid, NULL, &fp) == 0;
	for (int i = 0; has_xmm && i < 16; i++)
		memcpy(&xmm[i], &fp.xmm_space[4 * i], sizeof(xmm[i]));
	snapshot_thread_held(round->snapshot, round->earlier, has_xmm ? xmm : NULL, thread);
}

static void snapshot_take_thread(struct stop_round *round, const struct thread_stop *one)
{
	struct snapshot *snapshot = round->snapshot;
	struct stopped_thread *thread = &snapshot->threads[snapshot->n_threads];

	if (one->grip == GRIP_GONE)
		return;
	*thread = (struct stopped_thread){
		.tid = one->tid,
		.is_stopped = one->stop.kind == STOP_GROUP,
		.signal = one->stop.kind == STOP_SIGNAL ? one->stop.number : 0,
	};
	snapshot_thread_name(thread);
	if (one->grip == GRIP_STOPPED)
		take_registers(round, thread);
	else
		snapshot_thread_unstopped(thread);
	snapshot->n_threads++;
}

static void take_all(struct stop_round *round)
{
	round->snapshot->threads = mem_alloc((round->n + 1) * sizeof(*round->snapshot->threads));
	for (size_t i = 0; i < round->n; i++)
		snapshot_take_thread(round, &round->seized[i]);
}

/* Only a stopped thread can be detached. */
static void snapshot_let_go(struct thread_stop *one)
{
	struct user_regs_struct registers;
	const pid_t tid = one->tid;
	long signal = 0;

	wait_for_stop(one);
	if (one->grip != GRIP_STOPPED)
		return;
	if (one->stop.kind == STOP_SIGNAL)
		signal = one->stop.number;
	if ((one->stop.kind == STOP_EVENT ||
	     (signal && syscall_restart_is_ignored(tid, (int)signal))) &&
	    ptrace(PTRACE_GETREGS, tid, NULL, &registers) == 0 &&
	    syscall_restart_repeat(tid, &registers))
		ptrace(PTRACE_SETREGS, tid, NULL, &registers);
	ptrace(PTRACE_DETACH, tid, NULL, signal);
	one->grip = GRIP_GONE;
}

/*
 * Threads not stopped in time, as others have the processors, stop later, and their calls must be
 * restarted too. Uninterruptible ones go when their tracer, this thread, ends.
 */
static void let_go_late(struct stop_round *round)
{
	const struct timespec moment = {.tv_nsec = 50000};
	const uint64_t began = clock_now_ns();
	bool any = true;

	while (any && clock_now_ns() - began < LATE_MS * UINT64_C(1000000)) {
		const bool look = clock_now_ns() - began > ASLEEP_MS * UINT64_C(1000000);

		any = false;
		for (size_t i = 0; i < round->n; i++) {
			struct thread_stop *one = &round->seized[i];

			snapshot_let_go(one);
			any |= one->grip == GRIP_SEIZED &&
			       !(look && proc_state(one->tid) == SLEEPS_DEEPLY);
		}
		if (any)
			nanosleep(&moment, NULL);
	}
}

static void *round_run(void *self)
{
	struct stop_round *round = self;
	struct snapshot *snapshot = round->snapshot;

	atomic_store(&round->stopper, gettid());
	atomic_store(&round->began_ns, clock_now_ns());
	snapshot->began_ns = round->began_ns;
	snapshot_pages_until(snapshot->pages,
			     snapshot->began_ns + (uint64_t)SNAPSHOT_LOOK_MS * 1000000);
	snapshot_stop_all(round);
	take_all(round);
	if (round->look && snapshot->n_threads)
		round->look(round->self, snapshot);
	for (size_t i = 0; i < round->n; i++)
		snapshot_let_go(&round->seized[i]);
	snapshot_pages_limit(snapshot->pages, true);
	snapshot->held_ns = clock_now_ns() - snapshot->began_ns;
	atomic_store(&round->began_ns, 0);
	let_go_late(round);
	return NULL;
}

static int by_process(const void *a, const void *b)
{
	const struct stopped_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/*
 * Wait until it has ended, or is stuck in a read. If it only waits for a processor it will detach
 * in order; ending it earlier would make system calls of the process fail.
 */
static bool snapshot_join(struct stop_round *round, pthread_t thread)
{
	unsigned asleep = 0;

	for (;;) {
		const struct timespec limit =
			clock_timespec(clock_now_ns() + JOIN_MS * UINT64_C(1000000));
		uint64_t began, lasts;

		if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &limit) == 0)
			return true;
		began = atomic_load(&round->began_ns);
		lasts = began ? (clock_now_ns() - began) / 1000000 : 0;
		asleep = lasts > SNAPSHOT_LOOK_MS && proc_state(round->stopper) == SLEEPS_DEEPLY
				 ? asleep + 1
				 : 0;
		if (lasts > LATE_MS || (lasts > SNAPSHOT_STUCK_MS && asleep >= STUCK_LOOKS))
			return false;
	}
}

/* False: it does not return, and what it uses cannot be freed. */
static bool run_in_thread(struct stop_round *round, struct err *err)
{
	pthread_t thread;
	const int failed = pthread_create(&thread, NULL, round_run, round);

	if (failed)
		return err_set_errno(err, ERR_TARGET, failed, "no thread to trace with");
	return snapshot_join(round, thread) ||
	       err_set(err, ERR_TARGET,
		       "process %d could not be looked at in %d ms, and is let go: try again",
		       (int)round->snapshot->pid, SNAPSHOT_STUCK_MS);
}

/* Run ahead of busy threads, if permitted. The stopping thread inherits the priority. */
static bool run_urgently(struct stop_round *round, struct err *err)
{
	const struct sched_param urgent = {.sched_priority = 1};
	const int policy = sched_getscheduler(0);
	struct sched_param before;
	bool changed, ok;

	changed = policy >= 0 && sched_getparam(0, &before) == 0 &&
		  sched_setscheduler(0, SCHED_RR, &urgent) == 0;
	ok = run_in_thread(round, err);
	if (changed)
		sched_setscheduler(0, policy, &before);
	return ok;
}

static bool round_check(const struct stop_round *round, struct err *err)
{
	struct snapshot *snapshot = round->snapshot;

	if (!snapshot->n_threads)
		return ptrace_access_explain(snapshot->pid, round->number ? round->number : ESRCH,
					     err);
	qsort(snapshot->threads, snapshot->n_threads, sizeof(*snapshot->threads), by_process);
	return true;
}

struct snapshot *snapshot_create(pid_t pid)
{
	struct snapshot *snapshot = mem_alloc(sizeof(*snapshot));

	snapshot->pid = pid;
	snapshot->pages = snapshot_pages_create(pid);
	snapshot->memory = (struct memory){snapshot_pages_read, snapshot->pages};
	return snapshot;
}

bool snapshot_take(pid_t pid, const struct snapshot *earlier,
		   void (*look)(void *self, struct snapshot *snapshot), void *self,
		   struct snapshot **ret, struct err *err)
{
	struct stop_round *round;
	sigset_t all, before;
	bool ok;

	if (!ptrace_access_check(pid, err))
		return false;
	round = mem_alloc(sizeof(*round));
	*round = (struct stop_round){.earlier = earlier, .look = look, .self = self};
	round->snapshot = snapshot_create(pid);
	/* A signal that killed us meanwhile would make system calls of the process fail. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ok = run_urgently(round, err);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!ok)
		return false;
	ok = round_check(round, err);
	if (ok)
		*ret = round->snapshot;
	else
		snapshot_destroy(round->snapshot);
	free(round->seized);
	free(round);
	return ok;
}

void snapshot_destroy(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	snapshot_pages_destroy(snapshot->pages);
	free(snapshot->threads);
	free(snapshot);
}
