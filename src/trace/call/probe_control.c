/*
 * Opening and closing functions as the governor decides: planting and lifting their probes in all
 * inferiors that run their program. A call open when its function closes keeps a breakpoint at its
 * return address, so that other calls pass the lifted exits free of cost. call_matching.c handles
 * hits.
 *
 * Tracees may run meanwhile: exits are planted first and the entry is lifted first, so that no call
 * begins whose end would be missed. A thread that hit a probe lifted meanwhile just goes on.
 */
#include "probe_control.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "branches.h"
#include "trace/probe/breakpoint.h"
#include "calls_abandon.h"
#include "trace/cost/cost_probes.h"
#include "trace/state/event_queue.h"
#include "trace/probe/governor.h"
#include "non_local_exits.h"
#include "trace/state/measured.h"
#include "trace/state/tracee_table.h"

/*
 * Relative standard errors below this are small: such a function gets a smaller share, but never
 * less than this part of one, as costs change.
 */
static const double DOUBTED = 0.02, WEIGHT_LEAST = 0.1;

void probe_control_add(struct session *session, struct image *image)
{
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);
	size_t i;

	for (i = 0; i < image->catalogue->n_functions; i++)
		image->functions[i].governed = governor_add(session->governor, now_ns);
}

static struct breakpoint *control_find(const struct inferior *inferior, unsigned index,
				       uint64_t addr)
{
	const unsigned module = inferior->image->functions[index].function->module;

	return breakpoint_find(inferior->breakpoints,
			       module_runtime(inferior->modules[module].load_bias, addr));
}

static bool is_exit_of(const struct inferior *inferior, unsigned index,
		       const struct breakpoint *probe)
{
	return probe &&
	       (inferior->image->functions[index].function->block ? probe->for_blocks
								  : probe->exit_of == (int)index);
}

/*
 * A function's probes in planting order; NULL after the last. Skips probes that could not be made
 * or belong to another function.
 */
static struct breakpoint *next_probe(const struct inferior *inferior, unsigned index, size_t *at)
{
	const struct function *function = inferior->image->functions[index].function;
	struct breakpoint *probe;

	while (*at < function->n_exits) {
		probe = control_find(inferior, index, function->exits[(*at)++].addr);
		if (is_exit_of(inferior, index, probe))
			return probe;
	}
	if (*at == function->n_exits && ++*at && measured_has_first(function)) {
		probe = control_find(inferior, index, function->entry_addr);
		if (probe && probe->first_of == (int)index)
			return probe;
	}
	if (*at == function->n_exits + 1 && ++*at) {
		probe = control_find(inferior, index, function->probe_addr);
		if (probe && probe->entry_of == (int)index)
			return probe;
	}
	return NULL;
}

static void control_lift_unwanted(struct inferior *inferior, pid_t tid,
				  struct breakpoint *breakpoint)
{
	if (breakpoint && !measured_wants(inferior, breakpoint))
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
}

/* In reverse: the entry, then branches, then exits. */
static void lift_probes(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct function *function = inferior->image->functions[index].function;
	struct breakpoint *probe;
	size_t at = function->n_exits;

	while ((probe = next_probe(inferior, index, &at)))
		control_lift_unwanted(inferior, tid, probe);
	branches_lift(inferior, tid, index);
	for (at = 0; at < function->n_exits;)
		control_lift_unwanted(inferior, tid, next_probe(inferior, index, &at));
}

bool probe_control_keep_end(struct inferior *inferior, pid_t tid, struct open_call *call)
{
	struct breakpoint *breakpoint;
	struct err ignored;

	if (call->return_pc || call->kept_pc)
		return true;
	if (!call->return_address || inferior->image->functions[call->function].function->block ||
	    !breakpoint_plant_over(inferior->breakpoints, tid, call->return_address, &breakpoint,
				   &ignored))
		return false;
	breakpoint->returns++;
	breakpoint->returns_of = call->function;
	call->kept_pc = call->return_address;
	return true;
}

static bool keep_ends_of(struct inferior *inferior, pid_t tid, struct call_stack *stack,
			 unsigned index)
{
	bool all = true;
	size_t i;

	for (i = 0; i < stack->n; i++)
		if (stack->calls[i].function == index) {
			stack->calls[i].outlived = true;
			all &= probe_control_keep_end(inferior, tid, &stack->calls[i]);
		}
	return all;
}

static bool keep_ends(struct inferior *inferior, pid_t tid, unsigned index)
{
	bool all = keep_ends_of(inferior, tid, &inferior->orphans, index);
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior)
			all &= keep_ends_of(inferior, tid, &tracee->calls, index);
	return all;
}

