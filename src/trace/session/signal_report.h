/* Signals that a prompt is told of. */
#pragma once

#include "trace/state/engine.h"

/* Queue what @stop of @tracee tells a prompt. */
void signal_report_look(struct session *session, struct tracee *tracee, const struct stop *stop);
/* Continue processes stopped by a signal. */
void signal_report_continue(struct session *session);
