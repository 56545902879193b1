/*
 * Do costs depend on where a run had its stack, its heap, …? All calls of a run share the place, so
 * runs are compared, not calls: they are parted by the place at each border, and the parting that
 * explains most is compared with the same of runs whose places were permuted.
 */
#pragma once

#include "samples.h"

/* Fewer runs cannot tell, however large the difference: there are too few permutations. */
enum { RUN_PLACES_LEAST = 12 };

/* A chance below this is a dependence. */
#define RUN_PLACES_CHANCE 0.003

/* Does @column hardly vary but between runs? Then calls say nothing of it that runs do not. */
bool run_places_are(const struct samples *samples, const struct column *column);

/* Costs of two runs of one program, which nothing else tells apart, differ by so many times. */
#define RUN_PLACES_TIMES 1.35

/*
 * Does @column hardly vary but between runs, as numbers of processes, places of memory and seeds
 * do, and do the runs' costs not tell that they depend on it? Of RUN_PLACES_LEAST runs and more
 * permutations decide; of fewer, whether any two differ by more than RUN_PLACES_TIMES. Neither what
 * the system says nor what is imported is doubted; of a cost that is exact runs differ for a
 * reason, and where they are of few calls, calls are what there is.
 */
bool run_places_doubt(const struct samples *samples, const struct column *metric,
		      const struct column *column);

struct run_place {
	double place, cost; /* relative to the mean of the runs that were added with it */
};

struct run_places {
	struct run_place *runs; /* [n], owned */
	size_t n, capacity;
};

struct run_parting {
	double border, times; /* runs with more than `border` cost so many times as much */
	double between;       /* the sum of squares that this explains */
	double p;
};

/* Add the runs of @samples that know both columns. */
void run_places_add(struct run_places *places, const struct samples *samples,
		    const struct column *metric, const struct column *place);

/* Take out what @parting, of @by, explains; both are of the same runs. */
void run_places_take_out(struct run_places *places, const struct run_places *by,
			 const struct run_parting *parting);
void run_places_deinit(struct run_places *places);

/* False: too few runs, or places. Always the same permutations. */
bool run_places_part(const struct run_places *places, struct run_parting *ret);
