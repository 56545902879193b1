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

/* What names the connection, and so who may have worked for whom. */
enum message_way {
	MESSAGE_BY_POSITION, /* both ends count the bytes of all time: from, to */
	/* Only those of the call are known, [0, to): it is when it was that tells. */
	MESSAGE_BY_ORDER,    /* the connection is known, and is of one host */
	MESSAGE_BY_INTERVAL, /* all connections of the host that are not known are one */
	MESSAGE_WAYS,
};

/*
 * A stretch [from, to) of what one end of a connection sends to the other. Moments are
 * CLOCK_MONOTONIC's of the host, less than 2^63; 0: not known.
 */
struct message {
	uint64_t stream; /* of both addresses and the direction, below 2^52; 0: there was none */
	uint64_t from, to;
	unsigned peers; /* to or from so many, at least; 0: there was none */
	bool inherited; /* a call around it was served it before */
	enum message_way way;
	/*
	 * Asked: its sending began, the last of the answer was received. Served: its first was
	 * received, the sending of the last of the answer began.
	 */
	uint64_t began_ns, ended_ns;
	/* Served: how long the call worked for it until it began to answer last; 0: not known */
	uint64_t worked_ns;
	uint64_t lost_ns;  /* meanwhile it was stopped, or had no processor */
	bool before;       /* served: the first of it was received before the call began */
	uint64_t until_ns; /* asked: when the call ended; 0: not known */
};

/* Of so many peers what was asked is kept apart. */
enum { MESSAGE_ASKED_MOST = 4 };

struct messages {
	/*
	 * What the call sent before it was sent anything there, of each connection, the first one
	 * first; `peers` of the first counts all.
	 */
	struct message asked[MESSAGE_ASKED_MOST];
	struct message served; /* what was sent to it before it sent anything there, of one */
	uint64_t clock;        /* of the host's moments, below 2^52; 0: not known */
	uint64_t began_ns;     /* the moment at which the call began; 0: not known */
};

/* Those of what was asked first, then in the same order of what was served. */
enum message_key {
	MESSAGE_ASKED_PEERS,
	MESSAGE_ASKED_STREAM,
	MESSAGE_ASKED_FROM,
	MESSAGE_ASKED_TO,
	MESSAGE_ASKED_WAY,
	MESSAGE_ASKED_BEGAN,
	MESSAGE_ASKED_ENDED,
	MESSAGE_SERVED_PEERS,
	MESSAGE_SERVED_STREAM,
	MESSAGE_SERVED_FROM,
	MESSAGE_SERVED_TO,
	MESSAGE_SERVED_WAY,
	MESSAGE_SERVED_BEGAN,
	MESSAGE_SERVED_ENDED,
	MESSAGE_SERVED_INHERITED,
	MESSAGE_SERVED_WORKED,
	MESSAGE_SERVED_LOST,
	MESSAGE_CLOCK,
	MESSAGE_BEGAN,
	/* of the second and further ones that were asked, each as of the first */
	MESSAGE_ASKED_MORE,
	MESSAGE_KEYS = MESSAGE_ASKED_MORE + (MESSAGE_ASKED_MOST - 1) * MESSAGE_SERVED_PEERS,
};

/* The key of the first that says of how many and where the one asked at @place is. */
static inline enum message_key message_asked_key(unsigned place)
{
	return place ? MESSAGE_ASKED_MORE + (place - 1) * MESSAGE_SERVED_PEERS
		     : MESSAGE_ASKED_PEERS;
}

/* The columns' names: "asked.peers", … */
extern const char *const messages_keys[MESSAGE_KEYS];

/* As the numbers of these columns. */
void messages_numbers(const struct messages *messages, double ret[MESSAGE_KEYS]);
