/* What a transfer means for the calls that are open in its thread. */
#include "transfers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/mem.h"
#include "cost_probes.h"
#include "requests.h"
#include "trace/state/engine.h"
#include "trace/state/event_queue.h"
#include "trace/state/thread_clock.h"

bool transfers_have(enum cost_call_kind kind)
{
	return kind == COST_SEND || kind == COST_RECEIVE;
}

static bool position_of(const struct tracee *tracee, struct stream_position *ret)
{
	const struct target *target = &tracee->inferior->session->target;

	return target->ops->stream(target->self, tracee->inferior->pid,
				   (int)tracee->cost.arguments[0], ret);
}

static uint64_t transfer_stream(const struct tracee *tracee, const struct stream_position *at)
{
	return tracee->transfer.sends ? at->sending : at->receiving;
}

/* Its time without a processor since @from_ns, until @to_ns. */
static int64_t transfer_waited_ns(const struct tracee *tracee, uint64_t from_ns, uint64_t to_ns)
{
	const struct target *target = &tracee->inferior->session->target;

	return (int64_t)target->ops->waited_ns(target->self, tracee->tid, from_ns, to_ns);
}

void transfers_begin(struct tracee *tracee)
{
	struct transfer *transfer = &tracee->transfer;

	*transfer = (struct transfer){.sends = tracee->cost.function->kind == COST_SEND,
				      .began_ns = thread_clock_ns(tracee),
				      .began_stop_ns = tracee->stop_ns};
	if (!position_of(tracee, &transfer->at))
		transfer->at.connection = CONNECTION_NONE;
}

static bool answers(const struct transfers *of, const struct transfer *transfer)
{
	if (!of->messages.served.peers)
		return false;
	if (transfer->at.connection == CONNECTION_PIPE)
		return of->served_by == CONNECTION_PIPE;
	return of->messages.served.stream == transfer->at.receiving;
}

/* Its work until @now is the answer's cost. */
static void note_worked(const struct tracee *tracee, struct transfers *of,
			struct transfer_moment now)
{
	const bool whole = !of->since_stop_ns;
	const int64_t since_ns = whole ? of->began_ns : of->since_ns;
	const uint64_t since_stop_ns = whole ? of->began_stop_ns : of->since_stop_ns;
	const int64_t waited = transfer_waited_ns(tracee, since_stop_ns, now.stop_ns);
	const int64_t elapsed = now.own_ns - since_ns;
	const int64_t worked = elapsed - of->receiving_ns - waited;
	const int64_t lost = (int64_t)(now.stop_ns - since_stop_ns) - elapsed + waited;

	of->messages.served.worked_ns = worked > 0 ? (uint64_t)worked : 1;
	of->messages.served.lost_ns = lost > 0 ? (uint64_t)lost : 0;
}

/* What it does afterwards nobody awaits. */
static void note_answering(const struct tracee *tracee, struct transfers *of)
{
	const struct transfer *transfer = &tracee->transfer;

	of->messages.served.ended_ns = transfer->began_stop_ns;
	note_worked(tracee, of,
		    (struct transfer_moment){transfer->began_ns, transfer->began_stop_ns});
}

/* Who awaited a request and leaves the answer to others worked for it until the end. */
void transfers_end_call(const struct tracee *tracee, struct transfers *of,
			struct transfer_moment now)
{
	const struct message *served = &of->messages.served;

	if (served->peers && of->since_stop_ns && !served->worked_ns)
		note_worked(tracee, of, now);
}

/* Where what is sent on @stream is among what was asked; MESSAGE_ASKED_MOST: nowhere. */
static unsigned place_of(const struct transfers *of, uint64_t stream)
{
	unsigned i = 0;

	while (i < MESSAGE_ASKED_MOST &&
	       (!of->messages.asked[i].peers || of->messages.asked[i].stream != stream))
		i++;
	return i;
}

/* A pipe does not say which other one answers it: of several nothing is told apart. */
static unsigned add_place(struct transfers *of, enum connection connection, uint64_t stream)
{
	struct message *asked = of->messages.asked;
	const unsigned known = place_of(of, stream);
	const unsigned most = connection == CONNECTION_PIPE ? 1 : MESSAGE_ASKED_MOST;
	unsigned i = 0;

	if (known < MESSAGE_ASKED_MOST)
		return known;
	while (i < most && asked[i].peers)
		i++;
	if (i)
		asked->peers++;
	return i < most ? i : MESSAGE_ASKED_MOST;
}

