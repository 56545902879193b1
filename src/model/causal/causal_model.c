/* Gains of all units: pairs, the bootstrap, phases, what takes over. causal_curve.c fits. */
#include "causal_model.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "base/mem.h"
#include "base/random.h"
#include "causal_curve.h"
#include "model/data/holm.h"
#include "model/data/stats.h"

enum { DRAWS = 300, PAIRS_LEAST = 3 };

static const double ALPHA = 0.05;

struct building {
	const struct experiments *experiments;
	const struct causal_model_options *options;
	struct causal_gains *gains;
	struct random_state random;
	struct causal_pair *pairs; /* of one unit */
	size_t n;
	double in_run;   /* see samples_per_second() */
	double *chances; /* [gains->n] that the slope is 0 */
};

static bool is_with(const struct experiment *experiment)
{
	return experiment->speedup > 0;
}

/* The partner without speedup; NULL: there is none that is usable. */
static const struct experiment *find_partner(const struct experiments *experiments,
					     const struct experiment *with)
{
	const struct experiment *end = experiments->list + experiments->n;
	const struct experiment *other;

	for (other = experiments->list; other < end; other++)
		if (other->pair == with->pair && other->unit == with->unit && !is_with(other) &&
		    other->flaw == EXPERIMENT_USABLE)
			return other;
	return NULL;
}

/* A count of visits is off by up to one, evenly: it has begun before the first. */
static double counting_variance(double visits)
{
	return 1 / (6 * visits * visits);
}

static bool make_pair(const struct building *building, const struct experiment *with,
		      struct causal_pair *ret)
{
	const struct experiments *experiments = building->experiments;
	const size_t progress = building->options->progress;
	const struct experiment *without = find_partner(experiments, with);
	double ratio, n_with, n_without;

	if (!without)
		return false;
	if (experiment_is_unstable(experiments, with, progress) ||
	    experiment_is_unstable(experiments, without, progress) ||
	    experiment_leaves_over(experiments, with, without, progress)) {
		building->gains->unstable++;
		return false;
	}
	n_with = with->seen[progress].visits;
	n_without = without->seen[progress].visits;
	ratio = experiment_cost_s(experiments, with, progress) /
		experiment_cost_s(experiments, without, progress);
	if (!(ratio > 0) || !isfinite(ratio))
		return false;
	*ret = (struct causal_pair){.speedup = with->speedup,
				    .log_ratio = log(ratio),
				    .weight = 1 / (1 / n_with + 1 / n_without),
				    .counted = experiments->whole
						       ? 0
						       : counting_variance(n_with) +
								 counting_variance(n_without),
				    .with = (size_t)(with - experiments->list),
				    .without = (size_t)(without - experiments->list)};
	return true;
}

static void find_pairs(struct building *building, unsigned unit)
{
	const struct experiments *experiments = building->experiments;
	size_t i;

	building->n = 0;
	for (i = 0; i < experiments->n; i++) {
		const struct experiment *with = &experiments->list[i];

		if (with->unit == unit && is_with(with) && with->flaw == EXPERIMENT_USABLE)
			building->n += make_pair(building, with, &building->pairs[building->n]);
	}
}

/* The other half of a pair, usable or not, which is beside it; NULL: it was not made. */
static const struct experiment *neighbour_of(const struct experiments *all, size_t i)
{
	const struct experiment *one = &all->list[i];

	if (i > 0 && one[-1].pair == one->pair && one[-1].unit == one->unit)
		return one - 1;
	if (i + 1 < all->n && one[1].pair == one->pair && one[1].unit == one->unit)
		return one + 1;
	return NULL;
}

/*
 * Samples of the unit in each second of the run. What was done while something was as if faster is
 * a part of the run, too, mostly of the phase in which that runs: it would have taken as long for
 * each visit as in its partner. All of it was under way before it counted.
 */
static double samples_per_second(const struct building *building, unsigned unit)
{
	const struct experiments *all = building->experiments;
	const size_t progress = building->options->progress;
	const double part = all->whole ? 1 : 1 + EXPERIMENT_SETTLING;
	double samples = all->units[unit].samples, seconds = all->calm_s;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct experiment *with = &all->list[i];
		const struct experiment *without = is_with(with) ? neighbour_of(all, i) : NULL;

		if (!without || is_with(without) || !(without->seen[progress].visits > 0))
			continue;
		samples += part * experiment_samples(with, unit);
		seconds += part * with->seen[progress].visits * without->elapsed_s /
			   without->seen[progress].visits;
	}
	return samples / seconds;
}

/*
 * The share of the run in which the unit runs: experiments of a unit take place only there, so its
 * samples in the whole run are fewer for each second.
 * Source: C. Curtsinger's thesis (2016), 5.2.4.
 */
