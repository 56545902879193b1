/* Tracees come, change, go, and are resumed after a stop. tracee_table.c holds them. */
#include "tracee_control.h"

#include <string.h>

#include "trace/cost/allocations.h"
#include "trace/call/branches.h"
#include "trace/probe/breakpoint.h"
#include "trace/call/call_stack.h"
#include "trace/call/call_matching.h"
#include "trace/call/calls_abandon.h"
#include "trace/cost/cost_calls.h"
#include "trace/call/call_counters.h"
#include "trace/probe/displaced.h"
#include "trace/call/stop_cost.h"
#include "inferior.h"
#include "trace/kernel/syscall_restart.h"
#include "trace/cost/lock_calls.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/ring_drain.h"
#include "trace/ring/ring_frames.h"
#include "trace/ring/ring_locks.h"
#include "trace/state/event_queue.h"
#include "trace/state/tracee_table.h"

/*
 * A single tracee shares its processor with the tracer; several run anywhere, as does one with pads
 * that hardly ever stops, while the tracer drains its ring.
 */
static void update_sharing(struct session *session)
{
	const struct target *target = &session->target;
	const struct tracee *only = HASH_COUNT(session->tracees) == 1 ? session->tracees : NULL;
	const bool share = only && only->role == TRACEE_THREAD && !session->options.apart &&
			   (!session->ring || session->ring->stops_often);

	if (session->leaving || session->over)
		return;
	if (session->ring)
		session->ring->shares = session->ring->stops_often;
	target->ops->share_processor(target->self, share ? only->tid : 0);
}

void tracee_share(struct session *session)
{
	const struct ring *ring = session->ring;

	if (!ring || ring->shares == ring->stops_often)
		return;
	if (ring->shares)
		update_sharing(session);
	else
		session->resting = true;
}

void tracee_rest(struct session *session)
{
	session->target.ops->share_processor(session->target.self, 0);
	session->resting = true;
}

struct tracee *tracee_add(struct session *session, pid_t tid, enum tracee_role role,
			  struct inferior *inferior)
{
	struct tracee *tracee = tracee_table_add(session, tid, role, inferior);

	update_sharing(session);
	return tracee;
}

void tracee_settle(struct session *session, struct tracee *tracee, enum tracee_role role,
		   struct inferior *inferior)
{
	struct inferior *left;

	if (tracee->inferior) {
		calls_abandon_all(tracee);
		lock_calls_forget(tracee);
		pad_thread_forget(tracee);
	}
	left = tracee_table_move(tracee, role, inferior);
	if (left)
		inferior_destroy(left);
	update_sharing(session);
}

void tracee_remove(struct session *session, struct tracee *tracee)
{
	struct inferior *left;

	if (session->current == tracee)
		session->current = NULL;
	calls_abandon_all(tracee);
	lock_calls_forget(tracee);
	pad_thread_forget(tracee);
	if (tracee->inferior)
		allocations_forget(tracee);
	call_stack_deinit(&tracee->calls);
	left = tracee_table_remove(session, tracee);
	if (left)
		inferior_destroy(left);
	update_sharing(session);
}

/* A call that began in this stop starts its clock at the resume. */
static void start_clock(struct tracee *tracee, uint64_t resumed_ns)
{
	struct open_call *call = &tracee->calls.calls[tracee->calls.n - 1];

	call->start_ns = resumed_ns;
	call->stopped_ns = tracee->stopped_ns;
	call->stops = tracee->stops;
	call->far_stops = tracee->far_stops;
}

void tracee_call_again(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	if (!tracee->interrupted || tracee->signal ||
	    !target->ops->get_registers(target->self, tracee->tid, &tracee->registers) ||
	    !syscall_restart_is(&tracee->registers) ||
	    target->ops->has_signal(target->self, tracee->tid))
		return;
	syscall_restart_undo(&tracee->registers);
	tracee->registers_changed = true;
}

/*
 * The caller of session_next() is told their ends, also of those that were not chosen, of which it
 * knows that by their ranks.
 */
void tracee_mark_halted(const struct tracee *tracee)
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

void tracee_set_debug(struct session *session, struct tracee *tracee,
		      const struct debug_registers *wanted)
{
	const struct target *target = &session->target;

	if (!memcmp(&tracee->debug, wanted, sizeof(*wanted)))
		return;
	if (target->ops->set_debug(target->self, tracee->tid, wanted))
		tracee->debug = *wanted;
	else if (!session->said_debug) {
		session->said_debug = true;
		event_queue_note(session,
				 "thread %d is not measured: the kernel does not give the "
				 "processor's debug registers (does perf use them?)",
				 (int)tracee->tid);
	}
}

