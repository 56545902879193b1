/*
 * The supervisor: the process that the user started, or the child of its front (base/front.h). It
 * forks the tracer, and keeps the death of either from harming the tracees.
 *
 * It forwards signals. If it is killed, the tracer gets a SIGTERM. If the tracer dies, the
 * supervisor frees the tracees: it traces the tracer, so that the kernel stops the tracer at its
 * very end (PTRACE_EVENT_EXIT, also after SIGKILL), while all tracees are still stopped. On fatal
 * signals that it can catch, the tracer frees its tracees itself. If both are killed, a third
 * process does it, the keeper, which sleeps until then.
 *
 * The tracer has its own process group, so that signals typed at the terminal reach it only through
 * the supervisor. While the terminal stops the supervisor the measurement goes on; a tracer that
 * is stopped is continued.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct recovery;

/* Which process this is after the fork. */
enum supervised {
	SUPERVISED_TRACER, /* go on, then supervisor_end() */
	/* the supervisor; the tracer ended with *ret_status, as exit(3) wants it */
	SUPERVISED_OVER,
};

enum { SUPERVISED_KILLED = 128 }; /* as a shell has it */

/*
 * Fork. In the tracer *@ret is the guard for its session. ERR_IO, ERR_TARGET: no fork happened. A
 * tracer killed by a signal has the status SUPERVISED_KILLED plus its number.
 */
bool supervisor_start(enum supervised *ret_role, struct recovery **ret, int *ret_status,
		      struct err *err);

/* In the tracer, when nothing is traced any more. Takes @guard. */
void supervisor_end(struct recovery *guard);