/* A call that left by a tail call while pads followed it. */
static void plant_end(struct inferior *inferior, pid_t tid, struct open_call *call)
{
	struct breakpoint *breakpoint;
	struct err ignored;

	if (!breakpoint_plant_over(inferior->breakpoints, tid, call->return_pc, &breakpoint,
				   &ignored))
		return;
	breakpoint->returns++;
	breakpoint->returns_of = call->function;
	call->unplanted = false;
}

void probe_control_see_ends(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	for (size_t i = 0; i < tracee->calls.n; i++) {
		struct open_call *call = &tracee->calls.calls[i];

		if (call->unplanted)
			plant_end(inferior, tracee->tid, call);
		if (!measured_is_closed(inferior, (int)call->function))
			continue;
		call->outlived = true;
		probe_control_keep_end(inferior, tracee->tid, call);
	}
}

/* The first thread may have ended before the others. */
pid_t probe_control_find_way(const struct inferior *inferior)
{
	const struct target *target = &inferior->session->target;
	const struct tracee *first = tracee_find(inferior->session, inferior->pid);
	struct tracee *tracee, *next;
	uint64_t word;
	struct memory_read read = {
		.address = module_runtime(inferior->modules[0].load_bias,
					  inferior->image->catalogue->modules[0].entry_addr),
		.to = &word,
		.size = sizeof(word)};

	if (first && first->inferior == inferior) {
		target->ops->read(target->self, first->tid, &read, 1);
		if (read.ok)
			return first->tid;
	}
	HASH_ITER (hh, inferior->session->tracees, tracee, next) {
		if (tracee->inferior != inferior || tracee == first)
			continue;
		target->ops->read(target->self, tracee->tid, &read, 1);
		if (read.ok)
			return tracee->tid;
	}
	return 0;
}

/* Does a call of it end at an int3? */
static bool ends_by_stop(const struct inferior *inferior, unsigned index)
{
	const struct function *function = inferior->image->functions[index].function;

	for (size_t i = 0; i < function->n_exits; i++) {
		const struct breakpoint *probe =
			control_find(inferior, index, function->exits[i].addr);

		if (is_exit_of(inferior, index, probe) && probe->planted && !probe->padded)
			return true;
	}
	return false;
}

/*
 * Pads of threads that run follow calls of it to such an end, and until they are @told that it is
 * closed those of all threads begin some.
 */
static bool is_in_frames(const struct inferior *inferior, unsigned index, bool told)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->pad && !(told && tracee->frames_taken))
			return ends_by_stop(inferior, index);
	return false;
}

static void close_in(struct inferior *inferior, pid_t tid, unsigned index, bool told)
{
	struct measured_function *measured = &inferior->image->functions[index];

	if (!inferior->modules[measured->function->module].mapped)
		return;
	if (is_in_frames(inferior, index, told))
		measured->exits_stay = inferior->unkept = true;
	if (!keep_ends(inferior, tid, index))
		measured->exits_stay = true;
	lift_probes(inferior, tid, index);
}

/*
 * In all inferiors running @image. @tracee gives access to its own memory; NULL: none does.
 * @told: pads of threads whose frames were taken know that it is closed.
 */
static void close_everywhere(struct session *session, const struct image *image, unsigned index,
			     const struct tracee *tracee, bool told)
{
	struct inferior *inferior;
	pid_t tid;

	image->functions[index].exits_stay = false;
	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		if (inferior->image != image || !inferior->breakpoints)
			continue;
		tid = tracee && inferior == tracee->inferior ? tracee->tid
							     : probe_control_find_way(inferior);
		if (tid)
			close_in(inferior, tid, index, told);
	}
}

/* From now on callers cannot subtract @measured's calls. */
static void count_closing(struct image *image, struct measured_function *measured)
{
	measured->closings++;
	image->closings++;
	image->n_closed++;
}

/* @tracee as in close_everywhere(). */
static void close_function(struct session *session, struct image *image, unsigned index,
			   const struct tracee *tracee, uint64_t now_ns)
{
	struct measured_function *measured = &image->functions[index];

	if (!measured_is_shut(measured)) {
		measured->closed = true;
		measured->passed_ns = 0;
		image->changed_ns = now_ns;
		count_closing(image, measured);
		governor_close(session->governor, measured->governed, now_ns);
	}
	measured->over = false;
	close_everywhere(session, image, index, tracee, false);
}

void probe_control_keep_ends(struct session *session)
{
	struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		inferior->unkept = false;
	for (size_t i = 0; i < session->n_images; i++)
		for (size_t j = 0; j < session->images[i]->catalogue->n_functions; j++) {
			const struct measured_function *measured =
				&session->images[i]->functions[j];

			if (measured_is_shut(measured) && measured->exits_stay)
				close_everywhere(session, session->images[i], j, NULL, true);
		}
}

