/*
 * What each of several functions of servers adds to the calls of a client: keys of the merged table
 * (core/samples/part_columns.h). They add up to the server's part of a metric: of time, to what was
 * waited for. Private to merge/.
 */
#pragma once

#include "merge_costs.h"

/* So many functions are told apart; all others are one. */
enum { MERGE_PARTS_MOST = 16 };

struct merge_part {
	const char *name;
	size_t columns[METRIC_TOTALS]; /* of the merged table; 0: none */
};

struct merge_parts {
	struct merge_part list[MERGE_PARTS_MOST + 1];
	size_t n;        /* 0: only one function worked for the calls */
	size_t *of_call; /* [calls of the servers] index of the list, if there is one */
};

/* Who worked for the calls of @matched; adds the columns to @joint. In @arena. */
void merge_parts_find(const struct merge_matched *matched, struct samples *joint,
		      struct arena *arena, struct merge_parts *ret);

/* Of a call that is matched; @each as of merge_costs_time(). Sets cells of @row. */
void merge_parts_set(const struct merge_parts *parts, const struct merge_matched *matched,
		     const struct match *match, const double *each, struct value *row);
