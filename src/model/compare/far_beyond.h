/*
 * Calls so far beyond a model that their number decides nothing. What is true of calls however
 * they depend on each other: one is k deviations above its mean with the chance 1 / (1 + k²) at
 * most, whatever its distribution (Cantelli's inequality), so half of them are with twice that
 * (Markov's). The error that calls have by their own dependence says little where a feature moves
 * them all, far away from the model; so the better one counts.
 */
#pragma once

#include "model/data/run_effect.h"

struct far_beyond {
	double median; /* deviations beyond what is allowed */
	bool is_far;   /* the median call is not what the model describes */
	bool has_most; /* hardly any call is: else the model may be of one kind that comes in rows */
};

/* @away [@n], in deviations of a model of @n_model calls (0: taken as exact); changed. */
struct far_beyond far_beyond_find(double *away, size_t n, size_t n_model);

/* The p-value by the calls; 1: it says nothing. */
double far_beyond_chance(const struct far_beyond *beyond);

/*
 * With what runs differ by (NULL: by nothing), of a relative difference @away. The runs get one
 * half of the way, the calls the other.
 */
double far_beyond_chance_of_runs(const struct far_beyond *beyond, const struct run_spread *spread,
				 const struct run_means *sides, double away);
