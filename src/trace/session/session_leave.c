/*
 * Detaching: stop all tracees, put them where they would be without us, let them go.
 *
 * The text is restored first, so that threads that cannot be stopped (uninterruptible sleep) are
 * safe, and a vfork child, which its parent waits for, can go on at once.
 */
#include "session_leave.h"

#include <signal.h>

#include "trace/probe/breakpoint.h"
#include "trace/call/calls_abandon.h"
#include "trace/state/event_queue.h"
#include "inferior.h"
#include "stop_all.h"
#include "session_inner.h"
#include "session_pads.h"
#include "trace/ring/pad_stop.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/pads.h"
#include "stop_dispatch.h"
#include "trace/state/tracee_table.h"
#include "tracee_control.h"

static void lift_all(struct session *session)
{
	const struct target *target = &session->target;
	struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		if (inferior->start_pc)
			target->ops->write(target->self, inferior->pid, inferior->start_pc,
					   &inferior->start_byte, 1);
		if (inferior->breakpoints)
			breakpoint_table_lift_all(inferior->breakpoints, inferior->pid);
	}
}

/* Move the PC back from our int3; deliver the program's own. */
static void undo_hit(struct session *session, struct tracee *tracee, bool hardware)
{
	const struct target *target = &session->target;
	const struct inferior *inferior = tracee->inferior;
	uint64_t pc;

	tracee->signal = 0;
	if (hardware) {
		target->ops->block_trap(target->self, tracee->tid);
		return;
	}
	tracee->signal = SIGTRAP;
	if (!inferior || !target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return;
	pc = tracee->registers.rip - 1;
	if (pad_stop_is_question(tracee, pc)) {
		tracee->signal = 0;
		target->ops->block_trap(target->self, tracee->tid);
		return;
	}
	if (pc != inferior->start_pc &&
	    (!inferior->breakpoints || !breakpoint_find(inferior->breakpoints, pc)))
		return;
	tracee->signal = 0;
	target->ops->block_trap(target->self, tracee->tid);
	tracee->registers.rip = pc;
	target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
}

/* Move the PC out of scratch memory; restart an interrupted system call. */
static void put_back(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	pad_thread_end(tracee);
	tracee->registers_changed = false;
	tracee_leave_slot(session, tracee);
	if (!tracee->registers_changed)
		tracee_call_again(session, tracee);
	if (tracee->registers_changed)
		target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
}

/* By an instruction in a pad, or before it is brought out of one. */
static void take_signal(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	tracee->registers_changed = false;
	pad_stop_signal(tracee);
	if (tracee->registers_changed)
		target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
	tracee->registers_changed = false;
}

static void leave_let_go(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	tracee_set_debug(session, tracee, &(struct debug_registers){.addresses = {0}});
	target->ops->detach(target->self, tracee->tid, tracee->signal);
	tracee_remove(session, tracee);
}

/* Run to the end of its system call, and stop before its own code. */
static void leave_call(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	uint64_t ignored_ns;

	tracee->stopped = tracee->in_call = false;
	target->ops->interrupt(target->self, tracee->tid);
	target->ops->resume(target->self, tracee->tid, 0, &ignored_ns);
}

/*
 * Of stopped tracees: detach children that parents wait for, and run the others out of system
 * calls.
 */
static void move_stopped(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped)
			continue;
		if (tracee->role == TRACEE_BORROWER) {
			put_back(session, tracee);
			leave_let_go(session, tracee);
		} else if (tracee->in_call) {
			leave_call(session, tracee);
		}
	}
}

/*
 * Handle a stop while detaching. A thread interrupted right after an int3 is resumed to report its
 * pending SIGTRAP.
 */
