/* What each stop costs, and which function's budget pays for it. */
#pragma once

#include "trace/state/engine.h"

struct breakpoint;

/* Before @tracee's hit is handled: find who pays (tracee->charged). */
void stop_cost_hit(struct tracee *tracee, const struct breakpoint *breakpoint);
/* @tracee is resumed at @resumed_ns: charge its stop. */
void stop_cost_resumed(struct tracee *tracee, struct session *session, uint64_t resumed_ns);
