/*
 * Merging: the calls of a client's functions with what servers' calls for them cost, as a profile.
 *
 * A merged call has its time in parts that add up to it: `time.own`, `time.server` and
 * `time.network` (in requests, but not in servers), and X.server for each total X that the servers
 * measured, in sum (`peak`: the most). Of a call whose server's calls are not certain the parts are
 * absent. A server's call counts until it began to answer: what it does afterwards nobody awaits,
 * and what it waited for a request that was not there yet is not for it. Where servers work at
 * once, `time.server` has the time of those that ended last, other metrics the sums. Time in which
 * the servers' calls were stopped for measuring, or had no processor, is taken from the client's,
 * too. If they worked while the client was stopped, it is as if it had waited for them. How many
 * calls of servers worked for it is the feature `requests`; if each call had one, its features are
 * among the call's, as HANDLER.EXPRESSION. The servers' calls are there, too, within the call that
 * they worked for.
 */
#pragma once

#include "clock_fit.h"
#include "profile/profile.h"
#include "stream_match.h"

struct merge_request {
	const char *client;
	const char *const *servers; /* [n_servers] profiles' paths */
	size_t n_servers;
	const char *const *functions; /* [n_functions] of both sides; 0: all with messages */
	size_t n_functions;
	const char *match; /* "f.x = g.y": features with the same number; NULL: by messages */
};

/* What decided who worked for a call: the column "matched.by" has it. */
enum match_rule {
	MATCH_BY_FEATURE,
	MATCH_BY_POSITION, /* in the order of enum message_way, from here on */
	MATCH_BY_ORDER,
	MATCH_BY_INTERVAL,
	MATCH_RULES,
};

/* What came of a function's calls. */
struct merged_function {
	const char *name;
	size_t counts[MATCH_REASONS];
	size_t by[MATCH_RULES]; /* of those that are matched */
	size_t n_at_once;       /* of those, for which servers worked at once */
	const char *undecided;  /* the function that may have served them; NULL: none may */
	size_t n_peers;         /* it, and so many connections' requests, at most */
	size_t n_returned;      /* for which a server's call returned before the answer was sent */
};

struct merged {
	struct profile *joint; /* a temporary one */
	struct merged_function *functions;
	size_t n_functions;
	const struct clock_fit *clocks; /* of servers on other hosts, by the client's */
	size_t n_clocks;
	struct arena *arena; /* of these */
};

/*
 * The caller calls merge_deinit(). ERR_USAGE (nothing on one side, sides swapped, several functions
 * that serve the same requests, @match has another form or names what is not there), ERR_NOT_FOUND,
 * and those of profile_open() and profile_load().
 */
bool merge_profiles(const struct merge_request *request, struct merged *ret, struct err *err);
void merge_deinit(struct merged *merged);
