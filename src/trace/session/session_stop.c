/* Stops while all stay stopped. */
#include "trace/call/call_counters.h"
#include "session_inner.h"
#include "stop_dispatch.h"
#include "trace/state/tracee_table.h"

/*
 * A thread interrupted right after an int3 still has a SIGTRAP pending. Let it report that first:
 * until then, no system call can be injected. One in a group-stop returns to it.
 */
static void settle_trap(struct session *session, struct tracee *tracee, const struct stop *stop)
{
	const struct target *target = &session->target;
	uint64_t resumed_ns;

	tracee->asked = false;
	tracee->stopped = false;
	tracee->stop_again = stop->kind == STOP_GROUP;
	tracee->stops++;
	call_counters_stop(tracee, stop);
	target->ops->resume(target->self, tracee->tid, 0, &resumed_ns);
	tracee->stopped_ns += resumed_ns - stop->when_ns;
}

void session_stop_halted(struct session *session, const struct stop *stop)
{
	const struct target *target = &session->target;
	struct tracee *tracee = tracee_find(session, stop->tid);

	if (tracee && (stop->kind == STOP_EVENT || stop->kind == STOP_GROUP) &&
	    target->ops->has_trap(target->self, stop->tid)) {
		settle_trap(session, tracee, stop);
		return;
	}
	stop_dispatch(session, stop);
	session->current = NULL;
	tracee = tracee_find(session, stop->tid);
	if (tracee && tracee->stopped && tracee->stop_again) {
		tracee->stop_again = false;
		target->ops->interrupt(target->self, tracee->tid);
	}
}
