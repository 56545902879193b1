/* What those who worked for a client's call took. Private to merge/. */
#pragma once

#include "merge_clocks.h"
#include "merge_pairs.h"

/* One client function, and who worked for its calls. */
struct merge_matched {
	const struct samples *client;
	const struct merge_side *servers;
	struct merge_pairs pairs;
	struct merge_clocks clocks;
};

struct merge_worked {
	double worked_us; /* NAN: not known */
	/* what stops, and others who had their processor, added to it: no cost of theirs */
	double lost_us;
	bool at_once; /* several did at once, which the client awaited once */
};

/* Of the call @row; what each of its pairs adds to the time worked: @each[match->n]. */
void merge_costs_time(const struct merge_matched *matched, size_t row, const struct match *match,
		      double *each, struct merge_worked *ret);

/* Did the call @served send an answer? Else it left that to others. */
bool merge_costs_answered(const struct merge_matched *matched, size_t served);

/* What the call @served itself cost; of its time, for the answer. NAN: not known. */
double merge_costs_served(const struct merge_matched *matched, size_t served, enum metric metric);

/* The sum of a metric over the calls that served; NAN if one of them does not know. */
double merge_costs_of(const struct merge_matched *matched, const struct match *match,
		      enum metric metric);

/* Of the call @row of the client, from its first request until its last answer; NAN: not known. */
double merge_costs_elapsed_us(const struct merge_matched *matched, size_t row);

/* Of differences below it nobody knows whether they are there. */
double merge_costs_tolerance_us(const struct samples *client);

/* Of the clocks of the call @row and of one that served; false: not known. */
bool merge_costs_clocks(const struct merge_matched *matched, size_t row, size_t served,
			struct clock_fit *ret);
