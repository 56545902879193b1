/*
 * What an earlier run said enough of, so that it need not be measured again.
 */
#pragma once

#include "code_graph.h"

/* A function's calls in an earlier run. */
struct learned {
	size_t node;
	size_t calls, samples;
	double median_us, spread_us; /* the latter: between the quartiles */
	double resolution_us;        /* 0: exact, or unknown */
};

/*
 * Set @reasons, [functions], of the functions of which there were enough calls, and these cost the
 * same (half of them within 5 % of the median), or less than could be told, or, at least 80 % of
 * it, what those of their only caller do, which calls nothing else and as often. Of these a
 * twentieth, by chance of @seed, is measured all the same: what they cost may change. Thresholds
 * of J. Pavela's thesis (2020), section 7.2, but for those of numbers of calls, which are to keep
 * the cost of measuring low: the governor does.
 */
void code_learn_apply(const struct code_graph *graph, const struct learned *learned, size_t n,
		      uint64_t seed, struct arena *arena, const char **reasons);
