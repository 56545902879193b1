/* What a prompt sees of calls while they last: their beginnings, their ends, one call's end. */
#include <string.h>

#include "session_pads.h"
#include "trace/call/inferior_plant.h"
#include "trace/call/probe_control.h"
#include "trace/ring/pads.h"
#include "trace/ring/ring_frames.h"
#include "trace/session_halt.h"
#include "trace/state/engine.h"
#include "trace/state/tracee_table.h"

static void renew_all(struct session *session, const struct image *image)
{
	struct inferior *inferior;

	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if (inferior->image == image)
			pads_renew(inferior);
}

static bool same_lines(const struct measured_function *measured, const struct session_watch *watch)
{
	return measured->n_lines == watch->n_lines &&
	       (!watch->n_lines ||
		!memcmp(measured->lines, watch->lines, watch->n_lines * sizeof(*watch->lines)));
}

/* Through which tracee its code can be written; 0: it is not there. */
static pid_t find_way(const struct inferior *inferior, const struct image *image, unsigned function)
{
	return inferior->image == image && inferior->breakpoints &&
			       inferior->modules[image->functions[function].function->module].mapped
		       ? probe_control_find_way(inferior)
		       : 0;
}

/* In code without jumps: an int3 may be within a run of instructions that one replaces. */
static void change_lines(struct session *session, struct image *image, unsigned function,
			 const struct session_watch *watch)
{
	struct measured_function *measured = &image->functions[function];
	struct inferior *inferior;
	pid_t tid;

	if (session->halted)
		session_pads_pause(session);
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if ((tid = find_way(inferior, image, function)))
			inferior_lift_lines(inferior, tid, function);
	measured->lines = watch->lines;
	measured->n_lines = watch->n_lines;
	for (inferior = session->inferiors; inferior; inferior = inferior->next)
		if ((tid = find_way(inferior, image, function))) {
			inferior_plant_lines(inferior, tid, function);
			pads_renew(inferior);
		}
}

/* Filters are in pads. */
void session_watch(struct session *session, unsigned image, unsigned function,
		   const struct session_watch *watch)
{
	struct measured_function *measured = &session->images[image]->functions[function];
	const bool by_stops = watch->ends || (watch->beginnings && !watch->filters);
	const bool same = measured->by_stops == by_stops && measured->filters == watch->filters;

	probe_control_pin(session, session->images[image], function,
			  watch->ends || watch->beginnings || watch->n_lines);
	measured->tells_beginnings = watch->beginnings;
	measured->by_stops = by_stops;
	measured->filters = watch->filters;
	measured->n_filters = watch->filters ? watch->n_filters : 0;
	if (!same_lines(measured, watch))
		change_lines(session, session->images[image], function, watch);
	measured->lines = watch->lines;
	if (!same)
		renew_all(session, session->images[image]);
}

void session_await(struct session *session, pid_t thread, int64_t id)
{
	struct tracee *tracee = tracee_find(session, thread);

	if (!tracee || !tracee->stopped)
		return;
	if (tracee->pad)
		ring_frames_take(tracee);
	for (size_t i = 0; i < tracee->calls.n; i++)
		if (call_ids_outside(&session->ids, tracee->calls.calls[i].id) == id)
			tracee->calls.calls[i].awaited = true;
}
