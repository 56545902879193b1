/* By sched(7), which is of one thread, and setrlimit(2). */
#include "tracer_limits.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "message.h"
#include "trace/kernel/proc.h"

/* Urgency in one number: minus nice(1), from -19 to 20; or one of SCHED_IDLE, or real-time. */
enum { IDLE = -21, REAL_TIME = 100 };

static const uint64_t LOOK_NS = 1000000000;

static int urgency_of(pid_t tid)
{
	const int policy = sched_getscheduler(tid);
	struct sched_param real_time;

	if (policy < 0 || sched_getparam(tid, &real_time) != 0)
		return IDLE; /* it has ended */
	if (real_time.sched_priority)
		return REAL_TIME + real_time.sched_priority;
	return (policy & ~SCHED_RESET_ON_FORK) == SCHED_IDLE
		       ? IDLE
		       : -getpriority(PRIO_PROCESS, (id_t)tid);
}

/* Children and writers of ours are not real-time; who is without rights cannot take that back. */
static bool urgency_take(int urgency)
{
	const struct sched_param priority = {urgency > REAL_TIME ? urgency - REAL_TIME : 0};
	const int policy = urgency > REAL_TIME ? SCHED_RR | SCHED_RESET_ON_FORK
			   : urgency == IDLE   ? SCHED_IDLE
					       : SCHED_OTHER;

	if (sched_setscheduler(0, policy, &priority) != 0 &&
	    sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &priority) != 0)
		return false;
	return priority.sched_priority || urgency == IDLE ||
	       setpriority(PRIO_PROCESS, 0, -urgency) == 0;
}

static void urgency_print(int urgency, char ret[32])
{
	if (urgency > REAL_TIME)
		snprintf(ret, 32, "real-time priority %d", urgency - REAL_TIME);
	else if (urgency == IDLE)
		snprintf(ret, 32, "SCHED_IDLE");
	else
		snprintf(ret, 32, "nice %d", -urgency);
}

static int urgency_most(const pid_t *tids, size_t n)
{
	int most = IDLE;

	for (size_t i = 0; i < n; i++) {
		const int urgency = urgency_of(tids[i]);

		most = urgency > most ? urgency : most;
	}
	return most;
}

bool tracer_limits_is_due(const struct tracer_urgency *urgency)
{
	return urgency->looked_ns && clock_now_ns() - urgency->looked_ns >= LOOK_NS;
}

const char *tracer_limits_hurry_as(struct tracer_urgency *urgency, const pid_t *tids, size_t n,
				   struct arena *arena)
{
	const int own = urgency_of(0), theirs = urgency_most(tids, n);
	char ours_text[32], theirs_text[32];

	if (!urgency->is_raised)
		*urgency = (struct tracer_urgency){.is_raised = true, .before = own};
	urgency->looked_ns = clock_now_ns();
	if (own >= theirs || urgency_take(theirs))
		return NULL;
	urgency->looked_ns = 0;
	urgency_print(own, ours_text);
	urgency_print(theirs, theirs_text);
	return arena_printf(arena,
			    "the program waits at every stop for this process, which is less "
			    "urgent (%s, the program has %s) and may not become as urgent: "
			    "run fathom without nice, or with sudo",
			    ours_text, theirs_text);
}

const char *tracer_limits_hurry(struct tracer_urgency *urgency, pid_t program, struct arena *arena)
{
	pid_t *tids;
	const size_t n = proc_threads(program, &tids);
	const char *note = tracer_limits_hurry_as(urgency, tids, n, arena);

	free(tids);
	return note;
}

void tracer_limits_release(struct tracer_urgency *urgency)
{
	if (urgency->is_raised && urgency->before < urgency_of(0))
		urgency_take(urgency->before);
	*urgency = (struct tracer_urgency){0};
}

void tracer_limits_hurry_on(pid_t program, bool quiet)
{
	struct arena *arena = arena_create();
	struct tracer_urgency ignored = {0};
	const char *note = tracer_limits_hurry(&ignored, program, arena);

	if (note && !quiet)
		message_note("%s", note);
	arena_destroy(arena);
}

/*
 * At the hard limit the kernel kills at once: so much is kept for detaching and for models. These
 * are ended by a second SIGXCPU, a second later; what was measured is mostly loaded then.
 */
static rlim_t time_kept(rlim_t all)
{
	const rlim_t half = all / 2, part = 4 + all / 10;

	return half < part ? half : part;
}

const char *tracer_limits_lift(struct arena *arena)
{
	struct rlimit limit, wanted = {RLIM_INFINITY, RLIM_INFINITY};

	if (getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	    setrlimit(RLIMIT_CPU, &wanted) == 0)
		return NULL;
	wanted = (struct rlimit){limit.rlim_max, limit.rlim_max};
	if (limit.rlim_max != RLIM_INFINITY)
		wanted.rlim_cur -= time_kept(limit.rlim_max);
	if (setrlimit(RLIMIT_CPU, &wanted) != 0)
		wanted = limit;
	if (wanted.rlim_cur == RLIM_INFINITY)
		return NULL;
	return arena_printf(arena,
			    "the measurement ends when this process has used %lu s of processor "
			    "time, as it may not raise the limit (ulimit -t): run fathom from a "
			    "shell without one, or with sudo",
			    (unsigned long)wanted.rlim_cur);
}
