/*
 * Switches: when a thread was put on a processor, and when it was taken from it.
 *
 * The kernel writes that down for us (PERF_RECORD_SWITCH of perf_event_open(2), which every user
 * may have of his own processes where perf_event_paranoid is at most 2), with the time of
 * CLOCK_MONOTONIC, in memory that both share. So it costs no system call to look. When that is full
 * nothing is written down until somebody looks.
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
	bool preempted; /* `off`, though it could have gone on */
};

/* @tid 0: the calling thread. NULL: not permitted, not possible, or the thread is gone. */
struct context_switches *context_switches_open(pid_t tid);
void context_switches_close(struct context_switches *switches); /* NULL is fine */

/* Some may be missing behind those that can be taken. */
bool context_switches_full(const struct context_switches *switches);

/* Take the oldest one. False: there is none. */
bool context_switches_take(struct context_switches *switches, struct context_switch *ret);
