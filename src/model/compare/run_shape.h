/*
 * Whether runs are as a t-test wants them, and what follows if they are not: permutations of the
 * runs where these are not normal, each side's own variance where the two differ.
 */
#pragma once

#include "core/verdict/diff.h"
#include "model/data/run_effect.h"

/*
 * F of a one-way analysis of variance of @n groups of values. @ret_freedom: of the groups, and
 * within them. NAN: there are too few values, or they are all the same.
 */
double run_shape_f(const struct diff_runs *groups, size_t n, double ret_freedom[2]);

/* How often values dealt to the groups at random, always the same ones, have as large an F. */
double run_shape_permuted(const struct diff_runs *groups, size_t n, double f);

/*
 * The p-value of @values[@n] if they are normal; NAN: less than 3, more than 5000, or all alike.
 * Source: J. P. Royston, Algorithm AS R94, A Remark on Algorithm AS 181 (1995), for W of S. S.
 * Shapiro and M. B. Wilk (1965).
 */
double run_shape_normal(const double *values, size_t n);

/*
 * The p-value of two sides if their variances are equal. NAN: one has less than 3 values, or no
 * distances from the median. Source: M. B. Brown, A. B. Forsythe (1974).
 */
double run_shape_equal(const double *a, size_t n_a, const double *b, size_t n_b);

/* Set what @spread tells of both, and make its error Welch's if their variances differ. */
void run_shape_find(const struct run_means sides[2], struct run_spread *spread);

/*
 * The p-value of the relative difference @away by permutations of the runs, always the same ones; 0
 * if the runs are normal, or too few for it.
 */
double run_shape_chance(const struct run_means sides[2], const struct run_spread *spread,
			double away);

/*
 * The p-value of half of the relative difference @away, by the runs alone: where something else
 * gets the other half. 1: it is not finite.
 */
double run_shape_half(const struct run_means sides[2], const struct run_spread *spread,
		      double away);
