/*
 * Joining a running process whose threads are already seized. All are stopped while breakpoints are
 * planted, so that no thread is being born meanwhile; those in uninterruptible sleep, like the
 * parent of a vfork child, are not waited for.
 */
#include "attach_running.h"

#include <stdlib.h>

#include "stop_all.h"
#include "inferior.h"
#include "trace/probe/leftovers.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/pads.h"
#include "trace/state/event_queue.h"
#include "stop_dispatch.h"
#include "tracee_control.h"

static void add_borrowers(struct session *session, struct inferior *inferior)
{
	const struct target *target = &session->target;
	pid_t *tids;
	size_t n = target->ops->borrowers(target->self, inferior->pid, &tids);

	while (n--)
		tracee_add(session, tids[n], TRACEE_BORROWER, inferior);
	free(tids);
}

/* A thread that can make a system call for us; NULL: none. */
static struct tracee *find_helper(const struct inferior *inferior)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->stopped &&
		    tracee->role == TRACEE_THREAD && !tracee->in_call)
			return tracee;
	return NULL;
}

/*
 * Let threads that are just forking run to the end of that call. Parents of vfork children would
 * sleep in it. False: there are none.
 */
static bool end_forks(struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;
	uint64_t ignored_ns;
	bool any = false;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->role == TRACEE_BORROWER)
			return false;
	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped || !tracee->in_call)
			continue;
		tracee->stopped = tracee->in_call = false;
		target->ops->interrupt(target->self, tracee->tid);
		target->ops->resume(target->self, tracee->tid, 0, &ignored_ns);
		any = true;
	}
	return any;
}

static void release_all(struct session *session)
{
	struct tracee *tracee, *next;

	session->holding = false;
	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped)
			continue;
		if (session->started && tracee->inferior == session->started) {
			session->current = tracee; /* it waits for an answer */
			continue;
		}
		tracee_call_again(session, tracee);
		tracee_go_on(session, tracee);
	}
}

/* Nobody else traces it: what stands in its code is of one who is dead. */
static bool make_whole(struct session *session, pid_t tid, struct err *err)
{
	size_t n;

	if (!leftovers_remove(&session->target, tid, &n, err))
		return false;
	if (n)
		event_queue_note(session,
				 "a fathom that was killed had left probes at %zu places of the "
				 "program's code: that is as in its files again",
				 n);
	return true;
}

bool attach_running(struct session *session, struct inferior *inferior,
		    const struct catalogue *catalogue, struct err *err)
{
	struct tracee *helper;
	bool whole = true;

	stop_all_tracees(session, stop_dispatch);
	while (!(helper = find_helper(inferior)) && end_forks(session))
		stop_all_tracees(session, stop_dispatch);
	session->current = NULL;
	if (helper && catalogue && !session->started)
		whole = make_whole(session, helper->tid, err);
	if (helper && whole) {
		add_borrowers(session, inferior);
		if (catalogue && !session->started)
			inferior_measure_running(inferior, catalogue, helper->tid);
		pads_update(inferior, helper);
	}
	release_all(session);
	if (!whole)
		return false;
	return helper || err_set(err, ERR_TARGET,
				 "process %d has no thread that can be stopped: does it sleep "
				 "uninterruptibly, or has it ended?",
				 (int)session->pid);
}
