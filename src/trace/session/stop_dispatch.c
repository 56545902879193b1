/*
 * What each kind of stop leads to: births, exec, breakpoints, signals, ends. call_matching.c
 * handles calls, tracee_control.c resumes.
 */
#include "stop_dispatch.h"

#include <signal.h>

#include "trace/probe/breakpoint.h"
#include "trace/call/call_matching.h"
#include "trace/call/calls_abandon.h"
#include "trace/call/call_counters.h"
#include "trace/probe/displaced.h"
#include "trace/state/event_queue.h"
#include "trace/call/probe_control.h"
#include "trace/call/stop_cost.h"
#include "trace/target/recovery.h"
#include "inferior.h"
#include "trace/cost/lock_calls.h"
#include "trace/state/measured.h"
#include "inferior_modules.h"
#include "trace/call/migrated_calls.h"
#include "signal_report.h"
#include "trace/ring/pad_stop.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/ring_drain.h"
#include "trace/ring/ring_frames.h"
#include "trace/state/tracee_table.h"
#include "tracee_control.h"

/* A fork child has a copy of our int3s: restore its text and detach. */
static void release_copy(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	if (tracee->inferior && tracee->inferior->breakpoints)
		breakpoint_table_restore_in(tracee->inferior->breakpoints, tracee->tid);
	pads_restore_copy(tracee);
	pad_thread_leave_copy(tracee);
	target->ops->detach(target->self, tracee->tid, 0);
	tracee->next = NEXT_STAY;
	tracee_remove(session, tracee);
}

/* A stopped newborn tracee with known role; a group-stop lasts. */
static void adopt(struct session *session, struct tracee *tracee)
{
	if (tracee->role == TRACEE_COPY) {
		release_copy(session, tracee);
		return;
	}
	if (tracee->next == NEXT_STAY)
		tracee->next = NEXT_RESUME;
	if (!session->holding)
		tracee_go_on(session, tracee);
}

/* The parent waits until its copy is detached: it may trace the child itself, as debuggers do. */
static void await_copy(struct tracee *parent, struct tracee *child)
{
	parent->next = NEXT_STAY;
	child->awaited_by = parent->tid;
}

/* The tracee that @tid waited for is detached or gone. */
static void end_wait(struct session *session, pid_t tid)
{
	struct tracee *parent = tid ? tracee_find(session, tid) : NULL;

	if (!parent || !parent->stopped || parent->next != NEXT_STAY)
		return;
	parent->next = NEXT_RESUME;
	if (!session->holding)
		tracee_go_on(session, parent);
}

static enum tracee_role role_of_child(const struct session *session, const struct tracee *parent,
				      const struct stop *stop)
{
	const struct target *target = &session->target;

	if (stop->kind == STOP_FORK)
		return session->options.follow_fork ? TRACEE_THREAD : TRACEE_COPY;
	if (stop->kind == STOP_CLONE && parent->role == TRACEE_THREAD &&
	    target->ops->process(target->self, stop->child) == parent->inferior->pid)
		return TRACEE_THREAD;
	return TRACEE_BORROWER;
}

static void on_birth(struct session *session, struct tracee *parent, const struct stop *stop)
{
	enum tracee_role role = role_of_child(session, parent, stop);
	struct tracee *child = tracee_find(session, stop->child);
	struct inferior *inferior = parent->inferior;

	if (stop->kind == STOP_FORK && role == TRACEE_THREAD)
		inferior = inferior_copy(inferior, stop->child);
	if (stop->kind == STOP_FORK && role == TRACEE_COPY)
		session->account.let_go++;
	if (child)
		tracee_settle(session, child, role, inferior);
	else
		child = tracee_add(session, stop->child, role, inferior);
	if (role == TRACEE_THREAD && stop->kind != STOP_FORK && inferior->cost.open)
		lock_calls_born(child);
	if (child->stopped)
		adopt(session, child);
	else if (role == TRACEE_COPY)
		await_copy(parent, child);
}

