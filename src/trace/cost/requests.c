/* A list by connection: few are received at once. */
#include "requests.h"

#include "base/mem.h"
#include "trace/state/engine.h"

/* Connections that nobody answers, and that stay open. */
enum { REQUESTS_MOST = 1024 };

static struct request *request_on(const struct tracee *tracee, uint64_t stream)
{
	const struct requests *requests = &tracee->requests;

	for (size_t i = 0; i < requests->n; i++)
		if (requests->list[i].message.stream == stream)
			return &requests->list[i];
	return NULL;
}

static struct request *add_request(struct requests *requests)
{
	if (requests->n == REQUESTS_MOST) {
		requests->lost = true;
		return NULL;
	}
	requests->list = mem_grow(requests->list, &requests->capacity, requests->n + 1,
				  sizeof(*requests->list));
	return &requests->list[requests->n++];
}

void requests_extend(struct message *message, const struct stream_position *at, uint64_t stream,
		     uint64_t from, uint64_t n)
{
	if (!message->peers)
		*message = (struct message){
			.stream = stream, .from = from, .to = from, .way = at->way};
	if (message->stream != stream) {
		message->peers = 2;
		return;
	}
	message->peers += !message->peers;
	message->to = at->way == MESSAGE_BY_POSITION ? from + n : message->to + n;
}

/*
 * What comes after a call had the request is another one; what calls receive until it is answered
 * may be that of any of them.
 */
static void note_request_received(struct tracee *tracee, uint64_t n, bool by_call)
{
	const struct transfer *transfer = &tracee->transfer;
	struct request *request = request_on(tracee, transfer->at.receiving);
	const bool more = request && (by_call || !request->taken);

	if (!request)
		request = add_request(&tracee->requests);
	if (!request)
		return;
	if (!more)
		*request = (struct request){.connection = transfer->at.connection};
	requests_extend(&request->message, &transfer->at, transfer->at.receiving,
			transfer->at.received, n);
	if (!more)
		request->message.began_ns = request->message.ended_ns = transfer->ended_stop_ns;
	request->taken = by_call;
}

static void drop_request(struct tracee *tracee, uint64_t stream)
{
	struct request *request = request_on(tracee, stream);

	if (request)
		*request = tracee->requests.list[--tracee->requests.n];
}

/* While probes were lifted, what was noted may have been answered. */
static void forget_unwatched(struct tracee *tracee)
{
	if (tracee->requests.period != tracee->inferior->cost.period)
		tracee->requests.n = 0;
	tracee->requests.period = tracee->inferior->cost.period;
}

void requests_transferred(struct tracee *tracee, uint64_t n)
{
	const struct transfer *transfer = &tracee->transfer;

	forget_unwatched(tracee);
	if (transfer->closed || (n && transfer->sends))
		drop_request(tracee, transfer->at.receiving);
	else if (n && transfer->at.accepted)
		note_request_received(tracee, n, tracee->calls.n || tracee->framed_transfers.n);
}

static void serve(struct transfers *of, const struct request *request)
{
	of->messages.served = request->message;
	of->served_by = request->connection;
}

/* The one that has @turn of those that no call works for yet; there is one. */
static struct request *request_in_turn(const struct requests *requests, unsigned turn)
{
	size_t i = 0;

	while (requests->list[i].taken || turn-- > 0)
		i++;
	return &requests->list[i];
}

/*
 * Another call has had the only request that the thread has not answered: what follows works for
 * it, too, unless it receives one itself. Bytes that are counted by calls count once.
 */
static void follow_request(const struct requests *requests, struct transfers *of)
{
	if (requests->n != 1 || requests->lost)
		return;
	serve(of, &requests->list[0]);
	of->served_by = CONNECTION_NONE;
	if (of->messages.served.way != MESSAGE_BY_POSITION)
		of->messages.served.to = of->messages.served.from;
}

/* Of several each call names another one, so that who asked any of them can be told why. */
void requests_begin_call(struct tracee *tracee, struct transfers *of)
{
	struct requests *requests = &tracee->requests;
	struct request *request;
	unsigned n = 0;

	forget_unwatched(tracee);
	for (size_t i = 0; i < requests->n; i++)
		n += !requests->list[i].taken;
	if (!n) {
		follow_request(requests, of);
		return;
	}
	request = request_in_turn(requests, n > 1 ? requests->turn++ % n : 0);
	serve(of, request);
	of->received_before = true;
	request->taken = n + requests->lost == 1;
	of->messages.served.peers = n + requests->lost;
}

void requests_settle(const struct tracee *tracee, struct transfers *of)
{
	const struct request *request = request_on(tracee, tracee->transfer.at.receiving);
	const bool inherited = of->messages.served.inherited;

	if (!request || (of->messages.served.peers && !of->received_before) ||
	    (request->taken && !tracee->transfer.sends))
		return;
	serve(of, request);
	of->messages.served.inherited = inherited;
	of->received_before = true;
}
