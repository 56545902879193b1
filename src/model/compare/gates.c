/* Judges gates by the models of the new samples. */
#include "gates.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "model/data/stats.h"
#include "refit_cases.h"
#include "workload.h"

#define INTERVAL 0.95

static void gate_leave(struct gate *gate, const char *reason)
{
	gate->verdict = CHECK_UNTESTED;
	gate->reason = reason;
}

/* The mean with its error, by runs and calls. */
struct cost {
	double mean, error, freedom;
};

static void add_runs(const struct run_means *runs, const struct annotation *now,
		     const struct check_options *options, struct cost *cost)
{
	const struct run_means sides[2] = {{.n = 1}, *runs};
	struct run_spread spread;
	double of_runs;

	run_effect_find(sides, metric_is_exact(now->metric) ? 0 : options->run_spread, &spread);
	of_runs = fabs(cost->mean) * spread.error;
	cost->freedom = of_runs > 0 ? run_effect_freedom(&spread, cost->error / fabs(cost->mean),
							 cost->freedom)
				    : cost->freedom;
	cost->error = hypot(cost->error, of_runs);
}

static void gate_judge(const struct cost *cost, double limit, const struct check_options *options,
		       struct gate *gate)
{
	const double wide = gsl_cdf_tdist_Pinv(0.5 + INTERVAL / 2, fmax(cost->freedom, 1));

	gate->value = cost->mean;
	gate->low = cost->mean - wide * cost->error;
	gate->high = cost->mean + wide * cost->error;
	gate->limit = limit;
	gate->verdict = CHECK_CONFORMS;
	if (cost->mean > limit)
		gate->verdict = stats_chance(cost->mean - limit, 0, cost->error, cost->freedom) <=
						options->alpha
					? CHECK_WORSE
					: CHECK_INCONCLUSIVE;
}

/* Of all calls. */
static bool find_mean(const struct annotation *now, const struct samples *samples,
		      const struct check_options *options, struct arena *arena, struct cost *ret)
{
	const struct column *metric = samples_metric(samples, now->metric);
	struct run_rows rows = run_effect_rows(arena, samples->n_rows);
	struct run_means runs;
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if (metric->absence[i] == PRESENT)
			run_effect_add(&rows, metric->numbers[i], 1, samples->keys[i].run);
	if (rows.n < REFIT_ROWS_MIN)
		return false;
	*ret = (struct cost){stats_mean(rows.residuals, rows.n),
			     stats_error(rows.residuals, rows.n),
			     stats_effective(rows.residuals, rows.n) - 1};
	for (i = 0; i < rows.n; i++) {
		rows.residuals[i] -= ret->mean;
		rows.bases[i] = ret->mean;
	}
	run_effect_means(&rows, arena, &runs);
	add_runs(&runs, now, options, ret);
	return true;
}

static const struct annotation_feature *find_feature(const struct annotation *annotation,
						     const char *name)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (annotation_feature_is(&annotation->features[i], name))
			return &annotation->features[i];
	return NULL;
}

/* A name in no formula and of no column is a mistake. */
static const char *find_unknown(const struct annotation *before, const struct annotation *now,
				const struct samples *samples, const struct budget *budget)
{
	size_t i;

	for (i = 0; i < budget->n_values; i++) {
		const char *name = budget->values[i].name;

		if (!find_feature(now, name) && !find_feature(before, name) &&
		    samples_find_column(samples, COLUMN_FEATURE, name) == samples->n_columns)
			return name;
	}
	return NULL;
}

/* What @name, by @before if it is a short name of that, is in the samples. */
static const char *find_expression(const struct annotation *before, const struct annotation *now,
				   const char *name)
{
	const struct annotation_feature *feature = find_feature(now, name);

	if (!feature)
		feature = find_feature(before, name);
	return feature && !strcmp(feature->name, name) ? feature->expression : name;
}

/* The values of the budget for @now's features; NAN: none. */
static void take_values(const struct annotation *before, const struct annotation *now,
			const struct budget *budget, struct argument *x, double *numbers,
			struct gate *gate)
{
	size_t i, j;

	for (i = 0; i < now->n_features; i++) {
		const struct annotation_feature *feature = &now->features[i];

		numbers[i] = NAN;
		for (j = 0; j < budget->n_values; j++) {
			struct annotation_affine map;

			if (!annotation_feature_find(
				    feature, find_expression(before, now, budget->values[j].name),
				    &map))
				continue;
			numbers[i] = annotation_affine_back(&map, budget->values[j].number);
			x[i] = (struct argument){.known = true, .number = numbers[i]};
		}
		gate->is_outside |= numbers[i] < feature->min || numbers[i] > feature->max;
	}
}

/* Of a call with the budget's values. */
static bool gate_cost(const struct annotation *before, const struct annotation *now,
		      const struct samples *samples, const struct budget *budget,
		      const struct check_options *options, struct arena *arena, struct cost *ret,
		      struct gate *gate)
{
	struct argument *x = arena_array(arena, struct argument, now->n_features + 1);
	double *numbers = arena_array(arena, double, now->n_features + 1);
	struct annotated_rows seen;
	struct refit_range range;
	struct refit_cases fits;
	struct run_means runs;
	size_t at;

	take_values(before, now, budget, x, numbers, gate);
	if (!annotated_rows_find(now, samples, arena, &seen))
		return false;
	for (at = 0; at < now->n_cases && !expectation_case_holds(&now->cases[at], x); at++)
		continue;
	if (at == now->n_cases)
		return false;
	refit_cases_range_find(&seen, &seen, arena, &range);
	refit_cases_fit(&seen, &range, arena, &fits);
	if (!fits.cases[at].fitted)
		return false;
	ret->mean = refit_cases_cost(&fits.cases[at], numbers, &ret->error);
	ret->freedom = fits.cases[at].refit.freedom;
	if (!isfinite(ret->mean) || !isfinite(ret->error))
		return false;
	refit_cases_runs(&fits, at, now->cases[at].n_models > 1, arena, &runs);
	add_runs(&runs, now, options, ret);
	return true;
}

void gates_budget(const struct annotation *before, const struct annotation *now,
		  const struct samples *samples, const struct budget *budget, double limit,
		  const struct check_options *options, struct arena *arena, struct gate *ret)
{
	const char *unknown = find_unknown(before, now, samples, budget);
	struct cost cost;

	*ret = (struct gate){
		.text = budget->text, .function = now->function, .metric = now->metric};
	if (unknown)
		gate_leave(ret, arena_printf(arena, "there is no feature %s", unknown));
	else if (!now->n_cases ||
		 (!budget->n_values && !find_mean(now, samples, options, arena, &cost)))
		gate_leave(ret, "there are too few samples");
	else if (budget->n_values &&
		 !gate_cost(before, now, samples, budget, options, arena, &cost, ret))
		gate_leave(ret, "its values do not say what such a call costs: the formula needs "
				"other features, or more calls like that");
	else
		gate_judge(&cost, limit, options, ret);
}
