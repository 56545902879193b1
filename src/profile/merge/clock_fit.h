/*
 * The clock of one host by that of another, by what is certain: nobody takes a request before it is
 * sent, or has an answer before that is sent. Plain data.
 *
 * Each pair of calls bounds by how much the other clock is ahead; a line through all bounds (an
 * offset, and a drift of it) is a linear programme in two variables. Of all lines that violate
 * none, the one in the middle is told.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By how much the other clock is ahead at moments of this one: at least, and at most. In ns. */
struct clock_bound {
	int64_t low_at, low;
	int64_t high_at, high;
};

struct clock_fit {
	int64_t since;                /* a moment of this clock */
	double offset;                /* then, in ns: the other is ahead */
	double width;                 /* to each side, with that drift */
	double drift;                 /* ns by which it gets ahead in a ns */
	double drift_low, drift_high; /* what is possible */
	size_t n, n_against;          /* bounds; of them, those that others contradict */
};

/*
 * Where bounds contradict each other, the line is that which violates them by the least sum, so
 * that a minority of wrong ones does not move it. False: there are none.
 */
bool clock_fit(const struct clock_bound *bounds, size_t n, struct clock_fit *ret);

/* By how much the other clock is ahead at the moment @at of this one, in ns. */
double clock_fit_ahead(const struct clock_fit *fit, int64_t at);

/* Does the line violate @bound? */
bool clock_fit_contradicts(const struct clock_fit *fit, const struct clock_bound *bound);
