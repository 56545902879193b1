/* Halting all threads for a prompt, and letting them go on. stop_all.c stops them. */
#include "trace/session_halt.h"

#include <signal.h>

#include "trace/state/engine.h"
#include "trace/call/probe_control.h"
#include "trace/probe/governor.h"
#include "stop_all.h"
#include "trace/ring/ring_drain.h"
#include "signal_report.h"
#include "session_inner.h"
#include "session_pads.h"
#include "trace/state/tracee_table.h"
#include "tracee_control.h"

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

void session_rest(struct session *session)
{
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);

	if (session->halted || session->left)
		return;
	probe_control_rest(session, now_ns);
	if (session->ring) {
		session->ring->due_ns = 0;
		ring_drain_due(session, now_ns);
	}
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
		tracee_mark_halted(tracee);
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

bool session_hold(struct session *session, pid_t tid)
{
	const struct target *target = &session->target;
	struct tracee *tracee = tracee_find(session, tid);

	if (!tracee || tracee->role != TRACEE_THREAD || tracee->exiting || session->left)
		return false;
	tracee->held = true;
	if (!tracee->stopped && !tracee->asked)
		tracee->asked = target->ops->interrupt(target->self, tid);
	return true;
}

bool session_is_held(const struct session *session, pid_t tid)
{
	const struct tracee *tracee = tracee_find(session, tid);

	return tracee && tracee->held && tracee->stopped && tracee != session->current;
}

void session_release(struct session *session, pid_t tid)
{
	struct tracee *tracee = tracee_find(session, tid);

	if (!tracee || !tracee->held)
		return;
	tracee->held = false;
	if (tracee->stopped && tracee != session->current && !session->halted && !session->left)
		tracee_go_on(session, tracee);
}

size_t session_threads(const struct session *session, pid_t *ret, size_t capacity)
{
	const struct tracee *tracee, *next;
	size_t n = 0;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->role == TRACEE_THREAD && !tracee->exiting && n < capacity)
			ret[n++] = tracee->tid;
	return n;
}

void session_count(struct session *session)
{
	if (session->ring)
		session->ring->due_ns = 0;
	ring_drain_due(session, session->target.ops->now_ns(session->target.self));
}

uint64_t session_begun(const struct session *session, unsigned function)
{
	return session->images[0]->functions[function].begun;
}

uint64_t session_begun_in(const struct session *session, unsigned function, pid_t tid)
{
	const struct tracee *tracee = tracee_find(session, tid);

	return tracee && tracee->pad && tracee->inferior->image == session->images[0]
		       ? tracee->pad->sums[function].begun
		       : 0;
}

bool session_load_bias(const struct session *session, pid_t process, uint64_t *ret)
{
	const struct inferior *inferior = session->inferiors;

	while (inferior && inferior->pid != process)
		inferior = inferior->next;
	if (!inferior || !session->n_images || inferior->image != session->images[0] ||
	    !inferior->modules || !inferior->modules[0].mapped)
		return false;
	*ret = inferior->modules[0].load_bias;
	return true;
}
