/*
 * A reservoir: of a stream whose length nobody knows, so many that all have had the same chance.
 *
 * It says where an item belongs among those that are kept; the items are the caller's.
 * Source: J. S. Vitter, Random Sampling with a Reservoir, ACM TOMS 11 (1985), algorithm R.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Numbers by chance, the same for the same seed. Several reservoirs may share them. */
struct random_state {
	uint64_t state;
};

/* One of 0 … @n - 1, all of them alike; @n is not 0. */
uint64_t reservoir_random_below(struct random_state *chance, uint64_t n);

struct reservoir {
	size_t size;   /* how many are kept at most; 0: all */
	uint64_t seen; /* since the stream began */
};

enum { RESERVOIR_NOT_KEPT = -1 };

/* A stream begins of which @size items are kept. */
void reservoir_begin(struct reservoir *reservoir, size_t size);

/*
 * Where the next item belongs: behind those that are kept (the first items come to places 0, 1,
 * 2…), or in the place of the one that it displaces; or RESERVOIR_NOT_KEPT.
 */
int64_t reservoir_place(struct reservoir *reservoir, struct random_state *chance);

/* From now on there is room for no more than are kept already; for one, if there is none. */
void reservoir_close(struct reservoir *reservoir);
