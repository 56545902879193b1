/* Which signals a prompt is told of, and what becomes of them. session.c then halts all. */
#include "signal_report.h"

#include <signal.h>

#include "trace/state/event_queue.h"
#include "trace/ring/pads.h"
#include "trace/session_halt.h"
#include "trace/state/tracee_table.h"

static struct session_event *signal_tell(struct session *session, const struct tracee *tracee,
					 int number)
{
	struct session_event *event = event_queue_add(session, SESSION_SIGNAL, NULL);

	event->signal.process = tracee->inferior->pid;
	event->signal.thread = tracee->tid;
	event->signal.number = number;
	return event;
}

/* Each thread reports it, and again when interrupted. */
static void look_at_group_stop(struct session *session, struct tracee *tracee, int number)
{
	struct inferior *inferior = tracee->inferior;

	if (inferior->pid != session->pid || inferior->told_stop)
		return;
	inferior->told_stop = true;
	signal_tell(session, tracee, number)->signal.is_stop = true;
}

/* One Ctrl-C reaches all processes of a group. */
static void look_at_signal(struct session *session, struct tracee *tracee,
			   enum signal_sender sender)
{
	const struct target *target = &session->target;
	const int number = tracee->signal;

	if (sender == SENDER_US && session->injected == number) {
		session->injected = 0;
	} else if ((number == SIGINT || number == SIGTSTP) && sender != SENDER_OTHER) {
		tracee->signal = 0;
		if (!session->halted)
			signal_tell(session, tracee, number)->signal.is_interrupt = true;
	} else if (target->ops->is_fatal(target->self, tracee->tid, number) ||
		   pads_guarded(tracee->inferior) >> (number - 1) & 1) {
		signal_tell(session, tracee, number)->signal.is_fatal = true;
	}
}

void signal_report_look(struct session *session, struct tracee *tracee, const struct stop *stop)
{
	const struct target *target = &session->target;

	if (!tracee->inferior || tracee->role != TRACEE_THREAD)
		return;
	if (stop->kind == STOP_GROUP)
		look_at_group_stop(session, tracee, stop->number);
	else if (stop->kind == STOP_EVENT)
		tracee->inferior->told_stop = false;
	else if (tracee->signal)
		look_at_signal(session, tracee,
			       stop->kind == STOP_SIGNAL
				       ? target->ops->sender(target->self, tracee->tid)
				       : SENDER_OTHER);
}

void signal_report_continue(struct session *session)
{
	const struct target *target = &session->target;
	const struct inferior *inferior;

	session->signalled = 0;
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->told_stop)
			target->ops->send(target->self, inferior->pid, SIGCONT);
}

void signal_report_replace(struct session *session, int number)
{
	const struct target *target = &session->target;
	struct tracee *tracee =
		session->signalled ? tracee_find(session, session->signalled) : NULL;

	if (tracee && tracee->stopped && tracee->at_signal) {
		tracee->signal = number;
	} else if (number && !session->ended) {
		session->injected = number;
		target->ops->send(target->self, session->pid, number);
	}
}