/* A new program in memory of its own: nothing of it is measured yet. */
static void ask_what_to_measure(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	struct session_event *event;
	const char *path =
		target->ops->executable(target->self, tracee->tid, tracee->inferior->arena);

	session->started = tracee->inferior;
	if (!path || session->leaving)
		return;
	event = event_queue_add(session, SESSION_IMAGE, NULL);
	event->image.pid = tracee->inferior->pid;
	event->image.path = path;
	event->image.is_first = tracee->inferior->pid == session->pid;
}

static void on_exec_of_borrower(struct session *session, struct tracee *tracee)
{
	struct inferior *inferior;

	if (!session->options.follow_fork) {
		session->account.let_go++;
		session->target.ops->detach(session->target.self, tracee->tid, 0);
		tracee_remove(session, tracee);
		return;
	}
	inferior = inferior_create(session, tracee->tid);
	inferior->ignores_trap |= tracee->inferior->ignores_trap;
	tracee_settle(session, tracee, TRACEE_THREAD, inferior);
	ask_what_to_measure(session, tracee);
}

/* A new image without breakpoints; only the thread that called exec is left, as pid. */
static void on_exec(struct session *session, struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;
	struct tracee *other, *next;

	if (tracee->role == TRACEE_BORROWER) {
		on_exec_of_borrower(session, tracee);
		return;
	}
	pads_destroy(inferior);
	pad_thread_forget(tracee);
	tracee->debug = (struct debug_registers){.addresses = {0}}; /* by the kernel */
	breakpoint_table_destroy(inferior->breakpoints);
	inferior->breakpoints = NULL;
	calls_abandon_all(tracee);
	lock_calls_forget(tracee);
	HASH_ITER (hh, session->tracees, other, next)
		if (other != tracee && other->inferior == inferior && other->role == TRACEE_THREAD)
			tracee_remove(session, other);
	inferior_forget(inferior);
	ask_what_to_measure(session, tracee);
}

/*
 * Pass the breakpoint, or lift it. If the program's memory is inaccessible, neither is possible and
 * it would hit for ever.
 */
static void pass(struct session *session, struct tracee *tracee, struct breakpoint *breakpoint)
{
	if (pads_go_on(tracee, breakpoint))
		return;
	if (displaced_step(&breakpoint->displaced, &session->target, tracee->tid,
			   &tracee->registers))
		return;
	breakpoint_lift(tracee->inferior->breakpoints, tracee->tid, breakpoint);
	if (!breakpoint->planted)
		return;
	tracee->signal = SIGTRAP;
	event_queue_note(
		session,
		"process %d lets nobody into its memory any more, so that it cannot pass a "
		"breakpoint: it ends by SIGTRAP",
		(int)tracee->inferior->pid);
}