static void give_debug(struct session *session, struct tracee *tracee)
{
	struct debug_registers wanted = {.addresses = {0}};

	if (session->options.probes != PROBES_HARDWARE || tracee->role != TRACEE_THREAD)
		return;
	if (tracee->inferior->breakpoints && !session->left)
		wanted = breakpoint_table_registers(tracee->inferior->breakpoints);
	tracee_set_debug(session, tracee, &wanted);
}

void tracee_go_on(struct session *session, struct tracee *tracee)
{
	const struct target_ops *ops = session->target.ops;
	void *self = session->target.self;
	uint64_t resumed_ns, delayed_ns;

	if (session->resting)
		update_sharing(session);
	session->resting = false;
	if (tracee->next == NEXT_STAY || tracee->held)
		return;
	if (tracee->late)
		tracee_call_again(session, tracee);
	tracee->late = false;
	tracee->stopped = false;
	/* A remote call ended its group-stop: have it reported again. */
	if (tracee->next == NEXT_LISTEN && ops->listen(self, tracee->tid))
		return;
	give_debug(session, tracee);
	cost_calls_settle(tracee);
	if (tracee->inferior && tracee->inferior->pads && tracee->inferior->pads->planted)
		pad_thread_begin(tracee);
	if (tracee->pad) {
		ring_drain_stopped(tracee);
		ring_frames_give(tracee, pad_thread_resume(tracee));
	}
	if (tracee->registers_changed)
		ops->set_registers(self, tracee->tid, &tracee->registers);
	if (tracee->call_began)
		call_counters_begin(tracee, &tracee->calls.calls[tracee->calls.n - 1]);
	delayed_ns = ring_locks_delay(tracee);
	ops->resume(self, tracee->tid, tracee->signal, &resumed_ns);
	if (delayed_ns)
		session->resuming_ns = resumed_ns - delayed_ns;
	tracee->resumed_ns = resumed_ns;
	tracee->stopped_ns += resumed_ns - tracee->stop_ns;
	session->account.stopped_ns += resumed_ns - tracee->stop_ns - tracee->halted_ns;
	stop_cost_resumed(tracee, session, resumed_ns);
	if (tracee->call_began)
		start_clock(tracee, resumed_ns);
	cost_calls_start_clock(tracee, resumed_ns);
	tracee->halted_ns = 0;
}

/*
 * Nothing was executed since, so a call's first breakpoint will hit again unless a signal handler
 * never returns: the call has not begun. But a repeated string instruction was partly executed:
 * there, what was read counts.
 */
static void begin_later(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	struct open_call *call;

	if (tracee->pad)
		ring_frames_take(tracee);
	call = tracee->calls.n ? &tracee->calls.calls[tracee->calls.n - 1] : NULL;
	if (!call || (int)call->function != breakpoint->entry_of)
		return;
	if (insn_repeats(&breakpoint->displaced.insn))
		call->restarted = true;
	else if (tracee->call_is_fresh) {
		tracee->told_cfa = call->told ? call->cfa : 0;
		call_matching_take_back(tracee, call);
	}
	tracee->call_is_fresh = false;
}

void tracee_leave_slot(struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;
	struct breakpoint_table *breakpoints =
		tracee->inferior ? tracee->inferior->breakpoints : NULL;
	struct breakpoint *breakpoint;
	uint64_t pc;
	bool again;

	if (!breakpoints ||
	    !target->ops->get_registers(target->self, tracee->tid, &tracee->registers))
		return;
	breakpoint = breakpoint_by_slot(breakpoints, tracee->registers.rip);
	if (!breakpoint)
		return;
	if (tracee->pad)
		ring_frames_take(tracee);
	displaced_home(&breakpoint->displaced, tracee->registers.rip, &pc, &again);
	tracee->registers.rip = pc;
	tracee->registers_changed = true;
	if (again && breakpoint->line_of >= 0)
		tracee->told_line = breakpoint->address;
	if (again && breakpoint->branch_of >= 0)
		branches_take_back(tracee, breakpoint);
	if (again)
		cost_calls_take_back(tracee, breakpoint);
	if (again && breakpoint->entry_of >= 0)
		begin_later(tracee, breakpoint);
}
