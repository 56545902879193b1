/*
 * Switches: when a thread was put on a processor, and when it was taken off; on request also
 * samples of its program counter, in the same order.
 *
 * The kernel records them for us (PERF_RECORD_SWITCH of perf_event_open(2), permitted for one's own
 * processes where perf_event_paranoid is at most 2), with CLOCK_MONOTONIC time, in shared memory:
 * reading them takes no system call. While that is full nothing is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct context_switches;

struct context_switch {
	uint64_t when_ns;
	unsigned processor;
	bool off;       /* taken from it; else put on it */
	bool preempted; /* `off` while still runnable */
	bool is_sample; /* no switch: it runs at `pc` */
	uint64_t pc;    /* run-time, outside of the kernel */
};

/* @tid 0: the calling thread. NULL: not permitted, not possible, or the thread is gone. */
struct context_switches *context_switches_open(pid_t tid);
/* With a sample after each @period_ns of the thread's time on a processor. NULL: see errno. */
struct context_switches *context_switches_open_sampled(pid_t tid, uint64_t period_ns);
void context_switches_close(struct context_switches *switches); /* NULL is fine */

/* Is the ring full? Then later switches may be missing. */
bool context_switches_full(const struct context_switches *switches);

/* Take the oldest; false: none. */
bool context_switches_take(struct context_switches *switches, struct context_switch *ret);
