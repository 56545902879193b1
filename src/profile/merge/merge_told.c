/* Each reason names the way out. */
#include "merge_told.h"

#include <stddef.h>

/* Where a number was to tell; NULL: as elsewhere. */
static const char *reason_by_feature(enum match_reason reason)
{
	switch ((int)reason) {
	case MATCH_NO_REQUEST:
		return "have not the number that --match names";
	case MATCH_NOT_KEPT:
		return "have a number that no sample of a server has: measure both with "
		       "--max-overhead none --samples all";
	case MATCH_AMBIGUOUS:
		return "have a number that other calls have, too: name one by --match that is "
		       "each request's own";
	default:
		return NULL;
	}
}

const char *merge_told_reason(enum match_reason reason, bool by_feature)
{
	static const char *const texts[MATCH_REASONS] = {
		[MATCHED] = "are matched",
		[MATCH_NO_REQUEST] =
			"asked nobody over a connection that could be followed, as datagrams "
			"and what passes by io_uring cannot be, nor the first request of one on "
			"which the other end spoke first",
		[MATCH_SEVERAL_PEERS] =
			"asked over more connections than are told apart: measure what "
			"asks over up to four, or name what both sides know by --match",
		[MATCH_NOT_KEPT] = "asked what no sample of a server served in whole: measure both "
				   "with --max-overhead none --samples all, or, if one thread "
				   "reads requests and another one works for them, name what "
				   "both sides know by --match",
		[MATCH_UNDECIDED] = "asked while requests of other connections were there, too: "
				    "nobody knows for which of them a server's call worked",
		[MATCH_OTHER_CLOCK] = "asked over a connection of which only moments tell, and the "
				      "servers' clocks are others: name what both sides know by "
				      "--match",
		[MATCH_AT_ONCE] =
			"asked on a connection on which others waited, too, and were read "
			"before the server called what was measured: name what both "
			"sides know by --match",
		[MATCH_HANDED] = "were read by one of several threads that work at once, and take "
				 "each other's requests: name what both sides know by --match",
		[MATCH_AMBIGUOUS] = "share requests with other calls: name what both sides know, "
				    "and no other call has, by --match",
		[MATCH_CONTRADICTED] =
			"waited for less time than the servers worked: measure what "
			"awaits the answers, or name what both sides know by --match",
		[MATCH_NOT_MEASURED] =
			"lack a time that is certain: measure both sides with -m time,remote",
	};

	const char *named = by_feature ? reason_by_feature(reason) : NULL;

	return named ? named : texts[reason];
}

const char *merge_told_rule(enum match_rule rule)
{
	static const char *const texts[MATCH_RULES] = {
		[MATCH_BY_FEATURE] = "are matched by the feature that both have",
		[MATCH_BY_POSITION] = "are matched by their place in the stream of bytes",
		[MATCH_BY_ORDER] = "are matched by their order on the connection",
		[MATCH_BY_INTERVAL] =
			"are matched by when they were: nobody else asked, or worked, meanwhile",
	};

	return texts[rule];
}
