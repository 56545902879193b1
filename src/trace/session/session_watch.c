/* What a prompt sees of calls while they last: their beginnings, their ends, one call's end. */
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

/* Filters are in pads. */
void session_watch(struct session *session, unsigned image, unsigned function,
		   const struct session_watch *watch)
{
	struct measured_function *measured = &session->images[image]->functions[function];
	const bool by_stops = watch->ends || (watch->beginnings && !watch->filters);
	const bool same = measured->by_stops == by_stops && measured->filters == watch->filters;

	probe_control_pin(session, session->images[image], function,
			  watch->ends || watch->beginnings);
	measured->tells_beginnings = watch->beginnings;
	measured->by_stops = by_stops;
	measured->filters = watch->filters;
	measured->n_filters = watch->filters ? watch->n_filters : 0;
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