void probe_control_spend(struct session *session, struct image *image, unsigned index,
			 uint64_t cost_ns, uint64_t reserve_ns)
{
	const struct measured_function *measured = &image->functions[index];
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);

	governor_spend(session->governor, measured->governed, cost_ns, false);
	governor_reserve(session->governor, measured->governed, reserve_ns);
	if (!measured_is_shut(measured) &&
	    !governor_hit(session->governor, measured->governed, now_ns))
		close_function(session, image, index, NULL, now_ns);
}

void probe_control_rest(struct session *session, uint64_t now_ns)
{
	for (size_t i = 0; i < session->n_images; i++)
		for (size_t j = 0; j < session->images[i]->catalogue->n_functions; j++)
			if (governor_may_close(session->governor,
					       session->images[i]->functions[j].governed))
				close_function(session, session->images[i], j, NULL, now_ns);
}

/* Exits first. A probe whose code was unmapped or replaced stays lifted. */
static void open_in(struct inferior *inferior, pid_t tid, unsigned index)
{
	struct breakpoint *probe;
	size_t at = 0;

	while ((probe = next_probe(inferior, index, &at)))
		if (!breakpoint_replant(inferior->breakpoints, tid, probe)) {
			inferior->blind = true;
			return;
		}
	branches_plant(inferior, tid, index);
}

static void open_image(struct inferior *inferior, pid_t tid, const bool *closed)
{
	const struct measured_function *functions = inferior->image->functions;
	size_t i;

	for (i = 0; i < inferior->image->catalogue->n_functions; i++)
		if (closed[functions[i].governed] &&
		    inferior->modules[functions[i].function->module].mapped)
			open_in(inferior, tid, i);
}

/* Mark all as open before planting: hits may come at once. */
static bool *mark_open(struct session *session, uint64_t now_ns)
{
	bool *closed = mem_alloc(governor_functions(session->governor) * sizeof(*closed) + 1);
	size_t i, j;

	for (i = 0; i < session->n_images; i++) {
		struct image *image = session->images[i];

		for (j = 0; j < image->catalogue->n_functions; j++) {
			struct measured_function *measured = &image->functions[j];

			closed[measured->governed] = measured->closed && !measured->disabled;
			if (closed[measured->governed])
				image->changed_ns = now_ns;
			image->n_closed -= closed[measured->governed];
			measured->exits_stay &= measured->disabled;
			measured->closed = measured->over = false;
		}
	}
	return closed;
}

/* Of two functions, what is measured of the less known tells more. */
static void weigh_all(const struct session *session)
{
	for (size_t i = 0; i < session->n_images; i++)
		for (size_t j = 0; j < session->images[i]->catalogue->n_functions; j++) {
			const struct measured_function *measured =
				&session->images[i]->functions[j];
			const double doubt =
				measured->known ? WEIGHT_LEAST * DOUBTED : measured_doubt(measured);

			governor_weigh(session->governor, measured->governed,
				       doubt ? fmin(fmax(doubt / DOUBTED, WEIGHT_LEAST), 1) : 1);
		}
}

void probe_control_turn(struct session *session, uint64_t now_ns)
{
	const struct target *target = &session->target;
	struct inferior *inferior;
	bool *closed;
	pid_t tid;

	if (session->leaving || session->left || !governor_is_due(session->governor, now_ns))
		return;
	weigh_all(session);
	if (!governor_turn(session->governor, now_ns))
		return;
	closed = mark_open(session, now_ns);
	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		cost_probes_resume(inferior);
		if (!inferior->breakpoints || !inferior->image)
			continue;
		tid = probe_control_find_way(inferior);
		if (tid)
			open_image(inferior, tid, closed);
		else
			inferior->blind = true;
	}
	free(closed);
	governor_spend_turning(session->governor, target->ops->now_ns(target->self) - now_ns);
}

static void open_everywhere(struct session *session, const struct image *image, unsigned index)
{
	const unsigned module = image->functions[index].function->module;
	struct inferior *inferior;
	pid_t tid;

	for (inferior = session->inferiors; inferior; inferior = inferior->next) {
		if (inferior->image != image || !inferior->breakpoints ||
		    !inferior->modules[module].mapped)
			continue;
		tid = probe_control_find_way(inferior);
		if (tid)
			open_in(inferior, tid, index);
		else
			inferior->blind = true;
	}
}

/* If it is neither closed nor disabled any more. */
static void open_again(struct session *session, struct image *image, unsigned index)
{
	struct measured_function *measured = &image->functions[index];

	if (measured_is_shut(measured))
		return;
	measured->exits_stay = measured->over = false;
	image->n_closed--;
	session->restores = session->withdraws;
	open_everywhere(session, image, index);
}

static uint64_t windows_ns(const struct session *session, const struct measured_function *measured)
{
	return governor_open_ns(session->governor, measured->governed,
				session->target.ops->now_ns(session->target.self));
}

