/*
 * Letting everybody go. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/* Lift all breakpoints, let all tracees go as if nobody had been there. */
void session_leave(struct session *session);
/* A stop of somebody who could not be stopped then. */
void session_leave_late(struct session *session, const struct stop *stop);
