/* Stopping all tracees, and keeping them stopped. The caller handles their stops. */
#include "stop_all.h"

static const uint64_t PATIENCE_NS = 10000000000;
static const uint64_t LOOK_NS = 50000000; /* silence after which the reason is looked for */

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

static void interrupt_all(struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (!tracee->stopped)
			tracee->asked = target->ops->interrupt(target->self, tracee->tid);
}

void stop_all_tracees(struct session *session,
		      void (*on_stop)(struct session *session, const struct stop *stop))
{
	const struct target *target = &session->target;
	uint64_t end_ns = target->ops->now_ns(target->self) + PATIENCE_NS;
	struct stop stop;

	session->holding = true;
	interrupt_all(session);
	while (is_anybody_running(session)) {
		uint64_t now_ns = target->ops->now_ns(target->self);

		switch (target->ops->wait(target->self, now_ns + LOOK_NS, &stop)) {
		case WAIT_STOP:
			on_stop(session, &stop);
			break;
		case WAIT_NOTHING:
			if (now_ns >= end_ns || !is_anybody_stopping(session))
				return;
			break;
		case WAIT_NOBODY:
			return;
		}
	}
}
