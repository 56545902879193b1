/*
 * The curve of one unit: gain(speedup) = slope · min(speedup, knee), fitted to pairs.
 *
 * What is fitted is log(cost with / cost without) = log(1 - gain): errors are multiplicative, and
 * the ratio of two noisy costs would be too high in the mean. Costs of few visits weigh less.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct causal_pair {
	double speedup;
	double log_ratio;
	double weight;        /* visits: 1 / (1 / without + 1 / with) */
	double counted;       /* variance of log_ratio from counting whole visits */
	size_t with, without; /* the experiments' indices */
};

struct causal_curve {
	double slope;
	double knee; /* INFINITY: none */
};

/* The slope that suits best if the knee is there. */
double causal_curve_slope(const struct causal_pair *pairs, size_t n, double knee);

/*
 * A knee at one of the speedups that were tried, but the highest, if the squares are less with it
 * than chance explains (BIC; a knee counts as three parameters, since it is searched for).
 */
struct causal_curve causal_curve_fit(const struct causal_pair *pairs, size_t n);
