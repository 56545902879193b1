/* A list of the calls open now, to show. call_matching.c follows them. */
#include "trace/call/call_matching.h"
#include "trace/state/engine.h"
#include "trace/call/call_metrics.h"
#include "trace/ring/ring_frames.h"
#include "trace/session_halt.h"

static size_t open_call_count(const struct session *session)
{
	const struct tracee *tracee;
	size_t n = 0;

	for (tracee = session->tracees; tracee; tracee = tracee->hh.next)
		n += tracee->calls.n;
	return n;
}

/* Time run so far; unknown for a migrated call, which stops of several threads fell into. */
static void take_time(const struct tracee *tracee, const struct open_call *call, uint64_t now_ns,
		      struct session_open_call *ret)
{
	const int64_t ns = call_metrics_elapsed(tracee, call, now_ns);

	ret->at_least_ns = ret->at_most_ns = ns;
	if (call->moved) {
		ret->at_least_ns = 0;
		ret->at_most_ns = (int64_t)(now_ns - call->start_ns);
	}
	if (!call->adopted)
		return;
	if (call->adopted_at_most_ns > INT64_MAX - ret->at_most_ns)
		ret->at_most_ns = INT64_MAX;
	else
		ret->at_most_ns += call->adopted_at_most_ns;
}

static void open_call_take(const struct tracee *tracee, const struct open_call *call,
			   struct arena *arena, struct session_open_call *ret)
{
	const struct inferior *inferior = tracee->inferior;
	struct session *session = inferior->session;
	const struct function *function = inferior->image->functions[call->function].function;

	*ret = (struct session_open_call){
		.image = inferior->image->index,
		.function = call->function,
		.id = call_ids_outside(&session->ids, call->id),
		.process = inferior->pid,
		.thread = tracee->tid,
		.is_adopted = call->adopted,
		.features = arena_copy(arena, call->features,
				       function->n_features * sizeof(*call->features)),
		.cfa = call->cfa,
	};
	take_time(tracee, call, session->target.ops->now_ns(session->target.self), ret);
}

/* An exception's victim is found out later; a call whose frame was overwritten is gone. */
static bool is_there(const struct tracee *tracee, const struct open_call *call)
{
	return !call->return_address || call_matching_may_return(tracee, call);
}

/* Those in frames can only be seen while their thread is stopped. */
static void take_frames(struct session *session)
{
	struct tracee *tracee;

	for (tracee = session->tracees; tracee; tracee = tracee->hh.next)
		if (tracee->stopped && tracee->pad)
			ring_frames_take(tracee);
}

size_t session_open_calls(struct session *session, struct arena *arena,
			  struct session_open_call **ret)
{
	const struct tracee *tracee;
	size_t n = 0;
	size_t i;

	take_frames(session);
	*ret = arena_array(arena, struct session_open_call, open_call_count(session));
	for (tracee = session->tracees; tracee; tracee = tracee->hh.next)
		for (i = tracee->calls.n; i > 0; i--)
			if (is_there(tracee, &tracee->calls.calls[i - 1]))
				open_call_take(tracee, &tracee->calls.calls[i - 1], arena,
					       &(*ret)[n++]);
	return n;
}
