/* Messages as numbers of samples. */
#include "messages.h"

const char *const messages_keys[MESSAGE_KEYS] = {
	[MESSAGE_ASKED_PEERS] = "asked.peers",
	[MESSAGE_ASKED_STREAM] = "asked.stream",
	[MESSAGE_ASKED_FROM] = "asked.from",
	[MESSAGE_ASKED_TO] = "asked.to",
	[MESSAGE_ASKED_WAY] = "asked.way",
	[MESSAGE_ASKED_BEGAN] = "asked.began",
	[MESSAGE_ASKED_ENDED] = "asked.ended",
	[MESSAGE_SERVED_PEERS] = "served.peers",
	[MESSAGE_SERVED_STREAM] = "served.stream",
	[MESSAGE_SERVED_FROM] = "served.from",
	[MESSAGE_SERVED_TO] = "served.to",
	[MESSAGE_SERVED_WAY] = "served.way",
	[MESSAGE_SERVED_BEGAN] = "served.began",
	[MESSAGE_SERVED_ENDED] = "served.ended",
	[MESSAGE_SERVED_INHERITED] = "served.inherited",
	[MESSAGE_SERVED_WORKED] = "served.worked",
	[MESSAGE_SERVED_LOST] = "served.lost",
	[MESSAGE_CLOCK] = "clock",
	[MESSAGE_BEGAN] = "began",
};

static void message_put(const struct message *message, double *ret)
{
	ret[MESSAGE_ASKED_PEERS] = message->peers;
	ret[MESSAGE_ASKED_STREAM] = (double)message->stream;
	ret[MESSAGE_ASKED_FROM] = (double)message->from;
	ret[MESSAGE_ASKED_TO] = (double)message->to;
	ret[MESSAGE_ASKED_WAY] = message->way;
	ret[MESSAGE_ASKED_BEGAN] = (double)message->began_ns;
	ret[MESSAGE_ASKED_ENDED] = (double)message->ended_ns;
}

void messages_numbers(const struct messages *messages, double ret[MESSAGE_KEYS])
{
	message_put(&messages->asked, ret);
	message_put(&messages->served, ret + MESSAGE_SERVED_PEERS);
	ret[MESSAGE_SERVED_INHERITED] = messages->served.inherited;
	ret[MESSAGE_SERVED_WORKED] = (double)messages->served.worked_ns;
	ret[MESSAGE_SERVED_LOST] = (double)messages->served.lost_ns;
	ret[MESSAGE_CLOCK] = (double)messages->clock;
	ret[MESSAGE_BEGAN] = (double)messages->began_ns;
}
