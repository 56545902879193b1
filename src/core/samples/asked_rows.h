/*
 * While a program runs, features that have never mattered may be read in a tenth of the calls only;
 * in the others they are ABSENT_NOT_ASKED. Chance chooses the tenth, from the run's beginning on,
 * and a key column says which calls it is: in these everything was read, always, so that they stand
 * for all.
 */
#pragma once

#include "base/arena.h"
#include "samples.h"

/* 1 in the calls of the tenth, 0 in others; only in runs that may read less. */
#define ASKED_ROWS_KEY "tenth"

/* Is there a feature that some calls were not asked for? */
bool asked_rows_differ(const struct samples *samples);

/* Those calls that were asked for all features, in @arena, with borrowed strings. */
const struct samples *asked_rows_tenth(const struct samples *samples, struct arena *arena);

/*
 * All calls, with those features that all were asked for; likewise. Branches stay: they only hint
 * at conditions, for which some calls are enough.
 */
const struct samples *asked_rows_rest(const struct samples *samples, struct arena *arena);
