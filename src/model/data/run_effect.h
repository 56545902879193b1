/*
 * What runs add to a comparison. Costs of one run are shifted together (layout, machine, minute),
 * which calls cannot tell, however many: so runs are the unit.
 *
 * Each run's mean residual from its side's own formula, with the standard error that its calls
 * give it; between them the method of moments of DerSimonian and Laird (1986), one variance for
 * both sides, and the error of Hartung and Knapp (2001, never less than without it) with as many
 * degrees of freedom as there are runs more than sides. Fewer than RUN_EFFECT_FREEDOM say next to
 * nothing; then runs are assumed to differ by what the caller says, or by more if they do.
 */
#pragma once

#include <stdint.h>

#include "base/arena.h"
#include "core/annotation/run_spread.h"
#include "core/samples/samples.h"

enum { RUN_EFFECT_FREEDOM = 4 };

/* Residuals in the order of the calls; bases are what they are relative to. */
struct run_rows {
	double *residuals, *bases; /* [n], bases above 0 */
	int64_t *runs;
	size_t n;
};

/* None yet; with room for @most, in @arena. */
struct run_rows run_effect_rows(struct arena *arena, size_t most);
void run_effect_add(struct run_rows *rows, double residual, double base, int64_t run);

/* The runs of one side. */
struct run_means {
	size_t n;               /* at least 1; runs of less than two calls count for nothing */
	double *means, *errors; /* [n] relative; NULL: only known is: */
	double deviation;       /* between more than one run */
	bool of_builds;         /* each is the mean of a build's runs */
};

/* Are they of several builds? Those differ as a whole, by more than their runs. */
bool run_effect_of_builds(const struct samples *samples);

void run_effect_means(const struct run_rows *rows, struct arena *arena, struct run_means *ret);

/* How much the runs of one side differ; NAN if there is one. */
double run_effect_deviation(const struct run_means *side);

/* @sides: old and new. */
void run_effect_find(const struct run_means sides[2], double assumed, struct run_spread *ret);

/*
 * While each side was measured. If the machine was busier for one of them, with more threads than
 * this machine has processors, calls without one for more than RUN_EFFECT_PREEMPTED of their time,
 * or other machines that had more than RUN_EFFECT_STOLEN of it, and twice what it was for the
 * other, that shifts all of its runs: they are taken to differ by RUN_EFFECT_BUSY more, however
 * many they are. So are runs of which too few say how much they differ, if there were more threads
 * for either side: neighbours slow down whole runs. And where more runs say it, those of one side
 * share their minutes, which differ by RUN_EFFECT_MINUTE, unless they went by turns.
 */
#define RUN_EFFECT_BUSY      0.3
#define RUN_EFFECT_PREEMPTED 0.1
#define RUN_EFFECT_STOLEN    0.05
#define RUN_EFFECT_MINUTE    0.11
void run_effect_add_load(struct run_spread *spread, const struct machine_load *old,
			 const struct machine_load *new);

/*
 * The two-sided p-value of the relative difference @away, with the standard error @error by its
 * calls, if there were none.
 */
double run_effect_chance(const struct run_spread *spread, double away, double error,
			 double freedom);

/* Of a difference with the standard error @error by its calls, together with that by runs. */
double run_effect_freedom(const struct run_spread *spread, double error, double freedom);

/*
 * Runs a side that would tell a true difference of @away in 99 cases of 100, as far as the runs say
 * how much they differ: few may differ by much more than they show, and minutes do, however many
 * runs they have. @error: of the difference by the calls of these runs. 0: no number.
 */
size_t run_effect_enough(const struct run_spread *spread, double away, double error, double alpha);
