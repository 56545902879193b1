/* Detaching from all tracees. */
#pragma once

#include "trace/state/engine.h"

/* Lift all breakpoints and detach, leaving no trace. */
void session_leave(struct session *session);
/* A stop of a tracee that could not be stopped then. */
void session_leave_late(struct session *session, const struct stop *stop);
