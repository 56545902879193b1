/*
 * A reservoir: a uniform random sample of a stream of unknown length.
 *
 * It only assigns places; the items are the caller's. Source: J. S. Vitter, Random Sampling with a
 * Reservoir, ACM TOMS 11 (1985), algorithm R.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Reproducible random numbers; several reservoirs may share them. */
struct random_state {
	uint64_t state;
};

/* Uniform in 0 … @n - 1; @n is not 0. */
uint64_t reservoir_random_below(struct random_state *chance, uint64_t n);

struct reservoir {
	size_t size;   /* most items kept; 0: all */
	uint64_t seen; /* since the stream began */
};

enum { RESERVOIR_NOT_KEPT = -1 };

void reservoir_begin(struct reservoir *reservoir, size_t size);

/*
 * Place of the next item: the next free one (0, 1, 2…), or that of the item it displaces; or
 * RESERVOIR_NOT_KEPT.
 */
int64_t reservoir_place(struct reservoir *reservoir, struct random_state *chance);

/* Limit the size to the items kept so far, at least 1. */
void reservoir_close(struct reservoir *reservoir);
