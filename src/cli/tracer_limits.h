/*
 * What this process may take of the machine while somebody waits for it: its urgency (nice(1)) and
 * its processor time (ulimit -t). A launched program keeps its own: call these after the launch,
 * but before an attach, which stops the program.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"

/*
 * Become no less urgent than any thread of @program: they wait for this one while they are stopped.
 * *@ret is to be given to _release(). Returns a note (of @arena) if that is not allowed, else NULL.
 */
const char *tracer_limits_hurry(pid_t program, struct arena *arena, int *ret);

void tracer_limits_release(int before);

/* For a command that ends with what it does to @program: the note, if any, is printed. */
void tracer_limits_hurry_on(pid_t program, bool quiet);

/*
 * Lift the limit of processor time as far as allowed. If one is left a SIGXCPU comes before it, and
 * this returns a note (of @arena); else NULL.
 */
const char *tracer_limits_lift(struct arena *arena);