void probe_control_enable(struct session *session, struct image *image, unsigned index,
			  bool enabled)
{
	struct measured_function *measured = &image->functions[index];
	const bool was_shut = measured_is_shut(measured);

	if (measured->disabled != enabled)
		return;
	measured->disabled = !enabled;
	if (enabled)
		measured->disabled_ns += windows_ns(session, measured) - measured->disabled_at_ns;
	else
		measured->disabled_at_ns = windows_ns(session, measured);
	if (enabled) {
		open_again(session, image, index);
	} else if (!was_shut) {
		count_closing(image, measured);
		close_everywhere(session, image, index, NULL, false);
	}
}

void probe_control_pin(struct session *session, struct image *image, unsigned index, bool pinned)
{
	struct measured_function *measured = &image->functions[index];
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);

	if (pinned)
		measured->over = false;
	if (!governor_pin(session->governor, measured->governed, pinned, now_ns))
		return;
	measured->closed = false;
	open_again(session, image, index);
}

uint64_t probe_control_due_ns(struct session *session)
{
	const uint64_t due_ns = governor_due_ns(session->governor, session->resumed_ns);

	if (session->leaving || session->left || !due_ns)
		return 0;
	/* Stops put it off; asking after each would cost as much as the stop. */
	if (session->due_ns <= session->resumed_ns)
		session->due_ns = due_ns;
	return session->due_ns;
}

void probe_control_planted(struct inferior *inferior, pid_t tid, unsigned module)
{
	struct measured_function *functions = inferior->image->functions;
	size_t i;

	for (i = 0; i < inferior->image->catalogue->n_functions; i++)
		if (measured_is_shut(&functions[i]) && functions[i].function->module == module)
			lift_probes(inferior, tid, i);
}

/*
 * In recursion, many calls return and few are waited for, which costs as much as measuring: give
 * up.
 */
static void abandon_costly_returns(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct measured_function *measured = tracee->charged;

	if (breakpoint->returns && measured->closed &&
	    governor_is_tired(tracee->inferior->session->governor, measured->governed))
		calls_abandon_return(tracee->inferior, tracee->tid, breakpoint->address);
}

/* Does it serve the calls of any function, not one function's own probes? */
static bool serves_all(const struct breakpoint *breakpoint)
{
	return (breakpoint->for_cost || breakpoint->hook) && !breakpoint->returns &&
	       breakpoint->entry_of < 0 && breakpoint->exit_of < 0 && breakpoint->first_of < 0 &&
	       breakpoint->branch_of < 0 && breakpoint->line_of < 0 && !breakpoint->for_blocks;
}

static void say_suspended(struct session *session)
{
	if (!session->said_suspended)
		event_queue_note(session,
				 "to look at every allocation and lock of some calls costs more "
				 "than is allowed: what these cost is not known of them; with "
				 "--max-overhead none it is");
	session->said_suspended = true;
}

/*
 * A begun call is followed to its end, but not at any price: if its cost calls or exceptions have
 * cost another share since its function closed, lift their probes until the next cycle or call.
 */
static void suspend_costly(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct measured_function *measured = tracee->charged;

	if (!measured->closed || !serves_all(breakpoint))
		return;
	tracee->in_vain = true;
	if (!governor_is_tired(tracee->inferior->session->governor, measured->governed))
		return;
	if (breakpoint->hook)
		non_local_exits_lift(tracee->inferior, tracee->tid);
	if (breakpoint->for_cost) {
		cost_probes_suspend(tracee->inferior);
		say_suspended(tracee->inferior->session);
	}
}

void probe_control_after_hit(struct tracee *tracee, struct breakpoint *breakpoint)
{
	struct measured_function *measured = tracee->charged;

	struct inferior *inferior = tracee->inferior;

	if (measured && (measured->over || (measured->exits_stay &&
					    (breakpoint->exit_of >= 0 || breakpoint->for_blocks))))
		close_function(inferior->session, inferior->session->images[inferior->image->index],
			       measured - inferior->image->functions, tracee, tracee->stop_ns);
	if (measured) {
		abandon_costly_returns(tracee, breakpoint);
		suspend_costly(tracee, breakpoint);
	}
}

void probe_control_finish(struct session *session)
{
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);
	size_t i, j;

	for (i = 0; i < session->n_images; i++)
		for (j = 0; j < session->images[i]->catalogue->n_functions; j++) {
			struct measured_function *measured = &session->images[i]->functions[j];

			measured->account.open_ns =
				(measured->disabled ? measured->disabled_at_ns
						    : windows_ns(session, measured)) -
				measured->disabled_ns;
			measured->account.doubt = measured_doubt(measured);
		}
	session->finished_ns = now_ns;
}
