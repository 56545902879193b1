/*
 * Jumps may only be written while no thread runs; so what is to be planted or lifted waits until a
 * stop was handled, and all are stopped then.
 */
#include "session_pads.h"

#include "session_inner.h"
#include "stop_all.h"
#include "trace/call/probe_control.h"
#include "trace/probe/governor.h"
#include "trace/ring/pad_stop.h"
#include "trace/ring/pad_thread.h"
#include "trace/ring/ring_drain.h"
#include "trace/ring/ring_frames.h"
#include "trace/state/tracee_table.h"
#include "trace/target/recovery.h"
#include "tracee_control.h"

static const uint64_t RETRY_NS = 20000000, RETRY_MAX_NS = 2000000000;

/* Until the next cycle, for jumps to be restored. */
static const uint64_t RESTORING_NS = 1000000;

bool session_pads_possible(const struct session_options *options, const char **ret_why)
{
	if (options->probes == PROBES_STOPS || options->probes == PROBES_HARDWARE)
		*ret_why = "that was asked for";
	else
		return pads_measure(options->metrics, ret_why) &&
		       tsc_clock_is_invariant(options->power, ret_why);
	return false;
}

static bool is_to_be_tended(struct session *session)
{
	const struct target *target = &session->target;
	struct inferior *inferior;

	for (inferior = session->inferiors; session->restores && inferior;
	     inferior = inferior->next)
		if (inferior->pads)
			inferior->pads->dirty = true;
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->pads &&
		    (inferior->pads->urgent ||
		     ((inferior->pads->dirty || inferior->unkept) &&
		      target->ops->now_ns(target->self) >= session->ring->retry_ns)))
			return true;
	return false;
}

/* One that can make system calls, with no signal to lose; NULL: none. */
static struct tracee *pads_helper(const struct inferior *inferior)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->role == TRACEE_THREAD &&
		    tracee->stopped && !tracee->in_call && !tracee->signal &&
		    tracee->next == NEXT_RESUME)
			return tracee;
	return NULL;
}

static void bring_out(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped)
			pad_stop_leave(tracee);
}

static void write_registers(const struct session *session, struct tracee *tracee)
{
	const struct target *target = &session->target;

	if (tracee->registers_changed)
		target->ops->set_registers(target->self, tracee->tid, &tracee->registers);
	tracee->registers_changed = false;
}

/* From its slot a displaced instruction goes on behind itself: in a run, perhaps. */
static void bring_home(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped)
			continue;
		write_registers(session, tracee);
		tracee_leave_slot(session, tracee);
		write_registers(session, tracee);
	}
}

/* What frames hold may be laid out anew, or their ends not be seen any more. */
static void take_changed(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped && tracee->pad &&
		    (tracee->inferior->pads->renewed ||
		     (session->withdraws && tracee->inferior->pads->dirty)))
			ring_frames_take(tracee);
}

static void stay(struct measured_function *measured)
{
	measured->withdrawn = false;
	measured->passed_ns = 0;
}

static void stay_all(struct session *session)
{
	for (size_t i = 0; i < session->n_images; i++)
		for (size_t j = 0; j < session->images[i]->catalogue->n_functions; j++)
			stay(&session->images[i]->functions[j]);
}

/* Ends of calls that are open are to be seen. */
static void stay_open(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->inferior || !tracee->inferior->pads)
			continue;
		if (tracee->pad && (!tracee->frames_taken || !tracee->pad->known))
			stay_all(session);
		for (size_t i = 0; i < tracee->calls.n; i++)
			stay(&session->images[tracee->inferior->image->index]
				      ->functions[tracee->calls.calls[i].function]);
	}
}

static void take_back(struct tracee *tracee)
{
	if (!tracee->stopped || !tracee->pad)
		return;
	ring_frames_take(tracee);
	ring_drain_thread(tracee);
}

/*
 * Its jumps were lifted for good, or some landings: the calls that pads followed, or that wait for
 * such an end, are followed by stops.
 */
static void end_by_stops(const struct inferior *inferior)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->stopped) {
			take_back(tracee);
			if (inferior->pads->why)
				pad_thread_end(tracee);
			probe_control_see_ends(tracee);
		}
	inferior->pads->landless = false;
}

/* Calls of functions that were closed meanwhile end at return breakpoints from now on. */
static void keep_ends(struct session *session)
{
	const struct inferior *inferior;
	struct tracee *tracee, *next;
	bool any = false;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		any |= inferior->unkept;
	if (!any)
		return;
	HASH_ITER (hh, session->tracees, tracee, next)
		take_back(tracee);
	probe_control_keep_ends(session);
}

