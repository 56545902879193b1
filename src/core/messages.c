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
	[MESSAGE_ASKED_MORE + 0] = "asked.2.peers",
	[MESSAGE_ASKED_MORE + 1] = "asked.2.stream",
	[MESSAGE_ASKED_MORE + 2] = "asked.2.from",
	[MESSAGE_ASKED_MORE + 3] = "asked.2.to",
	[MESSAGE_ASKED_MORE + 4] = "asked.2.way",
	[MESSAGE_ASKED_MORE + 5] = "asked.2.began",
	[MESSAGE_ASKED_MORE + 6] = "asked.2.ended",
	[MESSAGE_ASKED_MORE + 7] = "asked.3.peers",
	[MESSAGE_ASKED_MORE + 8] = "asked.3.stream",
	[MESSAGE_ASKED_MORE + 9] = "asked.3.from",
	[MESSAGE_ASKED_MORE + 10] = "asked.3.to",
	[MESSAGE_ASKED_MORE + 11] = "asked.3.way",
	[MESSAGE_ASKED_MORE + 12] = "asked.3.began",
	[MESSAGE_ASKED_MORE + 13] = "asked.3.ended",
	[MESSAGE_ASKED_MORE + 14] = "asked.4.peers",
	[MESSAGE_ASKED_MORE + 15] = "asked.4.stream",
	[MESSAGE_ASKED_MORE + 16] = "asked.4.from",
	[MESSAGE_ASKED_MORE + 17] = "asked.4.to",
	[MESSAGE_ASKED_MORE + 18] = "asked.4.way",
	[MESSAGE_ASKED_MORE + 19] = "asked.4.began",
	[MESSAGE_ASKED_MORE + 20] = "asked.4.ended",
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
	for (unsigned i = 0; i < MESSAGE_ASKED_MOST; i++)
		message_put(&messages->asked[i], ret + message_asked_key(i));
	message_put(&messages->served, ret + MESSAGE_SERVED_PEERS);
	ret[MESSAGE_SERVED_INHERITED] = messages->served.inherited;
	ret[MESSAGE_SERVED_WORKED] = (double)messages->served.worked_ns;
	ret[MESSAGE_SERVED_LOST] = (double)messages->served.lost_ns;
	ret[MESSAGE_CLOCK] = (double)messages->clock;
	ret[MESSAGE_BEGAN] = (double)messages->began_ns;
}
