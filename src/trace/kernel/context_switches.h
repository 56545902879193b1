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
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user_stack.h"

struct context_switches;

/* What is noted beside switches. */
struct switch_samples {
	uint64_t period_ns; /* a sample after each of the thread's time on a processor; 0: none */
	uint32_t stack;     /* bytes of the stack that a sample has, a multiple of 8; 0: none */
	/* Run-time: passing one is noted, by a debug register of the processor each. */
	const uint64_t *addresses;
	size_t n_addresses; /* at most SWITCH_ADDRESSES */
};

enum { SWITCH_ADDRESSES = 4 };

struct context_switch {
	uint64_t when_ns;
	unsigned processor;
	bool off;       /* taken from it; else put on it */
	bool preempted; /* `off` while still runnable */
	bool is_sample; /* no switch: it runs at `pc` */
	bool is_pass;   /* neither: it passed the address `pc` */
	uint64_t pc;    /* run-time, outside of the kernel */
	/* Of a sample with a stack, until the next is taken; else NULL. */
	const struct user_stack *stack;
};

/* @tid 0: the calling thread. NULL: not permitted, not possible, or the thread is gone. */
struct context_switches *context_switches_open(pid_t tid);
/* With samples. NULL: see errno. */
struct context_switches *context_switches_open_sampled(pid_t tid,
						       const struct switch_samples *samples);
void context_switches_close(struct context_switches *switches); /* NULL is fine */

/* Is the ring full? Then later switches may be missing. */
bool context_switches_full(const struct context_switches *switches);

/* Did _take() since the last call come to where records are missing? */
bool context_switches_lost(struct context_switches *switches);

/* Take the oldest; false: none. */
bool context_switches_take(struct context_switches *switches, struct context_switch *ret);
