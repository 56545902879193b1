/*
 * Messages: where a call was in the byte streams of its connections. Both ends of a TCP connection
 * count the same bytes, so that is an id of a request that nobody has to send: what one call asked
 * is what another, in another process or on another host, was asked.
 *
 * Samples keep it in columns of the role COLUMN_KEY, at which no model looks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A stretch [from, to) of what one end of a connection sends to the other. */
struct message {
	uint64_t stream; /* of both addresses and the direction, below 2^52; 0: there was none */
	uint64_t from, to;
	unsigned peers; /* to or from so many, at least; of several, the rest is of the first */
	bool inherited; /* a call around it was served it before */
};

struct messages {
	struct message asked;  /* what the call sent before it was sent anything there */
	struct message served; /* what was sent to it before it sent anything there */
};

enum message_key {
	MESSAGE_ASKED_PEERS,
	MESSAGE_ASKED_STREAM,
	MESSAGE_ASKED_FROM,
	MESSAGE_ASKED_TO,
	MESSAGE_SERVED_PEERS,
	MESSAGE_SERVED_STREAM,
	MESSAGE_SERVED_FROM,
	MESSAGE_SERVED_TO,
	MESSAGE_SERVED_INHERITED,
	MESSAGE_KEYS,
};

/* The columns' names: "asked.peers", … */
extern const char *const messages_keys[MESSAGE_KEYS];

/* As the numbers of these columns. */
void messages_numbers(const struct messages *messages, double ret[MESSAGE_KEYS]);