static void note_sent(const struct tracee *tracee, struct transfers *of, uint64_t n)
{
	const struct transfer *transfer = &tracee->transfer;
	unsigned place;

	requests_settle(tracee, of);
	if (answers(of, transfer)) {
		note_answering(tracee, of);
		return;
	}
	if (transfer->at.connection < of->asked_by)
		return;
	if (transfer->at.connection > of->asked_by) {
		memset(of->messages.asked, 0, sizeof(of->messages.asked));
		memset(of->waits, 0, sizeof(of->waits));
		of->remote_ns = 0;
	}
	of->asked_by = transfer->at.connection;
	place = add_place(of, of->asked_by, transfer->at.sending);
	if (place < MESSAGE_ASKED_MOST) {
		struct message *asked = &of->messages.asked[place];

		requests_extend(asked, &transfer->at, transfer->at.sending, transfer->at.sent, n);
		if (!asked->began_ns)
			asked->began_ns = transfer->began_stop_ns;
	}
	if (!of->waits[place].awaits)
		of->waits[place] = (struct peer_wait){true, transfer->began_ns,
						      transfer->began_stop_ns, of->remote_ns};
}

/*
 * What was received answers what was asked at @ret. Of more peers than are told apart anything may
 * be an answer.
 */
static bool is_answer(const struct transfers *of, const struct transfer *transfer, unsigned *ret)
{
	const struct messages *messages = &of->messages;

	if (!messages->asked[0].peers || transfer->at.connection != of->asked_by)
		return false;
	*ret = of->asked_by == CONNECTION_PIPE ? 0 : place_of(of, transfer->at.sending);
	return *ret < MESSAGE_ASKED_MOST || (messages->asked[0].peers > MESSAGE_ASKED_MOST &&
					     messages->served.stream != transfer->at.receiving);
}

/* A request that the call had to await is not worked for before it is there. */
static void note_request(const struct tracee *tracee, struct transfers *of, uint64_t n)
{
	const struct transfer *transfer = &tracee->transfer;
	struct message *served = &of->messages.served;

	if (transfer->at.connection < of->served_by)
		return;
	if (transfer->at.connection > of->served_by ||
	    (of->received_before && served->stream != transfer->at.receiving))
		*served = (struct message){0};
	requests_settle(tracee, of);
	of->received_before = false;
	of->served_by = transfer->at.connection;
	requests_extend(served, &transfer->at, transfer->at.receiving, transfer->at.received, n);
	if (!served->began_ns) {
		served->began_ns = served->ended_ns = transfer->ended_stop_ns;
		of->receiving_ns = 0;
		of->since_ns = transfer->ended_ns;
		of->since_stop_ns = transfer->at.waiting ? 0 : transfer->ended_stop_ns;
		if (!transfer->at.waiting)
			return;
	}
	of->receiving_ns +=
		transfer->ended_ns - transfer->began_ns -
		transfer_waited_ns(tracee, transfer->began_stop_ns, transfer->ended_stop_ns);
}

/* Its wait for a processor is in no call's time. */
static int64_t remote_until(const struct tracee *tracee, const struct peer_wait *wait,
			    int64_t now_ns, uint64_t now_stop_ns)
{
	return wait->remote_ns + now_ns - wait->until_ns -
	       transfer_waited_ns(tracee, wait->until_stop_ns, now_stop_ns);
}

/* Waits that began within this one, whose time was not known then, have it before them. */
static void transfers_end_wait(const struct tracee *tracee, struct transfers *of, unsigned place)
{
	struct peer_wait *wait = &of->waits[place];
	const struct transfer *transfer = &tracee->transfer;
	const int64_t remote =
		remote_until(tracee, wait, transfer->ended_ns, transfer->ended_stop_ns);

	for (unsigned i = 0; i <= MESSAGE_ASKED_MOST; i++) {
		struct peer_wait *other = &of->waits[i];
		int64_t before;

		if (!other->awaits || other->until_ns <= wait->until_ns)
			continue;
		before = remote_until(tracee, wait, other->until_ns, other->until_stop_ns);
		other->remote_ns = before > other->remote_ns ? before : other->remote_ns;
	}
	of->remote_ns = remote > of->remote_ns ? remote : of->remote_ns;
	*wait = (struct peer_wait){false, transfer->ended_ns, transfer->ended_stop_ns,
				   of->remote_ns};
}

static void note_received(const struct tracee *tracee, struct transfers *of, uint64_t n)
{
	unsigned place;

	if (!is_answer(of, &tracee->transfer, &place)) {
		note_request(tracee, of, n);
		return;
	}
	transfers_end_wait(tracee, of, place);
	if (place < MESSAGE_ASKED_MOST)
		of->messages.asked[place].ended_ns = tracee->transfer.ended_stop_ns;
}

