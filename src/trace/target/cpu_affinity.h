/*
 * One processor for tracer and tracee, while the inferior has one thread.
 *
 * Waking the tracer on another processor, perhaps asleep, takes tens of microseconds and varies; on
 * the tracee's own it is a task switch. So the tracer pins itself to a processor and has the tracee
 * woken there: its affinity is narrowed while it is stopped, and restored when it is queued there,
 * before it runs. To ensure that, and to see stops at once on a busy machine, the tracer has the
 * least real-time priority, which its children do not inherit; where that is not permitted, nothing
 * is shared. The inferior never sees another affinity than its own.
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
	cpu_set_t own;          /* the tracer's previous affinity */
	int policy;             /* and scheduling policy */
	struct recovery *guard; /* records the narrowed affinity; may be NULL */
	struct sched_param priority;
	cpu_set_t tracees;   /* the tracee's affinity, to be restored */
	bool fixed;          /* it allows one processor alone: nothing to narrow */
	uint64_t checked_ns; /* last look at where the tracee runs */
};

/* From now on the stopped @tid shares; not if the kernel refuses. */
void cpu_affinity_share_begin(struct cpu_affinity *share, pid_t tid, uint64_t now_ns);
void cpu_affinity_share_end(struct cpu_affinity *share);

/* Around the request that resumes @tid. _after() belongs to a _before() that returned true. */
bool cpu_affinity_share_before(struct cpu_affinity *share, pid_t tid, uint64_t now_ns);
void cpu_affinity_share_after(struct cpu_affinity *share, pid_t tid);
