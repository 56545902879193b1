/* Stopping all tracees. */
#pragma once

#include "trace/state/engine.h"

/*
 * Stop all, resume none, pass stops to @on_stop. Leaves those in uninterruptible sleep running. Who
 * is to get a SIGSTOP or the like has it then.
 */
void stop_all_tracees(struct session *session,
		      void (*on_stop)(struct session *session, const struct stop *stop));
