/* How much runs differ, each from the formula of its side. */
#include "diff_state.h"

#include <math.h>

static void find_means(const struct diff_state *differ, const struct refit_cases *of, size_t at,
		       struct run_means *ret)
{
	struct arena *arena = differ->arena;
	const struct refit_case *one = &of->cases[at];
	const size_t *rows = one->uses_inside ? one->inside : one->rows;
	const size_t n = one->uses_inside ? one->n_inside : one->n_rows;
	double *x = arena_array(arena, double, of->seen.annotation->n_features + 1);
	double *residuals = arena_array(arena, double, n + 1);
	double *expected = arena_array(arena, double, n + 1);
	double *deviations = arena_array(arena, double, n + 1);
	int64_t *runs = arena_array(arena, int64_t, n + 1);
	const struct run_rows of_runs = {residuals, expected, runs, n};
	double ignored;
	size_t i;

	for (i = 0; i < n; i++) {
		annotated_rows_numbers(&of->seen, rows[i], x);
		expected[i] = refit_cases_cost(one, x, &ignored);
		deviations[i] = fmax(annotation_value(&one->in->models[0].deviation, x), 0);
		residuals[i] = of->seen.metric->numbers[rows[i]] - expected[i];
		runs[i] = of->seen.samples->keys[rows[i]].run;
	}
	annotated_rows_weigh(expected, deviations, n);
	for (i = 0; i < n; i++) {
		residuals[i] /= deviations[i];
		expected[i] = fabs(expected[i]) / deviations[i];
	}
	run_effect_means(&of_runs, arena, ret);
}

void diff_runs_find(struct diff_state *differ, size_t at)
{
	struct run_means sides[2] = {{.n = 1}, {.n = 1}};

	if (differ->old.cases[at].fitted)
		find_means(differ, &differ->old, at, &sides[0]);
	if (differ->new.cases[at].fitted)
		find_means(differ, &differ->new, at, &sides[1]);
	run_effect_find(sides,
			metric_is_exact(differ->subject->metric) ? 0 : differ->options->run_spread,
			&differ->spread);
}
