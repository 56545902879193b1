/*
 * The supervisor: the process that the user started. It forks the one that traces (the tracer), and
 * sees to it that nothing that happens to either harms what is traced.
 *
 * Signals to the supervisor are passed on. If it is killed, the tracer gets a SIGTERM. If the
 * tracer dies, the supervisor frees what it traced: it traces the tracer, so that the kernel stops
 * the tracer at its very end (PTRACE_EVENT_EXIT, also after SIGKILL), while all tracees are still
 * held. Of signals that it can catch the tracer frees its tracees itself, before it dies.
 *
 * The tracer is in a process group of its own, so that what is typed at the terminal comes to it by
 * way of the supervisor alone. While the supervisor is stopped by the terminal the measurement goes
 * on.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct recovery;

/* What has become of this process. */
enum supervised {
	SUPERVISED_TRACER, /* go on, then supervisor_end() */
	/* it was the supervisor; the tracer ended with *ret_status, as exit(3) wants it */
	SUPERVISED_OVER,
};

enum { SUPERVISED_KILLED = 128 }; /* as a shell has it */

/*
 * Fork. In the tracer *@ret is the guard for its session. ERR_IO, ERR_TARGET: there was no fork.
 * A tracer that was killed by a signal gives SUPERVISED_KILLED and its number.
 */
bool supervisor_start(enum supervised *ret_role, struct recovery **ret, int *ret_status,
		      struct err *err);

/* In the tracer: nothing is traced any more. Takes @guard. */
void supervisor_end(struct recovery *guard);