/* What the kernel has noted in each of several messages. */
static uint64_t sum_messages_at(const struct tracee *tracee, size_t n)
{
	const struct target *target = &tracee->inferior->session->target;
	struct mmsghdr *messages = mem_alloc((n + 1) * sizeof(*messages));
	struct memory_read read = {tracee->cost.arguments[1], messages, n * sizeof(*messages),
				   false};
	uint64_t ret = 0;

	target->ops->read(target->self, tracee->tid, &read, 1);
	for (size_t i = 0; read.ok && i < n; i++)
		ret += messages[i].msg_len;
	free(messages);
	return ret;
}

/* By what the call itself gives. */
static uint64_t bytes_told(const struct tracee *tracee)
{
	const int64_t result = (int64_t)tracee->registers.rax;
	const int32_t n = (int32_t)result;

	if (cost_call_gives_messages(tracee->cost.function->name))
		return n > 0 && n <= UIO_MAXIOV ? sum_messages_at(tracee, (size_t)n) : 0;
	return result > 0 ? (uint64_t)result : 0;
}

/* How much was moved? Other threads may have used a TCP connection meanwhile: theirs is in it. */
static uint64_t bytes_moved(const struct tracee *tracee)
{
	const struct transfer *transfer = &tracee->transfer;
	struct stream_position now;
	uint64_t from, to;

	if (transfer->at.connection == CONNECTION_NONE)
		return 0;
	if (transfer->at.connection != CONNECTION_TCP)
		return bytes_told(tracee);
	if (!position_of(tracee, &now) ||
	    transfer_stream(tracee, &transfer->at) != transfer_stream(tracee, &now))
		return 0;
	from = transfer->sends ? transfer->at.sent : transfer->at.received;
	to = transfer->sends ? now.sent : now.received;
	return to > from ? to - from : 0;
}

static void transfers_tell_call(const struct tracee *tracee, struct transfers *of, uint64_t n)
{
	if (tracee->transfer.sends)
		note_sent(tracee, of, n);
	else
		note_received(tracee, of, n);
}

static void transfer_ends(struct tracee *tracee, uint64_t n, struct transfer_moment now)
{
	struct framed_transfers *framed = &tracee->framed_transfers;

	tracee->transfer.ended_ns = now.own_ns;
	tracee->transfer.ended_stop_ns = now.stop_ns;
	for (size_t i = 0; n && i < tracee->calls.n; i++) {
		struct open_call *call = &tracee->calls.calls[i];
		struct transfers *of = &call->transfers;

		if (!call->by_pad || !of->began_stop_ns) {
			of->began_ns = thread_clock_began_ns(tracee, call);
			of->began_stop_ns = call->start_ns;
		}
		transfers_tell_call(tracee, of, n);
	}
	for (size_t i = 0; n && i < framed->n; i++)
		transfers_tell_call(tracee, &framed->list[i].of, n);
	requests_transferred(tracee, n);
}

void transfers_end(struct tracee *tracee)
{
	const struct transfer_moment now = {thread_clock_ns(tracee), tracee->stop_ns};

	tracee->transfer.closed = !tracee->transfer.sends && !tracee->registers.rax;
	transfer_ends(tracee, bytes_moved(tracee), now);
}

static struct messages transfers_messages_of(const struct transfers *of, uint64_t began_ns)
{
	struct messages ret = of->messages;

	if (ret.asked[0].way != MESSAGE_BY_POSITION && !ret.asked[0].ended_ns)
		memset(ret.asked, 0, sizeof(ret.asked));
	if (ret.asked[0].peers || ret.served.peers) {
		ret.clock = stream_position_clock();
		ret.began_ns = began_ns;
	}
	return ret;
}

struct messages transfers_messages(const struct tracee *tracee, const struct open_call *call)
{
	const uint64_t by_pad_ns = call->by_pad ? call->transfers.began_stop_ns : 0;
	struct transfers of = call->transfers;

	transfers_end_call(tracee, &of,
			   (struct transfer_moment){thread_clock_ns(tracee), tracee->stop_ns});
	return transfers_messages_of(&of, by_pad_ns ? by_pad_ns : call->start_ns);
}

struct messages transfers_frame_messages(const struct transfers *of)
{
	return transfers_messages_of(of, of->began_stop_ns);
}

