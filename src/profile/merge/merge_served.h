/*
 * The servers' calls in the merged profile: those that worked for a call of the client are within
 * it, with all that were within them; at the moments of the client's clock. Private to merge/.
 */
#pragma once

#include "clock_fit.h"
#include "merge_side.h"

/* A call of a server that worked for one of the client. */
struct kept_call {
	int64_t parent;   /* id of the client's; 0: it worked for none */
	int64_t asked_ns; /* its beginning, in its run */
	int64_t start_ns; /* that of the server's, by the clock of the client's run */
};

/*
 * @call worked for the call @row of @client, whose id is @id; @fit: the client's clock and the
 * server's. Nothing is noted if it is not known when they were; of calls within each other the
 * innermost asked.
 */
void merge_served_keep(const struct samples *client, size_t row, int64_t id,
		       const struct served_call *call, const struct clock_fit *fit,
		       struct kept_call *ret);

/*
 * @kept[calls of @servers]; those of the program @own are its own. Ids of the merged profile are
 * taken from @last_id on.
 */
bool merge_served_add(const struct merge_side *servers, const struct kept_call *kept,
		      const char *own, int64_t last_id, struct profile *joint, struct err *err);
