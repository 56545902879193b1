/*
 * Servers whose threads hand requests to each other: who has read one need not be who works for
 * it. It is known by calls that work though their thread has read no request, and by connections
 * whose requests several threads have read. Private to merge/.
 */
#pragma once

#include "merge_side.h"

/* A call that is in no other one, by the clock of its host. */
struct worked_span {
	struct merge_process of;
	int64_t thread;
	bool unasked; /* it worked for no request that its thread had read */
	uint64_t began_ns, ended_ns;
	uint64_t ended_last_ns; /* of those before and this one, in its process */
};

struct handed_over {
	struct worked_span
		*list; /* [n] of processes whose threads hand over, by process and begin */
	size_t n;
};

/* The caller calls handed_over_deinit(). */
void handed_over_find(const struct merge_side *servers, struct handed_over *ret);
void handed_over_deinit(struct handed_over *handed);

/*
 * May the call @served be for a request that another thread has read? It is one whose request was
 * read before it began, and that left the answer to others, and in [@from_ns, @until_ns] of its
 * clock another thread of its process worked, too.
 */
bool handed_over_may(const struct handed_over *handed, const struct merge_side *servers,
		     size_t served, double from_ns, double until_ns);
