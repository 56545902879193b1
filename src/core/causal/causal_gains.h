/*
 * What the program gains if units of its code get faster: results of causal experiments, as plain
 * data and as text.
 *
 * A *gain* is a share of what the program takes (the time between visits, or the latency): positive
 * if that becomes less. A *slope* is the gain for each 1 % by which the unit gets faster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "experiment.h"

/* All pairs with one speedup. */
struct gain_point {
	double speedup;
	double gain, low, high; /* NAN: too few pairs for an interval */
	size_t pairs;
};

struct causal_gain {
	unsigned unit;
	size_t pairs;
	double slope;
	double low, high; /* of the slope, 95 %; NAN: too few pairs */
	bool certain;     /* not 0, with 5 % of error for all units together */
	double upto;      /* speedup from which it is flat; NAN: not seen */
	int then;         /* unit that takes over there; -1: unknown */
	double active;    /* share of the run in which it runs; 1 unless that is certainly less */
	struct gain_point *points; /* [n_points] by speedup */
	size_t n_points;
};

struct causal_gains {
	struct arena *arena;
	const struct experiments *experiments; /* borrowed */
	size_t progress;                       /* of its */
	size_t unstable; /* pairs not used: experiment_is_unstable(), experiment_leaves_over() */
	struct causal_gain *list; /* units with pairs; certain ones first, steepest first */
	size_t n;
	size_t flaws[EXPERIMENT_FLAWS]; /* number of experiments of each kind */
};

void causal_gains_destroy(struct causal_gains *gains); /* NULL is fine */

/*
 * How many times as much is done, by arithmetic, if @times the work comes: until those threads that
 * bring it, or the others, work all the time, if each does as much as its like.
 */
double causal_gains_served(const struct causal_gains *gains, double times);

/* How long experiments took, and how much of that were pauses that they made. */
void causal_gains_times(const struct experiments *experiments, double *ret_elapsed_s,
			double *ret_paused_s);

/* A block of lines for each unit that was tried, and what was not usable. */
void causal_gains_print(const struct causal_gains *gains, FILE *out);
