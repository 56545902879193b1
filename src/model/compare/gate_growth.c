/*
 * The gate of growth. A class of growth is the choice of a model, which chance may turn over where
 * two forms hardly differ: so the cost must also grow faster by what both formulas expect of larger
 * calls, and the old curve, moved and stretched, must fit the samples worse than the new one.
 */
#include "gate_growth.h"

#include <math.h>
#include <string.h>

#include "core/annotation/expectation.h"
#include "model/data/stats.h"
#include "refit_cases.h"

#define BEYOND      10.0 /* how much larger than the largest seen */
#define MUCH_FASTER 1.5  /* linear and n log n differ by 1.3 from 1,000 to 10,000 */
#define MUCH_BETTER 0.7  /* distances; a form that chance took for another is not that far */

/* The class of growth in any case, and whether a formula has the feature @feature of @in. */
static enum growth gate_growth(const struct annotation *annotation)
{
	enum growth most = GROWTH_CONSTANT;
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotated_rows_judged(&annotation->cases[i]); j++)
			if (annotation->cases[i].models[j].growth > most)
				most = annotation->cases[i].models[j].growth;
	return most;
}

static bool formula_uses(const struct annotation *annotation, unsigned feature)
{
	size_t i, j;

	for (i = 0; i < annotation->n_cases; i++)
		for (j = 0; j < annotation->cases[i].n_models; j++)
			if (annotation_formula_uses(&annotation->cases[i].models[j].mean, feature))
				return true;
	return false;
}

/* The name of a feature in the formulas of @now that is in none of @before; NULL: none. */
static const char *find_entered(const struct annotation *before, const struct annotation *now)
{
	unsigned i, j;

	for (i = 0; i < now->n_features; i++) {
		bool was = false;

		/* What the machine does is no change of the program. */
		if (!formula_uses(now, i) ||
		    strncmp(now->features[i].expression, "system.", strlen("system.")) == 0)
			continue;
		for (j = 0; j < before->n_features; j++)
			was |= annotation_feature_is(&before->features[j],
						     now->features[i].expression) ||
			       annotation_feature_is(&now->features[i],
						     before->features[j].expression);
		if (!was)
			return now->features[i].name;
	}
	return NULL;
}

/*
 * The cost of a call BEYOND times as large as the largest, over that of the largest; of the case in
 * which that is most. NAN: no formula has both.
 */
static double find_steepness(const struct annotation *annotation, struct arena *arena)
{
	double *x = arena_array(arena, double, annotation->n_features + 1);
	double *beyond = arena_array(arena, double, annotation->n_features + 1);
	double most = NAN;

	for (size_t i = 0; i < annotation->n_features; i++) {
		x[i] = annotation->features[i].max;
		beyond[i] = BEYOND * x[i];
	}
	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotated_rows_judged(&annotation->cases[i]); j++) {
			const struct formula *mean = &annotation->cases[i].models[j].mean;
			const double here = annotation_value(mean, x);
			const double there = annotation_value(mean, beyond);

			if (here > 0 && isfinite(there))
				most = fmax(most, there / here);
		}
	return most;
}

/* What formulas expect of each row, in @ret; NAN: nothing. */
static bool find_expected(const struct annotation *annotation, const struct samples *samples,
			  struct arena *arena, double *ret)
{
	struct argument *arguments =
		arena_array(arena, struct argument, annotation->n_features + 1);
	double *x = arena_array(arena, double, annotation->n_features + 1);
	struct annotated_rows seen;

	if (!annotated_rows_find(annotation, samples, arena, &seen))
		return false;
	for (size_t row = 0; row < samples->n_rows; row++) {
		size_t at;

		annotated_rows_arguments(&seen, row, arguments);
		annotated_rows_numbers(&seen, row, x);
		at = annotated_rows_case(&seen, arguments);
		ret[row] = NAN;
		if (at < annotation->n_cases && annotation->cases[at].n_models &&
		    seen.metric->absence[row] == PRESENT)
			ret[row] = annotation_value(&annotation->cases[at].models[0].mean, x);
	}
	return true;
}

/* How far each cost is from a line over @expected; false: too few rows for one. */
static bool find_distances(const double *expected, const double *costs, size_t n, double *ret)
{
	const double *columns[] = {ret, expected};
	struct refit_rows rows = {.n = n, .p = 2, .y = costs};
	struct refit line;

	for (size_t i = 0; i < n; i++)
		ret[i] = 1;
	memcpy(rows.columns, columns, sizeof(columns));
	if (!refit_terms(&rows, &line))
		return false;
	for (size_t i = 0; i < n; i++) {
		const double x[LSQ_COLUMNS] = {1, expected[i]};
		double ignored;

		ret[i] = fabs(costs[i] - refit_value(&line, x, &ignored));
	}
	return true;
}

/* Does the new curve fit much better than the old one, and beyond chance? */
static bool fits_better(const struct annotation *before, const struct annotation *now,
			const struct samples *samples, double alpha, struct arena *arena)
{
	double *part[5]; /* what is expected by either, costs, and the distances from either */
	struct annotated_rows seen;
	double better;
	size_t n = 0;

	for (size_t i = 0; i < 5; i++)
		part[i] = arena_array(arena, double, samples->n_rows + 1);
	if (!find_expected(before, samples, arena, part[0]) ||
	    !find_expected(now, samples, arena, part[1]) ||
	    !annotated_rows_find(now, samples, arena, &seen))
		return false;
	for (size_t row = 0; row < samples->n_rows; row++)
		if (isfinite(part[0][row]) && isfinite(part[1][row])) {
			part[0][n] = part[0][row];
			part[1][n] = part[1][row];
			part[2][n++] = seen.metric->numbers[row];
		}
	if (!find_distances(part[0], part[2], n, part[3]) ||
	    !find_distances(part[1], part[2], n, part[4]))
		return false;
	for (size_t i = 0; i < n; i++)
		part[3][i] -= part[4][i];
	better = stats_mean(part[3], n);
	return stats_mean(part[4], n) < MUCH_BETTER * (better + stats_mean(part[4], n)) &&
	       stats_chance(better, 0, stats_error(part[3], n), (double)(n - 1)) <= alpha;
}

static const char *describe(const struct annotation *annotation, const char *entered,
			    struct arena *arena)
{
	const char *phrase = growth_phrase(gate_growth(annotation));

	return entered ? arena_printf(arena, "%s, also with %s", phrase, entered) : phrase;
}

void gate_growth_judge(const struct annotation *before, const struct annotation *now,
		       const struct samples *samples, double alpha, struct arena *arena,
		       struct gate *ret)
{
	const char *entered = find_entered(before, now);
	const double steeper = find_steepness(now, arena) / find_steepness(before, arena);

	*ret = (struct gate){.text = "growth",
			     .function = now->function,
			     .metric = now->metric,
			     .is_growth = true,
			     .verdict = CHECK_CONFORMS,
			     .before = describe(before, NULL, arena),
			     .now = describe(now, entered, arena)};
	if (!now->n_cases) {
		ret->verdict = CHECK_UNTESTED;
		ret->reason = "there are too few samples";
	} else if ((entered || (gate_growth(now) > gate_growth(before) && steeper > MUCH_FASTER)) &&
		   fits_better(before, now, samples, alpha, arena)) {
		ret->verdict = CHECK_WORSE;
	}
}
