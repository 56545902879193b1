/*
 * Stopping everybody. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/*
 * Stop everybody, and resume nobody; stops go to @on_stop. Who cannot be stopped (uninterruptible
 * sleep) is left running.
 */
void stop_all_tracees(struct session *session,
		      void (*on_stop)(struct session *session, const struct stop *stop));
