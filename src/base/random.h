/* Reproducible random numbers; what draws them may share one state. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random_state {
	uint64_t state; /* the seed, at first */
};

/*
 * Uniform in 0 … 2^64 - 1.
 * Source: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators (2014):
 * SplitMix64.
 */
uint64_t random_next(struct random_state *random);

/* Put @numbers ([n]) in a random order. */
void random_shuffle(struct random_state *random, double *numbers, size_t n);
