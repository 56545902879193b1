/* Tracees come, change, go, and are resumed after a stop. */
#pragma once

#include "trace/state/engine.h"

struct tracee *tracee_add(struct session *session, pid_t tid, enum tracee_role role,
			  struct inferior *inferior);
/* The role of @tracee, unknown before, is known. */
void tracee_settle(struct session *session, struct tracee *tracee, enum tracee_role role,
		   struct inferior *inferior);
void tracee_remove(struct session *session, struct tracee *tracee);
/* Resume the stopped @tracee as its stop requires. */
void tracee_go_on(struct session *session, struct tracee *tracee);
/* Have the stopped @tracee's debug registers be @wanted; that it cannot is noted once. */
void tracee_set_debug(struct session *session, struct tracee *tracee,
		      const struct debug_registers *wanted);
/* Its open calls, but one that begins in this stop, are halted in their middle: no samples. */
void tracee_mark_halted(const struct tracee *tracee);
/* Share no processor until a tracee is resumed: work meanwhile may take long. */
void tracee_rest(struct session *session);
/* Rings may have been drained: are stops frequent enough to share a processor? */
void tracee_share(struct session *session);
/* Signal handlers and unwinders must not see a PC in scratch memory. */
void tracee_leave_slot(struct session *session, struct tracee *tracee);
/* Restart a system call that failed only as we interrupted it; see syscall_restart.h. */
void tracee_call_again(struct session *session, struct tracee *tracee);
