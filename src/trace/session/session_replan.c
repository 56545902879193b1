/*
 * Replacing the catalogue while processes run the program: keep what both have in common
 * (catalogue_map.c), forget what is gone, plant what is new.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "trace/probe/breakpoint.h"
#include "trace/call/calls_abandon.h"
#include "trace/cost/cost_calls.h"
#include "trace/cost/cost_probes.h"
#include "trace/state/callee_sums.h"
#include "trace/state/engine.h"
#include "trace/call/probe_control.h"
#include "trace/probe/governor.h"
#include "inferior.h"
#include "trace/cost/lock_calls.h"
#include "trace/state/measured.h"
#include "trace/state/hardware.h"
#include "inferior_modules.h"
#include "trace/call/inferior_plant.h"
#include "trace/call/branches.h"
#include "trace/call/feature_reading.h"
#include "catalogue_map.h"
#include "session_pads.h"
#include "trace/ring/pads.h"
#include "trace/session_halt.h"
#include "trace/state/tracee_table.h"

struct catalogue_change {
	struct session *session;
	struct image *image;
	struct catalogue_map map;
	struct measured_function *before; /* image's */
	bool *kept;                       /* [new functions] */
};

static int translate(const struct catalogue_change *replan, int index)
{
	return index < 0 ? -1 : replan->map.functions[index];
}

/* @tid gives access to the process's memory. */
typedef void visit_inferior(struct catalogue_change *replan, struct inferior *inferior, pid_t tid);

/* Skips processes that just began an exec or have no threads left. */
static void each_inferior(struct catalogue_change *replan, visit_inferior *visit)
{
	struct inferior *inferior;

	for (inferior = replan->session->inferiors; inferior; inferior = inferior->next)
		if (inferior->image == replan->image)
			visit(replan, inferior,
			      inferior->breakpoints ? probe_control_find_way(inferior) : 0);
}

typedef void visit_stack(struct catalogue_change *replan, struct inferior *inferior, pid_t tid,
			 struct call_stack *stack);

static void each_stack(struct catalogue_change *replan, struct inferior *inferior,
		       visit_stack *visit)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, replan->session->tracees, tracee, next)
		if (tracee->inferior == inferior)
			visit(replan, inferior, tracee->tid, &tracee->calls);
	visit(replan, inferior, inferior->pid, &inferior->orphans);
}

/* Abandon calls of functions that are gone. */
static void abandon_in(struct catalogue_change *replan, struct inferior *inferior, pid_t tid,
		       struct call_stack *stack)
{
	size_t i;

	for (i = stack->n; i > 0; i--)
		if (replan->map.functions[stack->calls[i - 1].function] < 0)
			calls_abandon(inferior, tid, stack, &stack->calls[i - 1]);
}

/* An exec may have left one of another program. */
static struct measured_function *moved(const struct catalogue_change *replan,
				       const struct measured_function *measured)
{
	const uintptr_t offset = (uintptr_t)measured - (uintptr_t)replan->before;
	int now = -1;

	if (measured && offset < replan->map.before->n_functions * sizeof(*measured))
		now = translate(replan, (int)(offset / sizeof(*measured)));
	return now < 0 ? NULL : &replan->image->functions[now];
}

/* Threads' pointers to functions; a call that began in this stop may be gone. */
static void translate_tracees(struct catalogue_change *replan, const struct inferior *inferior)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, replan->session->tracees, tracee, next) {
		const struct open_call *top =
			tracee->calls.n ? &tracee->calls.calls[tracee->calls.n - 1] : NULL;

		if (tracee->inferior != inferior)
			continue;
		tracee->call_began = tracee->call_began && top && !top->start_ns;
		tracee->call_is_fresh = tracee->call_is_fresh && tracee->call_began;
		tracee->charged = moved(replan, tracee->charged);
		tracee->entered.function = moved(replan, tracee->entered.function);
	}
}

static void abandon_gone(struct catalogue_change *replan, struct inferior *inferior, pid_t tid)
{
	(void)tid;
	each_stack(replan, inferior, abandon_in);
}

/* The function that @event is about; NULL: none of the image. */
static unsigned *function_of(const struct catalogue_change *replan, struct session_event *event)
{
	if ((event->kind == SESSION_CALL || event->kind == SESSION_BEGAN) &&
	    event->call.image == replan->image->index)
		return &event->call.function;
	if (event->kind == SESSION_LINE && event->line.image == replan->image->index)
		return &event->line.function;
	if (event->kind == SESSION_LIMIT && event->limit.image == replan->image->index)
		return &event->limit.function;
	return NULL;
}

