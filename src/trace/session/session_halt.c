/* Halting all threads for a prompt, and letting them go on. stop_all.c stops them. */
#include "trace/session_halt.h"

#include <signal.h>

#include "trace/call/call_counters.h"
#include "trace/state/engine.h"
#include "trace/probe/governor.h"
#include "stop_all.h"
#include "signal_report.h"
#include "session_inner.h"
#include "session_pads.h"
#include "stop_dispatch.h"
#include "trace/state/tracee_table.h"
#include "tracee_control.h"

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

bool session_halt(struct session *session, struct err *err)
{
	const struct target *target = &session->target;

	session->continuing = session->updating = false;
	if (session->halted)
		return true;
	if (session->tracees && !session->left) {
		session->current = NULL;
		session->halted = true;
		session->halted_at_ns = target->ops->now_ns(target->self);
		stop_all_tracees(session, session_stop_halted);
		session_pads_halt(session);
		tracee_rest(session);
	}
	if (session->tracees && session->halted)
		return true;
	session_end_halt(session);
	return err_set(err, ERR_TARGET,
		       "nobody is left who could be halted: the process has ended "
		       "or was let go");
}

bool session_is_halted(const struct session *session)
{
	return session->halted;
}

/* How much of its stop to charge to no call. */
static uint64_t halted_ns(const struct session *session, const struct tracee *tracee,
			  uint64_t now_ns)
{
	const uint64_t began_ns =
		tracee->stop_ns > session->halted_at_ns ? tracee->stop_ns : session->halted_at_ns;

	return now_ns > began_ns ? now_ns - began_ns : 0;
}

void session_end_halt(struct session *session)
{
	const struct target *target = &session->target;
	const uint64_t now_ns = target->ops->now_ns(target->self);
	struct tracee *tracee, *next;

	if (!session->halted)
		return;
	session->halted = session->holding = false;
	session->started = NULL;
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped)
			tracee->halted_ns += halted_ns(session, tracee, now_ns);
	governor_wait(session->governor, now_ns - session->halted_at_ns);
	session->resumed_ns += now_ns - session->halted_at_ns;
}

void session_excuse(struct session *session, uint64_t ns)
{
	struct tracee *tracee, *next;

	if (session->halted)
		return;
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped)
			tracee->halted_ns += ns;
	governor_wait(session->governor, ns);
	session->resumed_ns += ns;
}

/* The asker must be answered first. */
static bool is_answer_wanted(const struct session *session)
{
	size_t i;

	for (i = session->next_queued; i < session->n_queued; i++)
		if (session->queue[i].event.kind == SESSION_SIGNAL ||
		    session->queue[i].event.kind == SESSION_IMAGE)
			return true;
	return false;
}

/*
 * Open calls are halted in their middle, except one that begins in this stop. The prompt is told
 * their ends, also of those that were not chosen, of which it knows that by their ranks.
 */
static void mark_halted(const struct tracee *tracee)
{
	for (size_t i = 0; i < tracee->calls.n; i++) {
		struct open_call *call = &tracee->calls.calls[i];

		if (!call->start_ns)
			continue;
		call->halted = true;
		if (call->left_out)
			call->limit = call->rank;
		call->left_out = false;
	}
}

void session_continue(struct session *session)
{
	struct tracee *tracee, *next;

	session->continuing = session->halted && is_answer_wanted(session);
	if (!session->halted || session->continuing)
		return;
	session_pads_halt(session); /* those that stopped late, too */
	session_pads_resume(session);
	session_end_halt(session);
	signal_report_continue(session);
	HASH_ITER (hh, session->tracees, tracee, next) {
		mark_halted(tracee);
		if (!tracee->stopped)
			continue;
		tracee_call_again(session, tracee);
		tracee_go_on(session, tracee);
	}
}

/* Borrowers of another's memory are processes of their own. */
void session_kill(struct session *session)
{
	const struct target *target = &session->target;
	const struct inferior *inferior;
	struct tracee *tracee, *next;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		target->ops->send(target->self, inferior->pid, SIGKILL);
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->role == TRACEE_BORROWER)
			target->ops->send(target->self, tracee->tid, SIGKILL);
	session_end_halt(session);
}
