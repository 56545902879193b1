/*
 * Which pointers were null in which rows, as far as what could be read through them implies it.
 * Private to derived_columns.c.
 */
#pragma once

#include "base/arena.h"
#include "samples.h"

enum { POINTERS_MAX = 512 }; /* per table; further ones are left out */

enum null_state { UNKNOWN, IS_NULL, NOT_NULL };

struct null_pointer {
	const char *name;
	unsigned depth;
	enum provenance provenance;
	/* the feature read through it last (of several the first by name); NULL: none */
	const char *witness;
	uint8_t *states; /* [n_rows], enum null_state; NULL before nullness_conclude() */
};

struct nullness {
	struct arena *arena;
	const struct samples *samples;
	struct null_pointer *pointers[POINTERS_MAX];
	size_t n_pointers;
	struct null_path *paths; /* private, as is the next */
	size_t n_paths;
};

/*
 * Find the pointers of @samples, which must outlive @nullness. Names live in @nullness or its
 * columns.
 */
void nullness_init(struct nullness *nullness, const struct samples *samples);
void nullness_deinit(struct nullness *nullness);

/* Fill in their states. @samples must not have changed. */
void nullness_conclude(struct nullness *nullness);