static void on_breakpoint(struct session *session, struct tracee *tracee, bool hardware)
{
	const struct target *target = &session->target;
	struct inferior *inferior = tracee->inferior;
	struct breakpoint *breakpoint = NULL;
	uint64_t pc;

	if (!target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return;
	pc = tracee->registers.rip - !hardware;
	if (inferior && pc == inferior->start_pc && tracee->role == TRACEE_THREAD) {
		inferior_start(inferior, tracee);
		return;
	}
	if (inferior && inferior->breakpoints)
		breakpoint = breakpoint_find(inferior->breakpoints, pc);
	if (!breakpoint && pad_stop_question(tracee)) {
		target->ops->block_trap(target->self, tracee->tid);
		return;
	}
	if (!breakpoint) { /* the program's own int3, or what was in a register before */
		tracee->signal = hardware ? 0 : SIGTRAP;
		return;
	}
	target->ops->block_trap(target->self, tracee->tid);
	tracee->registers.rip = pc;
	tracee->registers_changed = !hardware;
	if (!breakpoint->planted) { /* lifted since this thread hit it */
		breakpoint_lift_again(inferior->breakpoints, tracee->tid, breakpoint);
		return;
	}
	session->account.stops++;
	session->account.far_stops += tracee->stop_is_far;
	stop_cost_hit(tracee, breakpoint);
	if (breakpoint->of_loader && tracee->role == TRACEE_THREAD)
		inferior_modules_changed(inferior, tracee->tid);
	if (tracee->pad) {
		ring_frames_take(tracee);
		ring_drain_function(tracee, breakpoint->entry_of);
	}
	if (tracee->role == TRACEE_THREAD)
		call_matching_hit(session, tracee, breakpoint);
	if (tracee->pad && breakpoint->hook == HOOK_CHANGE)
		pad_stop_change(tracee);
	probe_control_after_hit(tracee, breakpoint);
	if (!measured_wants(inferior, breakpoint))
		breakpoint_lift(inferior->breakpoints, tracee->tid, breakpoint);
	if (breakpoint->planted && !hardware)
		pass(session, tracee, breakpoint);
}

/*
 * If a program started with SIGTRAP ignored, as by some shells, our first int3 resets that: later
 * ones must do no harm.
 */
static bool signal_is_harmless(const struct session *session, const struct tracee *tracee,
			       int signal)
{
	const struct target *target = &session->target;

	return signal == SIGTRAP && tracee->inferior && tracee->inferior->ignores_trap &&
	       target->ops->action(target->self, tracee->tid, SIGTRAP) == TRAP_DEFAULT;
}

/* Is @tid the child of a process other than @dying, which will report it? */
static bool has_living_parent(const struct session *session, const struct inferior *dying,
			      pid_t tid)
{
	const struct target *target = &session->target;
	const pid_t process = target->ops->process(target->self, tid);
	const pid_t parent = target->ops->parent(target->self, tid);
	const struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior != dying && (inferior->pid == process || inferior->pid == parent))
			return true;
	return false;
}

/*
 * Newborn tracees whose parent died before telling their role: threads die with their process, so
 * they are copies.
 */
static void adopt_orphans(struct session *session, struct inferior *inferior)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (tracee->role != TRACEE_UNKNOWN ||
		    has_living_parent(session, inferior, tracee->tid))
			continue;
		tracee_settle(session, tracee, TRACEE_COPY, inferior);
		if (tracee->stopped)
			release_copy(session, tracee);
	}
}

/* The first process has ended; the user may wait for its children. */
static void say_who_is_left(struct session *session)
{
	const struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->pid != session->pid && !session->leaving) {
			event_queue_note(
				session,
				"the program has ended; processes that it started go on, and "
				"are measured until they end, or until Ctrl-C");
			return;
		}
}

static void on_gone(struct session *session, const struct stop *stop)
{
	struct tracee *tracee = tracee_find(session, stop->tid);
	pid_t awaited_by;

	if (stop->tid == session->pid) {
		session->ending.how = stop->kind == STOP_EXITED ? ENDED_EXITED : ENDED_SIGNALLED;
		session->ending.number = stop->number;
	}
	if (!tracee)
		return;
	if (tracee->inferior && tracee->inferior->pid == stop->tid)
		adopt_orphans(session, tracee->inferior);
	if (tracee->inferior && tracee->inferior->n_threads > 1 &&
	    stop->tid != tracee->inferior->pid)
		migrated_calls_keep(tracee);
	awaited_by = tracee->awaited_by;
	calls_abandon_at_end(tracee);
	tracee_remove(session, tracee);
	end_wait(session, awaited_by);
	if (stop->tid == session->pid)
		say_who_is_left(session);
}

/* A first stop, or one caused by us or by the end of a group-stop. */
static void on_event(struct session *session, struct tracee *tracee, enum tracee_next next)
{
	const pid_t awaited_by = tracee->awaited_by;

	tracee->next = next;
	if (tracee->role == TRACEE_UNKNOWN)
		tracee->next = next == NEXT_RESUME ? NEXT_STAY : next;
	if (tracee->role == TRACEE_COPY) {
		release_copy(session, tracee);
		end_wait(session, awaited_by);
	}
}

/* Others may wait for its end, as an exec does. */
static void on_exiting(struct session *session, struct tracee *tracee)
{
	tracee->exiting = true;
	tracee->held = false; /* killed while it was held: nobody releases it any more */
	if (tracee->inferior && tracee->tid == tracee->inferior->pid)
		inferior_say_unmeasured(tracee->inferior);
	ring_frames_end(tracee);
	tracee_go_on(session, tracee);
	session->current = NULL;
}

