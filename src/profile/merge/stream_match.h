/*
 * Which calls worked for which: plain data. Both sides tell stretches of streams (core/messages.h),
 * or numbers that name a request; of streams whose bytes nobody counts moment_match.h decides. What
 * is not certain is refused, with the reason.
 */
#pragma once

#include <stddef.h>

#include "core/messages.h"

enum match_reason {
	MATCHED,
	MATCH_NO_REQUEST,    /* the call asked nobody that could be followed */
	MATCH_SEVERAL_PEERS, /* it asked over more connections than are told apart */
	MATCH_NOT_KEPT,      /* part of what it sent no kept call of a server received */
	MATCH_UNDECIDED,     /* a server's call may have worked for it, or for others' requests */
	MATCH_OTHER_CLOCK,   /* only moments could tell, and no server has its clock */
	MATCH_AT_ONCE,       /* others asked there, too, before it was answered */
	MATCH_HANDED,        /* threads that take each other's requests worked meanwhile */
	MATCH_AMBIGUOUS,     /* others may have worked for it, or for others */
	MATCH_CONTRADICTED,  /* the servers worked for longer than it waited for them */
	MATCH_NOT_MEASURED,  /* a time that is needed was not measured */
	MATCH_REASONS,
};

struct match {
	enum match_reason reason;
	size_t first, n; /* MATCHED: of the order of those that served; UNDECIDED: see below */
};

struct stream_asked {
	const struct message *list;
	size_t n;     /* of those whose servers are looked for */
	size_t n_all; /* then follow those of other functions' calls, perhaps the same bytes */
};

/*
 * For each of @asked, which of @served[m] received exactly what it sent, in one or several
 * pieces: @ret[n], and @order[m], whose elements [first, first + n) of a match are indices of
 * @served. What was received before a call began are one or several requests: it is the last one's
 * if the others had their answers when that was asked; where they had none nobody knows whose.
 * Where one of @served with several peers may be it, @first is its index, and @n how many
 * they are.
 */
void stream_match(const struct stream_asked *asked, const struct message *served, size_t m,
		  struct match *ret, size_t *order);

/*
 * A message for the same where a number that both sides have names the request, NAN: none. Whoever
 * has a name twice is refused, or is several that worked for one.
 */
struct message stream_match_name(double name);
