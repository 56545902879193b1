/*
 * Random numbers of known distributions, for tests of statistics; every series has a seed.
 * Functions of this header are inline so that a test may leave some of them unused.
 */
#ifndef FATHOM_TESTS_RANDOM_NUMBERS_H
#define FATHOM_TESTS_RANDOM_NUMBERS_H

#include <math.h>
#include <stdlib.h>

struct random {
	struct drand48_data state;
};

static inline void random_init(struct random *random, long seed)
{
	unsigned i;

	srand48_r(seed, &random->state);
	/* Seeds next to each other begin alike. */
	for (i = 0; i < 10; i++) {
		double u;

		drand48_r(&random->state, &u);
	}
}

static inline double random_uniform(struct random *random)
{
	double u;

	drand48_r(&random->state, &u);
	return u;
}

static inline double random_normal(struct random *random)
{
	double radius = sqrt(-2 * log(1 - random_uniform(random)));

	return radius * cos(2 * M_PI * random_uniform(random));
}

static inline double random_exponential(struct random *random)
{
	return -log(1 - random_uniform(random));
}

static inline double random_chi_square(struct random *random, unsigned freedom)
{
	double square = 0;
	unsigned i;

	for (i = 0; i < freedom; i++)
		square += pow(random_normal(random), 2);
	return square;
}

/* Student's t. */
static inline double random_t(struct random *random, unsigned freedom)
{
	double above = random_normal(random);

	return above / sqrt(random_chi_square(random, freedom) / freedom);
}

/* A count, by Knuth's method; @mean is small. */
static inline double random_poisson(struct random *random, double mean)
{
	double limit = exp(-mean);
	double product = random_uniform(random);
	double count = 0;

	while (product > limit) {
		product *= random_uniform(random);
		count++;
	}
	return count;
}

#endif
