/*
 * Tests of chance: how many tables they draw, and how many of these may be otherwise than most.
 *
 * With FATHOM_FULL=1 a test draws all tables that it can; else one of four; with FATHOM_QUICK=1,
 * before a commit, one of twenty. With sanitizers, which look for faults in the code and make it
 * several times slower, it is one of ten. What is asserted of them must follow from their number.
 * Functions are inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_DRAWN_H
#define FATHOM_TESTS_DRAWN_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Does a test draw one table of twenty? */
static inline bool draws_few(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false;
#else
	return getenv("FATHOM_QUICK") && !getenv("FATHOM_FULL");
#endif
}

static inline unsigned drawn(unsigned full)
{
#ifdef __SANITIZE_ADDRESS__
	return (full + 9) / 10;
#else
	if (draws_few())
		return (full + 19) / 20;
	return getenv("FATHOM_FULL") ? full : (full + 3) / 4;
#endif
}

/*
 * Of @n tables that are each so with probability @p, more than this are by accident in a part
 * @alpha of the cases at most (binomial).
 */
static inline unsigned most_by_chance(unsigned n, double p, double alpha)
{
	double probability = pow(1 - p, n); /* of exactly `most` */
	double above = 1 - probability;
	unsigned most = 0;

	while (above > alpha && most < n) {
		probability *= (double)(n - most) / (most + 1) * p / (1 - p);
		above -= probability;
		most++;
	}
	return most;
}

/* And fewer than this. */
static inline unsigned least_by_chance(unsigned n, double p, double alpha)
{
	return n - most_by_chance(n, 1 - p, alpha);
}

/*
 * So many of @n tables must be so where a part @p is promised: that part of them. Of few tables it
 * may be less, as far as a promise that is just kept leaves it to be by accident in 1 % of the
 * cases.
 */
static inline unsigned least_promised(unsigned n, double p)
{
	return draws_few() ? least_by_chance(n, p, 0.01) : (unsigned)ceil(p * n - 1e-9);
}

#endif
