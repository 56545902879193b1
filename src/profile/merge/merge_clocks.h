/* What matched calls say of the clocks of two hosts. Private to merge/. */
#pragma once

#include "clock_fit.h"
#include "merge_pairs.h"

enum { MERGE_CLOCKS_MOST = 64 }; /* of pairs; those of others are not known */

struct merge_clock {
	double client, server; /* which clocks; see struct messages */
	struct clock_fit fit;
};

struct merge_clocks {
	struct merge_clock list[MERGE_CLOCKS_MOST];
	size_t n;
};

/*
 * What @asked and the call that served it say: it was asked no earlier, and answered, or at least
 * begun, no later. False: their moments are not known.
 */
bool merge_clocks_bound(const struct message *asked, const struct merge_side *servers, size_t call,
			struct clock_bound *ret);

/* Those of @client's calls that are matched. */
void merge_clocks_find(const struct samples *client, const struct merge_pairs *pairs,
		       const struct merge_side *servers, struct merge_clocks *ret);

/* False: nothing is known of that pair. One clock is not ahead of itself. */
bool merge_clocks_fit(const struct merge_clocks *clocks, double client, double server,
		      struct clock_fit *ret);
