/*
 * What this process may take of the machine while somebody waits for it: its urgency (nice(1)) and
 * its processor time (ulimit -t). A launched program keeps its own: call these after the launch.
 */
#pragma once

#include <sys/types.h>

#include "base/arena.h"

/*
 * Become no less urgent than @program, whose threads wait for this one while they are stopped.
 * *@ret is to be given to _release(). Returns a note (of @arena) if that is not allowed, else NULL.
 */
const char *tracer_limits_hurry(pid_t program, struct arena *arena, int *ret);

void tracer_limits_release(int before);

/*
 * Lift the limit of processor time as far as allowed. If one is left a SIGXCPU comes before it, and
 * this returns a note (of @arena); else NULL.
 */
const char *tracer_limits_lift(struct arena *arena);