static void leave_on_stop(struct session *session, const struct stop *stop)
{
	const struct target *target = &session->target;
	struct tracee *tracee = tracee_find(session, stop->tid);
	uint64_t ignored_ns;

	if (stop->kind != STOP_BREAKPOINT && stop->kind != STOP_SIGNAL) {
		stop_dispatch(session, stop);
		tracee = tracee_find(session, stop->tid);
	}
	if (!tracee || stop->kind == STOP_EXITED || stop->kind == STOP_KILLED)
		return;
	if ((stop->kind == STOP_EVENT || stop->kind == STOP_GROUP) &&
	    target->ops->has_trap(target->self, tracee->tid)) {
		tracee->stopped = false;
		target->ops->resume(target->self, tracee->tid, 0, &ignored_ns);
		return;
	}
	tracee->stopped = true;
	tracee->in_call =
		tracee->in_call && stop->kind != STOP_BREAKPOINT && stop->kind != STOP_SIGNAL;
	if (tracee->in_call) {
		move_stopped(session);
		return;
	}
	tracee->interrupted = stop->kind == STOP_EVENT;
	tracee->signal = stop->kind == STOP_SIGNAL ? stop->number : 0;
	if (stop->kind == STOP_BREAKPOINT)
		undo_hit(session, tracee, stop->hardware);
	else if (stop->kind == STOP_SIGNAL)
		take_signal(session, tracee);
	if (tracee->role == TRACEE_BORROWER) {
		put_back(session, tracee);
		leave_let_go(session, tracee);
	}
}

/* Scratch memory may go once no thread can be in it. */
static void unmap_scratch(struct session *session)
{
	struct tracee *tracee, *next;
	struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		struct tracee *helper = NULL;
		bool all = true;

		HASH_ITER (hh, session->tracees, tracee, next) {
			if (tracee->inferior != inferior)
				continue;
			all = all && tracee->stopped;
			/* One at its end makes no system call any more. */
			if (tracee->stopped && tracee->role == TRACEE_THREAD && !tracee->exiting)
				helper = tracee;
		}
		if (helper && inferior->breakpoints) {
			breakpoint_table_lift_all(inferior->breakpoints, helper->tid);
			if (all) {
				breakpoint_table_unmap(inferior->breakpoints, helper->tid);
				pads_unmap(inferior, helper->tid);
			}
		}
	}
}

/* The kernel detaches those left, unharmed, when this process ends. */
static void leave_drop(struct session *session, struct tracee *tracee)
{
	event_queue_note(
		session,
		"thread %d could not be stopped (it sleeps uninterruptibly): it is let go when "
		"this program ends",
		(int)tracee->tid);
	tracee_remove(session, tracee);
}

/*
 * Launched ones: this process lives on, and any still traced would stay stopped on waking. And
 * those with debug registers, which the kernel leaves as they are.
 */
static void leave_keep(struct session *session, struct tracee *tracee)
{
	event_queue_note(
		session,
		"thread %d could not be stopped (it sleeps uninterruptibly): it is let go as soon "
		"as it wakes up; Ctrl-C again would end it",
		(int)tracee->tid);
}

void session_leave_late(struct session *session, const struct stop *stop)
{
	struct tracee *tracee;

	leave_on_stop(session, stop);
	session->current = NULL;
	tracee = tracee_find(session, stop->tid);
	if (!tracee || !tracee->stopped || tracee->in_call)
		return;
	calls_abandon_at_end(tracee);
	put_back(session, tracee);
	unmap_scratch(session);
	leave_let_go(session, tracee);
}

/* Of tracees whose stop was handled: one, or all if halted. */
static void write_registers(struct session *session)
{
	const struct target *target = &session->target;
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped && tracee->registers_changed)
			target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
}

static void leave_say_unmeasured(struct session *session)
{
	for (struct inferior *inferior = session->inferiors; inferior; inferior = inferior->next)
		inferior_say_unmeasured(inferior);
}

void session_leave(struct session *session)
{
	struct tracee *tracee, *next;

	leave_say_unmeasured(session);
	session->options.follow_fork = false;
	session->leaving = true;
	session_end_halt(session);
	session->target.ops->share_processor(session->target.self, 0);
	session_pads_stop(session);
	write_registers(session);
	lift_all(session);
	move_stopped(session);
	stop_all_tracees(session, leave_on_stop);
	session_pads_leave(session);
	HASH_ITER (hh, session->tracees, tracee, next) {
		calls_abandon_at_end(tracee);
		if (tracee->stopped)
			put_back(session, tracee);
	}
	unmap_scratch(session);
	HASH_ITER (hh, session->tracees, tracee, next) {
		if (tracee->stopped)
			leave_let_go(session, tracee);
		else if (session->launched || session->options.probes == PROBES_HARDWARE)
			leave_keep(session, tracee);
		else
			leave_drop(session, tracee);
	}
	session->current = NULL;
	session->left = true;
	session->target.ops->spare(session->target.self);
}
