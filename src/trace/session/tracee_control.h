/*
 * Tracees come, change and go, and each goes on when its stop was handled. Private to trace/ and
 * its tests.
 */
#pragma once

#include "trace/state/engine.h"

struct tracee *tracee_add(struct session *session, pid_t tid, enum tracee_role role,
			  struct inferior *inferior);
/* What was unknown about @tracee is known. */
void tracee_settle(struct session *session, struct tracee *tracee, enum tracee_role role,
		   struct inferior *inferior);
void tracee_remove(struct session *session, struct tracee *tracee);
/* Let @tracee, which is stopped, go on as its stop wants it. */
void tracee_go_on(struct session *session, struct tracee *tracee);
/* Nothing is shared with a tracee until one goes on: what is done meanwhile may take long. */
void tracee_rest(struct session *session);
/* Signal handlers, and those that look after us, must not see a PC in our scratch memory. */
void tracee_leave_slot(struct session *session, struct tracee *tracee);
/* A system call that fails only because we interrupted it is made again; see syscall_restart.h. */
void tracee_call_again(struct session *session, struct tracee *tracee);
