/*
 * Which calls worked for which, where threads of a server hand requests to each other, so that who
 * worked had read nothing: by when it was, on one host. If each request that a client sent to a
 * process had a call of it, and each call of it was within one of the client's, then what worked
 * while one request alone waited was for that.
 */
#pragma once

#include "stream_match.h"

/* A call from its begin to its end, by the clock of the host. */
struct alone_call {
	size_t of; /* of servers: the process, less than their number */
	uint64_t began_ns, ended_ns;
	bool unknown; /* of clients: not all that it asked is known */
};

struct alone_calls {
	const struct alone_call *served; /* as the messages that were served */
	const struct alone_call *client; /* [n_client] */
	size_t n_client;
};

/*
 * For those of @asked that are by position and that nobody was found for, which of @served[m]: @ret
 * as stream_match() left it; @order from element *@n_order on, which is advanced.
 */
void alone_match(const struct stream_asked *asked, const struct message *served, size_t m,
		 const struct alone_calls *calls, struct match *ret, size_t *order,
		 size_t *n_order);