/* False: its function is gone, and so is the event. */
static bool translate_event(const struct catalogue_change *replan, struct queued_event *queued)
{
	unsigned *function = function_of(replan, &queued->event);
	const int now = function ? translate(replan, (int)*function) : 0;

	if (now < 0) {
		free(queued->features);
		free(queued->branches);
		callee_sums_destroy(queued->callees);
		free(queued->sites);
		return false;
	}
	if (function) { /* their numbers are those of the old catalogue */
		callee_sums_destroy(queued->callees);
		queued->event.call.callees = queued->callees = NULL;
		free(queued->sites);
		queued->event.call.sites = queued->sites = NULL;
	}
	if (function && queued->features)
		queued->event.call.features = queued->features =
			catalogue_map_values(&replan->map, *function, queued->features);
	if (function)
		*function = (unsigned)now;
	return true;
}

/* Including queued events. */
static void translate_queue(struct catalogue_change *replan)
{
	struct session *session = replan->session;
	size_t kept = session->next_queued;
	size_t i;

	for (i = kept; i < session->n_queued; i++)
		if (translate_event(replan, &session->queue[i]))
			session->queue[kept++] = session->queue[i];
	session->n_queued = kept;
}

/* Keep what was learned about a function; the new catalogue says how to read it. */
static void carry(const struct measured_function *before, struct measured_function *now,
		  uint64_t now_ns)
{
	const struct measured_function fresh = *now;

	*now = *before;
	now->function = fresh.function;
	now->at_entry = fresh.at_entry;
	now->at_return = fresh.at_return;
	now->few = fresh.few;
	now->system = fresh.system;
	now->n_system = fresh.n_system;
	now->blank = fresh.blank;
	branches_ask(now, now_ns);
}

/* Open calls missed calls of functions that are new or gone. */
static void replace_functions(struct catalogue_change *replan)
{
	struct session *session = replan->session;
	struct image *image = replan->image;
	const uint64_t now_ns = session->target.ops->now_ns(session->target.self);
	const size_t n_before = image->catalogue->n_functions;
	size_t i;

	image->catalogue = replan->map.now;
	feature_reading_set_up(session, image);
	for (i = 0; i < n_before; i++) {
		const int index = replan->map.functions[i];

		if (index < 0) {
			governor_remove(session->governor, replan->before[i].governed);
			continue;
		}
		carry(&replan->before[i], &image->functions[index], now_ns);
		replan->kept[index] = true;
	}
	image->n_closed = 0;
	image->closings++;
	for (i = 0; i < image->catalogue->n_functions; i++) {
		if (!replan->kept[i])
			image->functions[i].governed = governor_add(session->governor, now_ns);
		image->n_closed += measured_is_shut(&image->functions[i]);
	}
}

static void translate_breakpoint(void *self, struct breakpoint *breakpoint)
{
	const struct catalogue_change *replan = self;

	breakpoint->entry_of = translate(replan, breakpoint->entry_of);
	breakpoint->exit_of = translate(replan, breakpoint->exit_of);
	breakpoint->branch_of = translate(replan, breakpoint->branch_of);
	breakpoint->first_of = translate(replan, breakpoint->first_of);
	breakpoint->line_of = translate(replan, breakpoint->line_of);
}

static void replan_note_return(struct inferior *inferior, uint64_t pc, unsigned function)
{
	struct breakpoint *breakpoint =
		pc && inferior->breakpoints ? breakpoint_find(inferior->breakpoints, pc) : NULL;

	if (breakpoint)
		breakpoint->returns_of = function;
}

/* All that remain are of existing functions. */
static void translate_calls(struct catalogue_change *replan, struct inferior *inferior, pid_t tid,
			    struct call_stack *stack)
{
	size_t i;

	(void)tid;
	for (i = 0; i < stack->n; i++) {
		struct open_call *call = &stack->calls[i];

		call->features = catalogue_map_values(&replan->map, call->function, call->features);
		call->function = (unsigned)translate(replan, (int)call->function);
		replan_note_return(inferior, call->return_pc, call->function);
		replan_note_return(inferior, call->kept_pc, call->function);
	}
}

static void replace_modules(struct catalogue_change *replan, struct inferior *inferior)
{
	const size_t n = replan->map.now->n_modules;
	const struct inferior_module **before = mem_alloc((n + 1) * sizeof(*before));
	size_t i;

	for (i = 0; i < replan->map.before->n_modules; i++)
		if (replan->map.modules[i] >= 0)
			before[replan->map.modules[i]] = &inferior->modules[i];
	inferior_modules_replace(inferior, before);
	free(before);
}

/* Branches that calls are asked for again; pads are made anew. */
static void plant_branches(const struct catalogue_change *replan, struct inferior *inferior,
			   pid_t tid)
{
	const struct image *image = replan->image;

	for (size_t i = 0; i < image->catalogue->n_functions && !inferior->pads; i++)
		if (replan->kept[i] && !measured_is_shut(&image->functions[i]) &&
		    inferior->modules[image->functions[i].function->module].mapped)
			branches_plant(inferior, tid, i);
}