static void transfers_inherit_from(struct transfers *of, const struct transfers *caller)
{
	struct message *served = &of->messages.served;

	*served = caller->messages.served;
	served->inherited = served->peers;
	served->worked_ns = served->lost_ns = 0;
	of->served_by = caller->served_by;
	of->received_before = caller->received_before;
}

void transfers_begin_call(struct tracee *tracee, struct open_call *call,
			  const struct open_call *caller)
{
	if (caller)
		transfers_inherit_from(&call->transfers, &caller->transfers);
	else
		requests_begin_call(tracee, &call->transfers);
}

static void add_framed_transfers(struct framed_transfers *framed, int64_t id,
				 const struct transfers *of)
{
	framed->list =
		mem_grow(framed->list, &framed->capacity, framed->n + 1, sizeof(*framed->list));
	framed->list[framed->n++] = (struct framed_transfer){id, *of};
}

void transfers_frame_begins(struct tracee *tracee, int64_t id, struct transfer_moment now)
{
	struct framed_transfers *framed = &tracee->framed_transfers;
	struct transfers of = {.began_ns = now.own_ns, .began_stop_ns = now.stop_ns};

	if (framed->n)
		transfers_inherit_from(&of, &framed->list[framed->n - 1].of);
	else if (tracee->calls.n)
		transfers_inherit_from(&of, &tracee->calls.calls[tracee->calls.n - 1].transfers);
	else
		requests_begin_call(tracee, &of);
	add_framed_transfers(framed, id, &of);
}

/* Those behind it have been left otherwise. */
bool transfers_frame_ends(struct tracee *tracee, int64_t id, struct transfers *ret)
{
	struct framed_transfers *framed = &tracee->framed_transfers;

	for (size_t i = framed->n; i > 0; i--)
		if (framed->list[i - 1].id == id) {
			framed->n = i - 1;
			*ret = framed->list[i - 1].of;
			return true;
		}
	return false;
}

void transfers_frame_transfer(struct tracee *tracee, const struct stream_position *at, bool sends,
			      struct transfer_moment now)
{
	tracee->transfer = (struct transfer){
		.at = *at, .sends = sends, .began_ns = now.own_ns, .began_stop_ns = now.stop_ns};
}

void transfers_frame_transferred(struct tracee *tracee, uint64_t n, struct transfer_moment now)
{
	transfer_ends(tracee, n, now);
}

static void transfers_set_back(struct transfers *of, int64_t late_ns)
{
	of->began_ns += late_ns;
	of->since_ns += late_ns;
	for (size_t i = 0; i <= MESSAGE_ASKED_MOST; i++)
		of->waits[i].until_ns += late_ns;
}

void transfers_take_frames(struct tracee *tracee, int64_t late_ns)
{
	struct framed_transfers *framed = &tracee->framed_transfers;

	tracee->transfer.began_ns += late_ns;
	for (size_t i = tracee->calls.n; i > 0; i--) {
		struct open_call *call = &tracee->calls.calls[i - 1];

		if (transfers_frame_ends(tracee, call->id, &call->transfers))
			transfers_set_back(&call->transfers, late_ns);
	}
	framed->n = 0;
}

void transfers_give_frame(struct tracee *tracee, const struct open_call *call)
{
	struct transfers of = call->transfers;

	if (!call->start_ns) { /* in this stop */
		of.began_ns = thread_clock_ns(tracee);
		of.began_stop_ns = tracee->stop_ns;
	} else if (!of.began_stop_ns) {
		of.began_ns = thread_clock_began_ns(tracee, call);
		of.began_stop_ns = call->start_ns;
	}
	add_framed_transfers(&tracee->framed_transfers, call->id, &of);
}

struct value transfers_remote_of(const struct transfers *of, struct value time)
{
	struct value ret = {.number = (double)of->remote_ns / 1000};

	if (time.absence == PRESENT && ret.number > time.number)
		ret.number = time.number;
	ret.number = ret.number > 0 ? ret.number : 0; /* clocks may disagree */
	return ret;
}

struct value transfers_remote(const struct tracee *tracee, const struct open_call *call,
			      struct value time)
{
	struct session *session = tracee->inferior->session;

	if (!cost_probes_known(tracee->inferior, METRIC_REMOTE)) {
		if (!(session->said_cost & 1u << METRIC_REMOTE))
			event_queue_note(session, "remote is not known: neither the program nor a "
						  "library that it has mapped has a symbol of a "
						  "function that sends or receives");
		session->said_cost |= 1u << METRIC_REMOTE;
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	}
	return transfers_remote_of(&call->transfers, time);
}
