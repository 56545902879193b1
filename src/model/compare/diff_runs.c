/* How much runs differ, each from the formula of its side. */
#include "diff_state.h"
#include "run_shape.h"

void diff_runs_find(struct diff_state *differ, size_t at)
{
	struct run_means *sides = differ->sides;

	sides[0] = sides[1] = (struct run_means){.n = 1};
	if (differ->old.cases[at].fitted)
		refit_cases_runs(&differ->old, at, differ->arena, &sides[0]);
	if (differ->new.cases[at].fitted)
		refit_cases_runs(&differ->new, at, differ->arena, &sides[1]);
	run_effect_find(sides,
			metric_is_exact(differ->subject->metric) ? 0 : differ->options->run_spread,
			&differ->spread);
	run_shape_find(sides, &differ->spread);
	differ->spread.by_turns = differ->options->by_turns;
	if (!metric_is_exact(differ->subject->metric))
		run_effect_add_load(&differ->spread, &differ->load[0], &differ->load[1]);
}
