/*
 * Which pointers were null in which rows, as far as it follows from what could be read through
 * them. Private to derived_columns.c.
 */
#pragma once

#include "base/arena.h"
#include "samples.h"

enum { POINTERS_MAX = 512 }; /* of a table; the rest are left out */

enum null_state { UNKNOWN, IS_NULL, NOT_NULL };

struct null_pointer {
	const char *name;
	unsigned depth;
	enum provenance provenance;
	const char *
		/*
		 * the feature that is read through it last; of several the first by name; NULL:
		 * none
		 */
		witness;
	uint8_t *states; /* [n_rows], enum null_state; NULL before nullness_conclude() */
};

struct nullness {
	struct arena *arena;
	const struct samples *samples;
	struct null_pointer *pointers[POINTERS_MAX];
	size_t n_pointers;
	struct way *ways; /* private, like the next */
	size_t n_ways;
};

/* Find the pointers of @samples. Their names live as long as its columns and @nullness. */
void nullness_init(struct nullness *nullness, const struct samples *samples);
void nullness_deinit(struct nullness *nullness);

/* Fill in their states. @samples must be as it was. */
void nullness_conclude(struct nullness *nullness);
