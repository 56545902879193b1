/*
 * Tests of chance: how many tables they draw, and how many of these may be otherwise than most.
 *
 * With FATHOM_FULL=1 all that a test can draw are drawn; else one of four; with sanitizers, which
 * are to find faults in the code and make it several times slower, one of ten. Functions are inline
 * so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_DRAWN_H
#define FATHOM_TESTS_DRAWN_H

#include <math.h>
#include <stdlib.h>

static inline unsigned drawn(unsigned full)
{
#ifdef __SANITIZE_ADDRESS__
	return (full + 9) / 10;
#else
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

#endif