static void update_all(struct session *session)
{
	const struct target *target = &session->target;
	struct ring *ring = session->ring;
	struct inferior *inferior;
	bool again = false;

	bring_out(session);
	bring_home(session);
	recovery_set_settled(session->options.guard, true);
	take_changed(session);
	if (session->restores)
		stay_all(session);
	else if (session->withdraws)
		stay_open(session);
	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		if (inferior->pads && inferior->pads->dirty)
			pads_update(inferior, pads_helper(inferior));
		if (inferior->pads && (inferior->pads->why || inferior->pads->landless))
			end_by_stops(inferior);
	}
	keep_ends(session);
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		again |= inferior->pads && (inferior->pads->dirty || inferior->unkept);
	if (session->restores && !again)
		session->restores = session->withdraws = false;
	ring->pause_ns = again ? 2 * ring->pause_ns + RETRY_NS : 0;
	if (ring->pause_ns > RETRY_MAX_NS)
		ring->pause_ns = RETRY_MAX_NS;
	ring->retry_ns = target->ops->now_ns(target->self) + ring->pause_ns;
	recovery_set_settled(session->options.guard, false);
}

static void go_on_others(struct session *session, const struct tracee *but)
{
	struct tracee *tracee, *next;

	session->holding = false;
	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped || tracee == but ||
		    (session->started && tracee->inferior == session->started))
			continue;
		tracee_call_again(session, tracee);
		tracee_go_on(session, tracee);
	}
}

/* What is not urgent waits for those who cannot be brought out now. */
static bool can_update(struct session *session)
{
	const struct target *target = &session->target;
	struct inferior *inferior;
	struct tracee *tracee, *next;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->pads && inferior->pads->urgent)
			return true;
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped && tracee->inferior && pad_stop_must_stay(tracee)) {
			session->ring->retry_ns = target->ops->now_ns(target->self) + RETRY_NS;
			return false;
		}
	return true;
}

void session_pads_tend(struct session *session)
{
	const pid_t current = session->current ? session->current->tid : 0;

	if (!session->ring || session->halted || session->left || !is_to_be_tended(session))
		return;
	session->tended_ns = session->target.ops->now_ns(session->target.self);
	stop_all_tracees(session, session_stop_halted);
	session->current = current ? tracee_find(session, current) : NULL;
	session->updating = session->n_queued;
	if (!session->updating)
		session_pads_go_on(session);
}

/* What a current tracee waits for is in its own stop. */
void session_pads_go_on(struct session *session)
{
	const struct target *target = &session->target;
	const bool turns = session->withdraws && !session->current;

	session->updating = false;
	if (can_update(session))
		update_all(session);
	go_on_others(session, session->current);
	if (turns)
		governor_spend_turning(session->governor,
				       target->ops->now_ns(target->self) - session->tended_ns);
}

void session_pads_turn(struct session *session, uint64_t now_ns)
{
	if (!session->withdraws || session->leaving || session->left) {
		probe_control_turn(session, now_ns);
		return;
	}
	if (!governor_is_due(session->governor, now_ns))
		return;
	governor_put_off(session->governor, now_ns, RESTORING_NS);
	session->restores = true;
}

void session_pads_stop(struct session *session)
{
	const pid_t current = session->current ? session->current->tid : 0;

	if (!session->ring)
		return;
	stop_all_tracees(session, session_stop_halted);
	session->current = current ? tracee_find(session, current) : NULL;
	session_pads_leave(session);
}

void session_pads_leave(struct session *session)
{
	struct inferior *inferior;
	struct tracee *tracee, *next;

	if (!session->ring)
		return;
	bring_out(session);
	HASH_ITER (hh, session->tracees, tracee, next)
		take_back(tracee);
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		pads_lift(inferior, inferior->pid);
	HASH_ITER (hh, session->tracees, tracee, next)
		if (tracee->stopped)
			pad_thread_end(tracee);
}

/* At an int3, a pad's question included, the registers are the program's. */
void session_pads_halt(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next) {
		if (!tracee->stopped || !tracee->inferior)
			continue;
		if (!tracee->at_breakpoint)
			pad_stop_leave(tracee);
		take_back(tracee);
	}
}

void session_pads_resume(struct session *session)
{
	if (session->ring && !session->left && is_to_be_tended(session))
		update_all(session);
}

/* Its frames would be those of another catalogue's functions. */
static void give_up_unstopped(struct session *session)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, session->tracees, tracee, next)
		if (!tracee->stopped && (tracee->pad || tracee->pad_idle)) {
			pads_give_up(tracee->inferior, "a thread of it could not be stopped");
			pad_thread_forget(tracee);
		}
}

void session_pads_pause(struct session *session)
{
	struct inferior *inferior;

	session_pads_leave(session);
	give_up_unstopped(session);
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->pads)
			inferior->pads->dirty = true;
}