/* New libraries are planted when they are found. */
static void plant_new(const struct catalogue_change *replan, struct inferior *inferior, pid_t tid)
{
	const struct image *image = replan->image;
	size_t i;

	for (i = 0; i < image->catalogue->n_functions; i++)
		if (!replan->kept[i] &&
		    inferior->modules[image->functions[i].function->module].mapped)
			inferior_plant_function(inferior, tid, i);
	inferior_modules_find(inferior, tid);
}

struct lifting {
	struct inferior *inferior;
	pid_t tid;
};

static void lift_unwanted(void *self, struct breakpoint *breakpoint)
{
	const struct lifting *lifting = self;

	if (!measured_wants(lifting->inferior, breakpoint))
		breakpoint_lift(lifting->inferior->breakpoints, lifting->tid, breakpoint);
}

/* A thread that can make a system call for us, with no pending signal to lose. 0: none. */
static pid_t replan_find_helper(const struct inferior *inferior)
{
	const struct tracee *tracee;

	for (tracee = inferior->session->tracees; tracee; tracee = tracee->hh.next)
		if (tracee->inferior == inferior && tracee->role == TRACEE_THREAD &&
		    tracee->stopped && !tracee->in_call && !tracee->signal &&
		    tracee->next == NEXT_RESUME)
			return tracee->tid;
	return 0;
}

static void change(struct catalogue_change *replan, struct inferior *inferior, pid_t tid)
{
	struct breakpoint_table *breakpoints = inferior->breakpoints;
	const pid_t helper = replan_find_helper(inferior);
	struct lifting lifting = {inferior, tid};

	pads_replan(inferior);
	inferior->begun_last = translate(replan, inferior->begun_last);
	translate_tracees(replan, inferior);
	each_stack(replan, inferior, translate_calls);
	replace_modules(replan, inferior);
	cost_calls_replace(inferior, catalogue_map_cost, &replan->map);
	cost_probes_replace(inferior, catalogue_map_cost, &replan->map);
	if (!breakpoints)
		return;
	breakpoint_table_each(breakpoints, translate_breakpoint, replan);
	inferior->blind |= !tid;
	if (!tid)
		return;
	if (helper)
		breakpoint_table_reopen(breakpoints, helper);
	plant_new(replan, inferior, helper ? helper : tid);
	plant_branches(replan, inferior, helper ? helper : tid);
	if (helper)
		breakpoint_table_complete(breakpoints, helper);
	breakpoint_table_each(breakpoints, lift_unwanted, &lifting);
}

static void replan_image(struct session *session, struct image *image,
			 const struct catalogue *catalogue)
{
	struct catalogue_change replan = {
		.session = session,
		.image = image,
		.before = image->functions,
		.kept = mem_alloc(catalogue->n_functions * sizeof(bool) + 1),
	};

	catalogue_map_init(&replan.map, image->catalogue, catalogue);
	lock_calls_tell_all(session);
	translate_queue(&replan);
	each_inferior(&replan, abandon_gone);
	replace_functions(&replan);
	each_inferior(&replan, change);
	catalogue_map_deinit(&replan.map);
	free(replan.kept);
}

static struct inferior *first_inferior(const struct session *session)
{
	struct inferior *inferior = session->inferiors;

	while (inferior && inferior->pid != session->pid)
		inferior = inferior->next;
	return inferior;
}

/* Its first catalogue. A process not resumed yet begins with its loader. */
static bool measure_first(struct session *session, const struct catalogue *catalogue,
			  struct err *err)
{
	struct inferior *inferior = first_inferior(session);
	const struct tracee *first = tracee_find(session, session->pid);
	const pid_t helper = inferior ? replan_find_helper(inferior) : 0;

	if (!inferior || inferior->image || !helper)
		return err_set(err, ERR_TARGET,
			       "process %d has no thread that can be made to do anything",
			       (int)session->pid);
	if (first && !first->stops)
		return inferior_measure(inferior, catalogue, err);
	inferior_measure_running(inferior, catalogue, helper);
	return true;
}

bool session_replan(struct session *session, unsigned image, const struct catalogue *catalogue,
		    struct err *err)
{
	if (!session->halted)
		return err_set(err, ERR_TARGET, "the process is not halted");
	if (!hardware_fits(catalogue, &session->options, err))
		return false;
	if (image >= session->n_images)
		return measure_first(session, catalogue, err);
	session_pads_pause(session);
	replan_image(session, session->images[image], catalogue);
	return true;
}

void session_tell_known(struct session *session, unsigned image, unsigned function, bool known)
{
	session->images[image]->functions[function].known = known;
}

void session_enable(struct session *session, unsigned image, unsigned function, bool enabled)
{
	probe_control_enable(session, session->images[image], function, enabled);
}
