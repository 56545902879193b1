/*
 * What this process may take of the machine while somebody waits for it: its urgency (sched(7)) and
 * its processor time (ulimit -t). A launched program keeps its own: call these after the launch,
 * but before an attach, which stops the program.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

/* Zeroed before the first use. */
struct tracer_urgency {
	bool is_raised;
	int before;         /* in the terms of tracer_limits.c */
	uint64_t looked_ns; /* at the program's; 0: it was told that it may not be raised */
};

/*
 * Become no less urgent than any thread of @program: they wait for this one while they are stopped.
 * Returns a note (of @arena) if that is not allowed, else NULL.
 */
const char *tracer_limits_hurry(struct tracer_urgency *urgency, pid_t program, struct arena *arena);

/* Threads may become more urgent, and others join: a second has passed since the last look. */
bool tracer_limits_is_due(const struct tracer_urgency *urgency);
/* The same as _hurry(), by these threads. */
const char *tracer_limits_hurry_as(struct tracer_urgency *urgency, const pid_t *tids, size_t n,
				   struct arena *arena);

void tracer_limits_release(struct tracer_urgency *urgency);

/* For a command that ends with what it does to @program: the note, if any, is printed. */
void tracer_limits_hurry_on(pid_t program, bool quiet);

/*
 * Lift the limit of processor time as far as allowed. If one is left a SIGXCPU comes before it, and
 * this returns a note (of @arena); else NULL.
 */
const char *tracer_limits_lift(struct arena *arena);
