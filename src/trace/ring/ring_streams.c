/*
 * A thread's own clock goes on from event to event, so that no moment depends on how well the rate
 * of ticks was known at another one; it stands still while a pad asks the kernel.
 */
#include "ring_streams.h"

#include <stdlib.h>

#include "base/mem.h"
#include "pad_thread.h"
#include "trace/cost/cost_probes.h"
#include "trace/cost/transfers.h"
#include "trace/state/thread_clock.h"

unsigned ring_streams_metrics(void)
{
	return metric_set_from(METRIC_STREAMS);
}

static void streams_go_to(struct tracee *tracee, uint64_t ticks)
{
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;
	struct ring_streams *streams = &tracee->pad->streams;

	if (streams->ticks)
		streams->own_ns += (int64_t)tsc_clock_ns(clock, (int64_t)(ticks - streams->ticks));
	streams->ticks = ticks;
}

static struct transfer_moment streams_moment_at(const struct tracee *tracee, uint64_t at)
{
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;

	return (struct transfer_moment){tracee->pad->streams.own_ns,
					tsc_clock_moment_ns(clock, at)};
}

static struct transfer_moment streams_moment(struct tracee *tracee, uint64_t at, uint64_t stolen)
{
	streams_go_to(tracee, at - stolen);
	return streams_moment_at(tracee, at);
}

static bool streams_sends(const struct tracee *tracee, const struct pad_event *event)
{
	const struct catalogue *catalogue = tracee->inferior->image->catalogue;

	return event->function && event->function <= catalogue->n_cost_functions &&
	       catalogue->cost_functions[event->function - 1].kind == COST_SEND;
}

/* One that is not known any more was overwritten in the block by one that is. */
static struct stream_position streams_position(const struct ring_streams *streams,
					       const struct pad_event *event)
{
	struct stream_position ret = {.connection = CONNECTION_NONE};

	if (streams->known && streams->known[streams->cookie % PAD_KNOWN].cookie == streams->cookie)
		ret = streams->known[streams->cookie % PAD_KNOWN];
	ret.sent = ret.received = ret.connection == CONNECTION_TCP ? event->a : 0;
	ret.waiting = event->b != 0;
	return ret;
}

static void streams_begin_transfer(struct tracee *tracee, const struct pad_event *event)
{
	const struct tsc_clock *clock = &tracee->inferior->session->ring->clock;
	struct ring_streams *streams = &tracee->pad->streams;
	const struct stream_position at = streams_position(streams, event);
	const uint64_t took = event->at - streams->began;
	const uint64_t asked = took < PAD_DRIVEN ? took : 0;

	transfers_frame_transfer(tracee, &at, streams_sends(tracee, event),
				 streams_moment_at(tracee, streams->began));
	streams->ticks += asked;
	streams->spent_ns += tsc_clock_ns(clock, (int64_t)asked);
}

static void streams_end_transfer(struct tracee *tracee, const struct pad_event *event)
{
	const struct transfer_moment now = streams_moment(tracee, event->at, event->b);
	const bool moved =
		tracee->transfer.at.connection != CONNECTION_NONE && (int64_t)event->a > 0;

	tracee->transfer.closed = !streams_sends(tracee, event) && !event->a;
	transfers_frame_transferred(tracee, moved ? event->a : 0, now);
}

static void streams_end_call(struct tracee *tracee, int64_t id, struct transfer_moment now)
{
	struct ring_streams *streams = &tracee->pad->streams;
	struct transfers of;

	if (!transfers_frame_ends(tracee, id, &of))
		return;
	transfers_end_call(tracee, &of, now);
	streams->ended = mem_grow(streams->ended, &streams->capacity, streams->n_ended + 1,
				  sizeof(*streams->ended));
	streams->ended[streams->n_ended++] = (struct ring_streams_ended){id, now.stop_ns, of};
}

