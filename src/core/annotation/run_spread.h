/*
 * How much costs differ between runs. Calls of one run share its layout, its machine and its
 * minute, so a difference of two profiles counts only beyond what two runs of one program differ
 * by. Plain data; model/compare estimates it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "machine_load.h"

/* Below this a p-value is doubt enough to judge otherwise. */
#define RUN_SPREAD_DOUBT 0.05

struct run_spread {
	size_t runs[2];   /* of the old side and the new */
	bool of_builds;   /* these are builds, not runs */
	double deviation; /* standard deviation between runs, relative to the cost */
	/* of the difference of both sides, by runs alone; relative, 0: runs do not differ */
	double error;
	double freedom;  /* degrees of freedom of `error`; INFINITY: it is assumed */
	bool is_assumed; /* too few runs say how much they differ */
	/* the machine was busy, so that all runs of one side may be shifted */
	bool is_unfair;
	bool by_turns; /* runs of both sides were of the same minutes */
	double minute; /* what the sides may differ by, as they were not, on a busy machine */
	struct machine_load load[2];
	/* p-values of each side's runs being normal, of equal variances; NAN: not known */
	double normal[2], equal;
};

/* Is time alone unfair? */
bool run_spread_is_busy(const struct run_spread *spread);

/* Print "5 and 5 runs differ by 1.6 %", or what is assumed; @enough: "; 9 a side would tell". */
void run_spread_print(const struct run_spread *spread, size_t enough, FILE *out);

/* Print "; normal (Shapiro-Wilk: p 0.41, 0.77), …", and what follows; without @all only doubts. */
void run_spread_print_shape(const struct run_spread *spread, bool all, FILE *out);
