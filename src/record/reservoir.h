/*
 * A reservoir: a uniform random sample of the calls of a period, of which some may never be seen.
 *
 * Each call has a rank, drawn when it begins: uniform, of 32 bits. The sample are the calls of the
 * lowest ranks. Calls may be missing if their rank is at or above a limit, which may fall while the
 * period lasts; so in the end only ranks below the least limit count: of these all were seen,
 * whatever the limit was when. The reservoir only assigns rows; these are the caller's.
 *
 * Source: E. Cohen, H. Kaplan, Summarizing Data using Bottom-k Sketches, PODC 2007.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

struct reservoir_entry {
	uint64_t key; /* the rank, and below it random bits that break ties */
	size_t row;
};

/* All zero: empty, of all calls. Fields are private. */
struct reservoir {
	size_t size; /* most calls kept; 0: all */
	size_t n;    /* rows in use */
	uint64_t limit;
	struct reservoir_entry *heap; /* [n] the highest key first; of all calls: none */
	size_t capacity;
};

/* Begin a period; ranks at or above @limit may be missing. */
void reservoir_begin(struct reservoir *reservoir, size_t size, uint64_t limit);
void reservoir_deinit(struct reservoir *reservoir);

/* From now on, ranks at or above @limit may be missing. */
void reservoir_limit(struct reservoir *reservoir, uint64_t limit);

enum { RESERVOIR_NOT_KEPT = -1 };

/*
 * Row of the next call: the next free one (0, 1, 2…), or that of the call it displaces; or
 * RESERVOIR_NOT_KEPT. @chance breaks ties.
 */
int64_t reservoir_place(struct reservoir *reservoir, uint32_t rank, struct random_state *chance);

/* Limit the size to the rows in use, at least 1; one of all calls stays so. */
void reservoir_close(struct reservoir *reservoir);

/*
 * The period is over: set @ret[row] for all rows in use, whether its call is in the sample. Returns
 * how many are. A reservoir of all calls keeps all, whatever is missing.
 */
size_t reservoir_end(const struct reservoir *reservoir, bool *ret);
