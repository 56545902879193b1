/* Stopping all tracees, and keeping them stopped. The caller handles their stops. */
#include "stop_all.h"

#include "trace/state/tracee_table.h"

static const uint64_t PATIENCE_NS = 10000000000;
static const uint64_t LOOK_NS = 50000000; /* silence after which the reason is looked for */
/* For a vfork child that is let go to release its parent, whose pads are to be taken away. */
static const uint64_t SLEEP_NS = 2000000000;

static bool is_anybody_running(const struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (!tracee->stopped)
			return true;
	return false;
}

/* Is a running tracee left to wait for? */
static bool is_anybody_stopping(const struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (!tracee->stopped && !target->ops->is_uninterruptible(target->self, tracee->tid))
			return true;
	return false;
}

/*
 * A signal that stops its process is passed on at once: until the tracee has it, a SIGCONT makes it
 * void, but the kernel does not know that any more where a step or a system call of ours comes
 * between, and the program would stay stopped. It stops again before it runs.
 */
static void pass_stop_signal(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	uint64_t resumed_ns;

	if (!tracee || !tracee->stopped || !tracee->signal ||
	    !target->ops->is_stop(target->self, tracee->tid, tracee->signal))
		return;
	if (tracee->registers_changed)
		target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
	tracee->registers_changed = tracee->stopped = false;
	tracee->asked = target->ops->interrupt(target->self, tracee->tid);
	target->ops->resume(target->self, tracee->tid, tracee->signal, &resumed_ns);
	tracee->signal = 0;
	tracee->stopped_ns += resumed_ns - tracee->stop_ns;
}

static void interrupt_all(struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped)
			pass_stop_signal(session, tracee);
		else
			tracee->asked = target->ops->interrupt(target->self, tracee->tid);
}

void stop_all_tracees(struct session *session,
		      void (*on_stop)(struct session *session, const struct stop *stop))
{
	const struct target *target = &session->target;
	const uint64_t began_ns = target->ops->now_ns(target->self);
	const uint64_t end_ns = began_ns + PATIENCE_NS;
	const uint64_t awake_ns = began_ns + (session->leaving && session->ring ? SLEEP_NS : 0);
	struct stop stop;

	session->holding = true;
	interrupt_all(session);
	while (is_anybody_running(session)) {
		uint64_t now_ns = target->ops->now_ns(target->self);

		switch (target->ops->wait(target->self, now_ns + LOOK_NS, &stop)) {
		case WAIT_STOP:
			on_stop(session, &stop);
			pass_stop_signal(session, tracee_find(session, stop.tid));
			break;
		case WAIT_NOTHING:
			if (now_ns >= end_ns ||
			    (now_ns >= awake_ns && !is_anybody_stopping(session)))
				return;
			break;
		case WAIT_NOBODY:
			return;
		}
	}
}
