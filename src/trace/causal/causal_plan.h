/*
 * The plan of experiments: which unit, which speedup, for how long. Pure data; the clock is an
 * argument.
 *
 * A unit is chosen by the first sample after the last pair, so with the chance of its share, and
 * while it runs; the speedup by chance, and whether the experiment with it or the one without comes
 * first. Both last until the same time is over, pauses taken off. A short rest before each lets
 * samples and pauses of the last one pass. Then it settles: it is made, but not counted yet, for a
 * queue that was filled in the last one is emptied first, or the other way round.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"

enum causal_phase { CAUSAL_CHOOSING, CAUSAL_RESTING, CAUSAL_SETTLING, CAUSAL_RUNNING };

/* Visits that an experiment is to have; the longest that it may take for them. */
enum { CAUSAL_VISITS_WANTED = 40 };
#define CAUSAL_LONGEST_NS UINT64_C(8000000000)

struct causal_plan {
	const double *speedups; /* [n_speedups] those to choose from; NULL: many up to 90 % */
	size_t n_speedups;
	struct random_state random;
	/* The rest is set here. */
	enum causal_phase phase;
	unsigned unit;
	unsigned pair;
	double speedup;     /* of the pair */
	bool with_first;    /* its experiment with the speedup comes first */
	bool second;        /* of its two experiments */
	uint64_t length_ns; /* without pauses */
	uint64_t until_ns;  /* of a rest */
	uint64_t began_ns;  /* to settle, or to count */
};

/* All zero but the first three before. */
void causal_plan_begin(struct causal_plan *plan);

/* A unit was seen to run, which may be chosen, at @now_ns. */
void causal_plan_offer(struct causal_plan *plan, unsigned unit, uint64_t now_ns);

/* Of the experiment that runs, or would; 0: it is the one without. */
double causal_plan_speedup(const struct causal_plan *plan);

/* The same in this moment, also 0 if none is under way. */
double causal_plan_speedup_now(const struct causal_plan *plan);

/* Is an experiment made, whether it counts yet or not? */
bool causal_plan_is_under_way(const struct causal_plan *plan);

/* Is a rest over? Then the experiment is under way, from @now_ns on. */
bool causal_plan_starts(struct causal_plan *plan, uint64_t now_ns);

/*
 * Has it settled, or is it over, if since causal_plan_starts(), or since it settled, @inserted_ns
 * were pauses, and @waited_ns of these as there was no processor? Once it has settled it counts,
 * from @now_ns on.
 */
bool causal_plan_settles(struct causal_plan *plan, uint64_t now_ns, int64_t inserted_ns,
			 uint64_t waited_ns);
bool causal_plan_ends(const struct causal_plan *plan, uint64_t now_ns, int64_t inserted_ns,
		      uint64_t waited_ns);

/* It is over, with @visits: what comes next, and how long later ones will be. */
void causal_plan_ended(struct causal_plan *plan, uint64_t now_ns, double visits);