void ring_streams_event(struct tracee *tracee, const struct pad_event *event)
{
	struct transfer_moment now;

	if (!tracee->inferior->session->ring->streams)
		return;
	switch ((enum pad_event_kind)event->kind) {
	case PAD_EVENT_CALL:
		now = streams_moment(tracee, event->at, event->b);
		transfers_frame_begins(tracee, (int64_t)event->a, now);
		break;
	case PAD_EVENT_END:
		now = streams_moment(tracee, event->at, event->b);
		streams_end_call(tracee, (int64_t)event->a, now);
		break;
	case PAD_EVENT_STREAM:
		streams_go_to(tracee, event->at - event->a);
		tracee->pad->streams.cookie = event->b;
		tracee->pad->streams.began = event->at;
		break;
	case PAD_EVENT_POSITION:
		streams_begin_transfer(tracee, event);
		break;
	case PAD_EVENT_STREAM_END:
		streams_end_transfer(tracee, event);
		break;
	case PAD_EVENT_COST:
	case PAD_EVENT_SITE:
	case PAD_EVENT_COST_END:
		break;
	}
}

void ring_streams_take(struct tracee *tracee)
{
	struct ring_streams *streams = &tracee->pad->streams;

	streams_go_to(tracee, pad_thread_moment(tracee));
	transfers_take_frames(tracee, thread_clock_ns(tracee) - streams->own_ns);
	streams->own_ns = thread_clock_ns(tracee);
}

/* From now on pads need not ask about it; one whose other end is not known yet may get to be so. */
static void streams_learn(struct tracee *tracee)
{
	const struct stream_position *at = &tracee->transfer.at;
	struct ring_streams *streams = &tracee->pad->streams;

	if (!tracee->cost.function || !transfers_have(tracee->cost.function->kind) || !at->cookie ||
	    at->connection == CONNECTION_NONE || at->way == MESSAGE_BY_INTERVAL)
		return;
	if (!streams->known)
		streams->known = mem_alloc(PAD_KNOWN * sizeof(*streams->known));
	if (streams->known[at->cookie % PAD_KNOWN].cookie == at->cookie)
		return;
	if (pad_thread_write(tracee, pad_block_known(at->cookie), &at->cookie, sizeof(at->cookie)))
		streams->known[at->cookie % PAD_KNOWN] = *at;
}

void ring_streams_give(struct tracee *tracee, uint64_t now)
{
	if (!tracee->inferior->session->ring->streams)
		return;
	tracee->pad->streams.own_ns = thread_clock_ns(tracee);
	tracee->pad->streams.ticks = now;
	streams_learn(tracee);
}

/* Those that were asked for before. */
static void streams_drop_ended(struct ring_streams *streams)
{
	size_t n = 0;

	if (!streams->next)
		return;
	for (size_t i = streams->next; i < streams->n_ended; i++)
		streams->ended[n++] = streams->ended[i];
	streams->n_ended = n;
	streams->next = 0;
}

/* Records come in the order of the ends, but not all ends lead to one. */
static const struct ring_streams_ended *streams_ended(struct ring_streams *streams, int64_t id)
{
	size_t i = streams->next;

	while (i < streams->n_ended && streams->ended[i].id != id)
		i++;
	if (i == streams->n_ended)
		return NULL;
	streams->next = i + 1;
	return &streams->ended[i];
}

/* The call is found among others' by them. What its pads took, and stops, passed all the same. */
static void streams_take_moments(const struct session *session,
				 const struct ring_streams_ended *ended, struct call_record *call)
{
	const struct value *time = &call->metrics[METRIC_TIME];
	const int64_t elapsed = (int64_t)(ended->ended_ns - ended->of.began_stop_ns);
	const int64_t known = call->waited_ns + (int64_t)(time->number * 1000);

	call->start_ns = (int64_t)(ended->of.began_stop_ns - session->start_ns);
	call->stopped_ns = time->absence == PRESENT && elapsed > known ? elapsed - known : 0;
}

void ring_streams_record(struct tracee *tracee, int64_t id, struct call_record *call)
{
	const struct session *session = tracee->inferior->session;
	const struct ring_streams_ended *ended;

	if (!session->ring->streams)
		return;
	streams_drop_ended(&tracee->pad->streams);
	ended = streams_ended(&tracee->pad->streams, id);
	if (!ended || !cost_probes_known(tracee->inferior, METRIC_REMOTE))
		return;
	call->messages = transfers_frame_messages(&ended->of);
	call->metrics[METRIC_REMOTE] = transfers_remote_of(&ended->of, call->metrics[METRIC_TIME]);
	streams_take_moments(session, ended, call);
}