static double active_share(const struct building *building, const struct causal_pair *pairs,
			   unsigned unit)
{
	const struct experiments *all = building->experiments;
	double samples = 0, seconds = 0;
	size_t i;

	for (i = 0; i < building->n; i++) {
		samples += experiment_samples(&all->list[pairs[i].without], unit);
		seconds += all->list[pairs[i].without].elapsed_s;
	}
	return samples > 0 && all->calm_s > 0 && !all->units[unit].is_load
		       ? seconds / samples * building->in_run
		       : 1;
}

static void draw_pairs(struct building *building, struct causal_pair *ret)
{
	size_t i;

	for (i = 0; i < building->n; i++)
		ret[i] = building->pairs[random_next(&building->random) % building->n];
}

/* Of the mean of n, found by drawing n of them: a draw has its own mean taken off. */
static double draws_error(const double *draws, size_t n)
{
	return sqrt(stats_mean_square(draws, DRAWS, stats_mean(draws, DRAWS)) * (double)n /
		    (double)(n - 1));
}

/* What whole visits may do to the slope, even if all pairs agree. */
static double counting_error(const struct building *building, double knee)
{
	double squares = 0, weights = 0, variance = 0, at;
	size_t i;

	for (i = 0; i < building->n; i++) {
		const struct causal_pair *pair = &building->pairs[i];

		at = pair->weight * fmin(pair->speedup, knee);
		weights += at * fmin(pair->speedup, knee);
		squares += at * at * pair->counted;
	}
	variance = squares / (weights * weights);
	return sqrt(variance);
}

static void bootstrap(struct building *building, struct causal_gain *gain,
		      const struct causal_curve *curve, double *ret_error)
{
	struct causal_pair *drawn = mem_alloc(building->n * sizeof(*drawn));
	double slopes[DRAWS], shares[DRAWS], t, error;
	size_t i;

	for (i = 0; i < DRAWS; i++) {
		draw_pairs(building, drawn);
		slopes[i] = causal_curve_slope(drawn, building->n, curve->knee);
		shares[i] = active_share(building, drawn, gain->unit);
	}
	free(drawn);
	t = gsl_cdf_tdist_Pinv(1 - ALPHA / 2, (double)(building->n - 1));
	error = draws_error(shares, building->n);
	gain->active = active_share(building, building->pairs, gain->unit);
	if (gain->active + t * error >= 1)
		gain->active = 1;
	*ret_error = hypot(draws_error(slopes, building->n), counting_error(building, curve->knee));
	gain->low = (gain->slope - t * *ret_error) * gain->active;
	gain->high = (gain->slope + t * *ret_error) * gain->active;
}

static int compare_points(const void *a, const void *b)
{
	const struct gain_point *left = a, *right = b;

	return (left->speedup > right->speedup) - (left->speedup < right->speedup);
}

static struct gain_point *point_of(struct causal_gain *gain, double speedup)
{
	size_t i;

	for (i = 0; i < gain->n_points; i++)
		if (gain->points[i].speedup == speedup)
			return &gain->points[i];
	gain->points[gain->n_points] = (struct gain_point){.speedup = speedup};
	return &gain->points[gain->n_points++];
}

/* Mean and spread of the logarithms at one speedup; the spread is what all speedups have. */
static void fill_point(const struct building *building, const struct causal_gain *gain,
		       struct gain_point *point, double spread)
{
	double sum = 0, weights = 0, squares = 0, counted = 0, mean, error, t;
	const double freedom = (double)building->n - (double)gain->n_points;
	size_t i;

	for (i = 0; i < building->n; i++) {
		const struct causal_pair *pair = &building->pairs[i];

		if (pair->speedup != point->speedup)
			continue;
		sum += pair->weight * pair->log_ratio;
		weights += pair->weight;
		squares += pair->weight * pair->weight;
		counted += pair->weight * pair->weight * pair->counted;
	}
	mean = sum / weights;
	point->gain = gain->active * (1 - exp(mean));
	point->low = point->high = NAN;
	if (freedom < 1)
		return;
	t = gsl_cdf_tdist_Pinv(1 - ALPHA / 2, freedom);
	error = t * sqrt(spread * squares + counted) / weights;
	point->low = gain->active * (1 - exp(mean + error));
	point->high = gain->active * (1 - exp(mean - error));
}

/* The variance of logarithms around the mean of their speedup. */
static double pooled_spread(const struct building *building, struct causal_gain *gain)
{
	const double freedom = (double)building->n - (double)gain->n_points;
	double squares = 0;
	size_t i, j;

	for (i = 0; i < gain->n_points; i++) {
		double sum = 0, weights = 0;

		for (j = 0; j < building->n; j++)
			if (building->pairs[j].speedup == gain->points[i].speedup) {
				sum += building->pairs[j].weight * building->pairs[j].log_ratio;
				weights += building->pairs[j].weight;
			}
		for (j = 0; j < building->n; j++)
			if (building->pairs[j].speedup == gain->points[i].speedup)
				squares += pow(building->pairs[j].log_ratio - sum / weights, 2);
	}
	return freedom < 1 ? 0 : squares / freedom;
}

