/* Measuring a program that runs already. */
#pragma once

#include "trace/state/engine.h"

/*
 * Measure @catalogue (NULL: nothing) in the running @inferior, whose threads are seized.
 * ERR_TARGET: it has no thread that can be stopped.
 */
bool attach_running(struct session *session, struct inferior *inferior,
		    const struct catalogue *catalogue, struct err *err);