static void note_stopped(struct session *session, const struct tracee *tracee, bool stopped)
{
	if (tracee->inferior)
		recovery_set_stopped(session->options.guard, tracee->inferior->pid, stopped);
}

/* The end of a group-stop. Nobody knows what its open calls would have waited for without it. */
static void on_continued(struct session *session, struct tracee *tracee)
{
	note_stopped(session, tracee, false);
	if (tracee->pad) {
		pad_stop_leave(tracee);
		ring_frames_take(tracee);
	}
	tracee_mark_halted(tracee);
	on_event(session, tracee, NEXT_RESUME);
}

static void on_tracee_stop(struct session *session, struct tracee *tracee, const struct stop *stop)
{
	const bool was_listening = tracee->next == NEXT_LISTEN;

	if (session->ring)
		tsc_clock_follow(&session->ring->clock);
	tracee->stopped = true;
	tracee->stop_ns = stop->when_ns;
	tracee->halted_ns = 0; /* in a group-stop it has not been resumed since the last one */
	tracee->stopped_ns += stop->idle_ns;
	tracee->idle_ns = stop->idle_ns;
	tracee->late_ns = stop->late_ns;
	tracee->charged = NULL;
	tracee->stops++;
	tracee->stop_is_far = stop->far;
	tracee->far_stops += stop->far;
	call_counters_stop(tracee, stop);
	tracee->next = NEXT_RESUME;
	tracee->signal = 0;
	tracee->interrupted = stop->kind == STOP_EVENT;
	tracee->late = tracee->interrupted && tracee->asked && !session->holding;
	tracee->asked = false;
	tracee->at_breakpoint = stop->kind == STOP_BREAKPOINT && !stop->hardware;
	tracee->at_signal = stop->kind == STOP_BREAKPOINT || stop->kind == STOP_SIGNAL;
	tracee->in_call =
		stop->kind == STOP_CLONE || stop->kind == STOP_FORK || stop->kind == STOP_VFORK;
	tracee->registers_changed = false;
	tracee->call_began = false;
	tracee->call_is_fresh &= stop->kind != STOP_BREAKPOINT;
	session->current = tracee;
	switch (stop->kind) {
	case STOP_BREAKPOINT:
		on_breakpoint(session, tracee, stop->hardware);
		break;
	case STOP_SIGNAL:
		tracee->signal =
			signal_is_harmless(session, tracee, stop->number) ? 0 : stop->number;
		pad_stop_signal(tracee);
		if (!tracee->registers_changed) /* it was in no pad */
			tracee_leave_slot(session, tracee);
		break;
	case STOP_GROUP:
		note_stopped(session, tracee, true);
		pad_stop_rewind(tracee);
		on_event(session, tracee, NEXT_LISTEN);
		break;
	case STOP_EVENT:
		if (was_listening) {
			on_continued(session, tracee);
			break;
		}
		note_stopped(session, tracee, false);
		pad_stop_rewind(tracee);
		on_event(session, tracee, NEXT_RESUME);
		break;
	case STOP_CLONE:
	case STOP_FORK:
	case STOP_VFORK:
		on_birth(session, tracee, stop);
		break;
	case STOP_EXEC:
		on_exec(session, tracee);
		break;
	case STOP_EXITING:
		on_exiting(session, tracee);
		break;
	case STOP_EXITED:
	case STOP_KILLED:
		break;
	}
}

void stop_dispatch(struct session *session, const struct stop *stop)
{
	struct tracee *tracee = tracee_find(session, stop->tid);

	if (stop->kind == STOP_EXITED || stop->kind == STOP_KILLED) {
		on_gone(session, stop);
		return;
	}
	if (!tracee)
		tracee = tracee_add(session, stop->tid, TRACEE_UNKNOWN, NULL);
	on_tracee_stop(session, tracee, stop);
	if (session->options.prompt && session->current)
		signal_report_look(session, session->current, stop);
	lock_calls_expire(session, stop->when_ns);
}