static void find_points(struct building *building, struct causal_gain *gain)
{
	double spread;
	size_t i;

	gain->points = arena_array(building->gains->arena, struct gain_point, building->n);
	for (i = 0; i < building->n; i++)
		point_of(gain, building->pairs[i].speedup)->pairs++;
	qsort(gain->points, gain->n_points, sizeof(*gain->points), compare_points);
	spread = pooled_spread(building, gain);
	for (i = 0; i < gain->n_points; i++)
		fill_point(building, gain, &gain->points[i], spread);
}

/* By how much more of the time a unit runs beyond the knee than without speedup. */
static double growth_of(const struct building *building, unsigned unit, double knee)
{
	const struct experiment *list = building->experiments->list;
	double then = 0, now = 0, then_s = 0, now_s = 0;
	size_t i;

	for (i = 0; i < building->n; i++) {
		const struct causal_pair *pair = &building->pairs[i];

		if (pair->speedup < knee)
			continue;
		then += experiment_samples(&list[pair->with], unit);
		then_s += experiment_effective_s(&list[pair->with]);
		now += experiment_samples(&list[pair->without], unit);
		now_s += experiment_effective_s(&list[pair->without]);
	}
	return then / then_s - now / now_s;
}

static int takes_over(const struct building *building, const struct causal_gain *gain)
{
	double most = 0, growth;
	int found = -1;
	unsigned unit;

	for (unit = 0; unit < building->experiments->n_units; unit++) {
		growth = unit == gain->unit ? 0 : growth_of(building, unit, gain->upto);
		if (growth <= most)
			continue;
		most = growth;
		found = (int)unit;
	}
	return found;
}

/* Pairs of one unit are there. */
static void build_gain(struct building *building, struct causal_gain *gain, double *ret_chance)
{
	const struct causal_curve curve = causal_curve_fit(building->pairs, building->n);
	double error;

	gain->pairs = building->n;
	gain->slope = curve.slope;
	gain->active = 1;
	gain->low = gain->high = NAN;
	*ret_chance = 1;
	building->in_run = samples_per_second(building, gain->unit);
	if (building->n >= PAIRS_LEAST) {
		bootstrap(building, gain, &curve, &error);
		*ret_chance = stats_chance(gain->slope, building->options->tolerance, error,
					   (double)(building->n - 1));
	}
	gain->slope *= gain->active;
	gain->upto = isfinite(curve.knee) ? curve.knee : NAN;
	gain->then = isfinite(curve.knee) ? takes_over(building, gain) : -1;
	find_points(building, gain);
}

static int compare_gains(const void *a, const void *b)
{
	const struct causal_gain *left = a, *right = b;
	const double x = fabs(left->slope), y = fabs(right->slope);

	if (left->certain != right->certain)
		return left->certain ? -1 : 1;
	return x != y ? (x < y) - (x > y) : (left->unit > right->unit) - (left->unit < right->unit);
}

static void judge_gains(struct building *building)
{
	struct causal_gains *gains = building->gains;
	bool *certain = mem_alloc((gains->n + 1) * sizeof(*certain));
	size_t i;

	holm_reject(building->chances, gains->n, ALPHA, certain);
	for (i = 0; i < gains->n; i++)
		gains->list[i].certain = certain[i];
	free(certain);
	qsort(gains->list, gains->n, sizeof(*gains->list), compare_gains);
}

struct causal_gains *causal_model_build(const struct experiments *experiments,
					const struct causal_model_options *options)
{
	struct causal_gains *gains = mem_alloc(sizeof(*gains));
	struct building building = {experiments, options, gains, {options->seed}};
	size_t i;

	gains->arena = arena_create();
	gains->experiments = experiments;
	gains->progress = options->progress;
	gains->list = arena_array(gains->arena, struct causal_gain, experiments->n_units + 1);
	building.pairs = mem_alloc((experiments->n + 1) * sizeof(*building.pairs));
	building.chances = mem_alloc((experiments->n_units + 1) * sizeof(*building.chances));
	for (i = 0; i < experiments->n; i++)
		gains->flaws[experiments->list[i].flaw]++;
	for (i = 0; i < experiments->n_units; i++) {
		find_pairs(&building, (unsigned)i);
		if (!building.n)
			continue;
		gains->list[gains->n].unit = (unsigned)i;
		build_gain(&building, &gains->list[gains->n], &building.chances[gains->n]);
		gains->n++;
	}
	judge_gains(&building);
	free(building.pairs);
	free(building.chances);
	return gains;
}
