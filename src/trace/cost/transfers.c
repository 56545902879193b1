/* What a transfer means for the calls that are open in its thread. */
#include "transfers.h"

#include "cost_probes.h"
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

static bool sends(const struct tracee *tracee)
{
	return tracee->cost.function->kind == COST_SEND;
}

void transfers_begin(struct tracee *tracee)
{
	struct transfer *transfer = &tracee->transfer;
	struct stream_position at;

	*transfer = (struct transfer){.known = position_of(tracee, &at)};
	if (!transfer->known)
		return;
	transfer->began_ns = thread_clock_ns(tracee);
	transfer->began_stop_ns = tracee->stop_ns;
	transfer->stream = sends(tracee) ? at.sending : at.receiving;
	transfer->answers = sends(tracee) ? at.receiving : at.sending;
	transfer->from = sends(tracee) ? at.sent : at.received;
}

static void extend(struct message *message, const struct transfer *transfer, uint64_t to)
{
	if (!message->peers)
		*message = (struct message){.stream = transfer->stream, .from = transfer->from};
	if (message->stream != transfer->stream) {
		message->peers = 2;
		return;
	}
	message->peers += !message->peers;
	message->to = to;
}

static void note_sent(struct transfers *of, const struct transfer *transfer, uint64_t to)
{
	if (of->messages.served.peers && of->messages.served.stream == transfer->answers)
		return; /* an answer */
	extend(&of->messages.asked, transfer, to);
	if (!of->asking || of->answered) {
		of->until_ns = transfer->began_ns;
		of->until_stop_ns = transfer->began_stop_ns;
	}
	of->asking = true;
	of->answered = false;
}

/* With several peers anything received may be an answer of one of them. */
static bool is_answer(const struct transfers *of, const struct transfer *transfer)
{
	const struct messages *messages = &of->messages;

	return messages->asked.stream == transfer->answers ||
	       (messages->asked.peers > 1 && messages->served.stream != transfer->stream);
}

/* The wait for a processor is in no call's time. */
static void note_received(const struct tracee *tracee, struct transfers *of, uint64_t to)
{
	const struct target *target = &tracee->inferior->session->target;
	const int64_t now_ns = thread_clock_ns(tracee);

	if (!of->asking || !is_answer(of, &tracee->transfer)) {
		extend(&of->messages.served, &tracee->transfer, to);
		return;
	}
	of->remote_ns += now_ns - of->until_ns -
			 (int64_t)target->ops->waited_ns(target->self, tracee->tid,
							 of->until_stop_ns, tracee->stop_ns);
	of->until_ns = now_ns;
	of->until_stop_ns = tracee->stop_ns;
	of->answered = true;
}

/* Other threads may have used the connection meanwhile: what they moved is in it. */
void transfers_end(struct tracee *tracee)
{
	const struct transfer *transfer = &tracee->transfer;
	struct stream_position at;
	uint64_t to;

	if (!transfer->known || !position_of(tracee, &at) ||
	    transfer->stream != (sends(tracee) ? at.sending : at.receiving))
		return;
	to = sends(tracee) ? at.sent : at.received;
	for (size_t i = 0; to > transfer->from && i < tracee->calls.n; i++) {
		struct transfers *of = &tracee->calls.calls[i].transfers;

		if (sends(tracee))
			note_sent(of, transfer, to);
		else
			note_received(tracee, of, to);
	}
}

struct value transfers_remote(const struct tracee *tracee, const struct open_call *call,
			      struct value time)
{
	struct session *session = tracee->inferior->session;
	struct value ret = {.number = (double)call->transfers.remote_ns / 1000};

	if (!cost_probes_known(tracee->inferior, METRIC_REMOTE)) {
		if (!(session->said_cost & 1u << METRIC_REMOTE))
			event_queue_note(session, "remote is not known: neither the program nor a "
						  "library that it has mapped has a symbol of a "
						  "function that sends or receives");
		session->said_cost |= 1u << METRIC_REMOTE;
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	}
	if (time.absence == PRESENT && ret.number > time.number)
		ret.number = time.number;
	ret.number = ret.number > 0 ? ret.number : 0; /* clocks may disagree */
	return ret;
}
