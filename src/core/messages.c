/* Messages as numbers of samples. */
#include "messages.h"

const char *const messages_keys[MESSAGE_KEYS] = {
	[MESSAGE_ASKED_PEERS] = "asked.peers",
	[MESSAGE_ASKED_STREAM] = "asked.stream",
	[MESSAGE_ASKED_FROM] = "asked.from",
	[MESSAGE_ASKED_TO] = "asked.to",
	[MESSAGE_SERVED_PEERS] = "served.peers",
	[MESSAGE_SERVED_STREAM] = "served.stream",
	[MESSAGE_SERVED_FROM] = "served.from",
	[MESSAGE_SERVED_TO] = "served.to",
	[MESSAGE_SERVED_INHERITED] = "served.inherited",
};

static void message_put(const struct message *message, double *ret)
{
	ret[0] = message->peers;
	ret[1] = (double)message->stream;
	ret[2] = (double)message->from;
	ret[3] = (double)message->to;
}

void messages_numbers(const struct messages *messages, double ret[MESSAGE_KEYS])
{
	message_put(&messages->asked, ret + MESSAGE_ASKED_PEERS);
	message_put(&messages->served, ret + MESSAGE_SERVED_PEERS);
	ret[MESSAGE_SERVED_INHERITED] = messages->served.inherited;
}
