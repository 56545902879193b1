/* How much runs differ, each from the formula of its side. */
#include "diff_state.h"
#include "run_shape.h"

void diff_runs_set(struct diff_state *differ, const struct run_means *old,
		   const struct run_means *new)
{
	const bool exact = metric_is_exact(differ->subject->metric);
	struct run_means *sides = differ->sides;

	sides[0] = *old;
	sides[1] = *new;
	run_effect_find(sides, exact ? 0 : differ->options->run_spread, &differ->spread);
	run_shape_find(sides, &differ->spread);
	differ->spread.by_turns = differ->options->by_turns;
	if (!exact)
		run_effect_add_load(&differ->spread, &differ->load[0], &differ->load[1]);
}

static void runs_find_within(struct diff_state *differ, size_t at, bool by_parts)
{
	struct run_means sides[2] = {{.n = 1}, {.n = 1}};

	if (differ->old.cases[at].fitted)
		refit_cases_runs(&differ->old, at, by_parts, differ->arena, &sides[0]);
	if (differ->new.cases[at].fitted)
		refit_cases_runs(&differ->new, at, by_parts, differ->arena, &sides[1]);
	diff_runs_set(differ, &sides[0], &sides[1]);
}

/*
 * Runs of a mixture may differ in what its parts cost and in how many calls are of each: what says
 * more counts.
 */
void diff_runs_find(struct diff_state *differ, size_t at)
{
	struct diff_state by_parts = *differ;

	runs_find_within(differ, at, false);
	if (differ->old.cases[at].in->n_models < 2)
		return;
	runs_find_within(&by_parts, at, true);
	if (by_parts.spread.error > differ->spread.error)
		*differ = by_parts;
}
