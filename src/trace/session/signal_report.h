/*
 * What a prompt is to know of signals. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/* @tracee has come to @stop. What a prompt is to know is queued. */
void signal_report_look(struct session *session, struct tracee *tracee, const struct stop *stop);
/* Those that a signal has stopped go on. */
void signal_report_continue(struct session *session);
