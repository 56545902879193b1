/*
 * One processor for tracer and tracee, while the inferior has one thread.
 *
 * A stop wakes the tracer. On another processor, which idles meanwhile and may be asleep, that
 * takes tens of microseconds and varies; on the tracee's own it is a switch of tasks. So the tracer
 * pins itself to a processor and has the tracee woken there: its affinity is narrowed while it is
 * still stopped, and given back when it is queued there, before it runs. So that it cannot run
 * earlier, and a stop is seen at once on a busy machine too, the tracer has the least real-time
 * priority, which what it forks does not inherit; where that is not permitted, nothing is shared.
 * The inferior never sees another affinity than its own.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct recovery;

struct cpu_affinity {
	bool active;
	int processor;
	cpu_set_t own;          /* the tracer's affinity before */
	int policy;             /* and its way of being scheduled */
	struct recovery *guard; /* is told whose affinity is not its own; may be NULL */
	struct sched_param priority;
	cpu_set_t tracees;   /* the tracee's affinity, to be given back */
	bool fixed;          /* which allows one processor alone: nothing to narrow */
	uint64_t checked_ns; /* when it was last looked where the tracee runs */
};

/* From now on @tid, which is stopped, shares. Where the kernel refuses, nothing is shared. */
void cpu_affinity_share_begin(struct cpu_affinity *share, pid_t tid, uint64_t now_ns);
void cpu_affinity_share_end(struct cpu_affinity *share);

/* Around the request that resumes @tid. _after() belongs to a _before() that returned true. */
bool cpu_affinity_share_before(struct cpu_affinity *share, pid_t tid, uint64_t now_ns);
void cpu_affinity_share_after(struct cpu_affinity *share, pid_t tid);
