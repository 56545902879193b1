/* All comparisons have the same old side, so its runs are taken once. */
#include "diff_sides.h"

#include "core/samples/run_places.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/arena.h"
#include "core/annotation/run_spread.h"
#include "model/data/run_effect.h"
#include "model/data/stats.h"
#include "run_shape.h"

static double sides_chance(struct diff_anova *anova, const struct diff_runs *groups)
{
	size_t i;

	for (i = 0; i < anova->n; i++)
		anova->is_permuted |=
			!(run_shape_normal(groups[i].costs, groups[i].n) >= RUN_SPREAD_DOUBT);
	if (anova->is_permuted)
		return run_shape_permuted(groups, anova->n, anova->f);
	return gsl_cdf_fdist_Q(anova->f, anova->freedom[0], anova->freedom[1]);
}

/* The builds' means, if there are several, else the runs'. None if one is not above 0. */
static struct diff_runs find_runs(struct diff *diff, const struct samples *samples,
				  enum metric metric)
{
	const struct column *cost = samples_metric(samples, metric);
	const bool by_build = run_effect_of_builds(samples);
	struct run_rows rows = run_effect_rows(diff->arena, samples->n_rows);
	struct run_means means;
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if (cost->absence[i] == PRESENT)
			run_effect_add(&rows, cost->numbers[i], 1,
				       by_build ? samples->keys[i].build : samples->keys[i].run);
	run_effect_means(&rows, diff->arena, &means);
	for (i = 0; i < means.n; i++) {
		if (!(means.means[i] > 0))
			return (struct diff_runs){NULL, 0};
		means.means[i] = log(means.means[i]);
	}
	return (struct diff_runs){means.means, means.n};
}

void diff_sides_runs(struct diff *diff, struct diff_subject *subject, const struct samples *old,
		     const struct samples *new)
{
	subject->runs[0] = find_runs(diff, old, subject->metric);
	subject->runs[1] = find_runs(diff, new, subject->metric);
	if (!subject->runs[0].n || !subject->runs[1].n)
		subject->runs[0].n = subject->runs[1].n = 0;
}

static bool is_same(const struct diff_subject *a, const struct diff_subject *b)
{
	return a->metric == b->metric && !strcmp(a->function, b->function) && b->runs[1].n;
}

static void sides_find_one(struct diff *diff, const struct diff_subject *first)
{
	const size_t rest = diff->n_subjects - (size_t)(first - diff->subjects);
	struct diff_runs *groups = arena_array(diff->arena, struct diff_runs, rest + 1);
	struct diff_anova anova = {.function = first->function, .metric = first->metric, .n = 1};
	size_t i;

	groups[0] = first->runs[0];
	for (i = 0; i < rest; i++)
		if (is_same(first, &first[i]))
			groups[anova.n++] = first[i].runs[1];
	if (anova.n < 3)
		return;
	anova.f = run_shape_f(groups, anova.n, anova.freedom);
	if (isnan(anova.f))
		return;
	anova.p = sides_chance(&anova, groups);
	diff->anovas[diff->n_anovas++] = anova;
}

void diff_sides_find(struct diff *diff)
{
	size_t i, j;

	diff->n_anovas = 0;
	diff->anovas = arena_array(diff->arena, struct diff_anova, diff->n_subjects + 1);
	for (i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];

		for (j = 0; j < i && !is_same(subject, &diff->subjects[j]); j++)
			continue;
		if (j == i && subject->side && subject->runs[1].n)
			sides_find_one(diff, subject);
	}
}

static void add_side(struct run_places *places, const struct samples *samples, enum metric metric,
		     const char *part)
{
	const struct column *cost = samples_metric(samples, metric);
	const size_t x = samples_find_column(samples, COLUMN_FEATURE, part);

	if (x < samples->n_columns && cost)
		run_places_add(places, samples, cost, &samples->columns[x]);
}

/* Does the cost depend on that part of the layout? */
static bool is_parted(const struct run_places *places, struct run_parting *ret)
{
	return run_places_part(places, ret) && ret->p <= RUN_PLACES_CHANCE;
}

/*
 * Another part may go along with the one that explains most by chance, as runs are few: it is told
 * if it explains what that leaves, too.
 */
void diff_sides_places(struct diff *diff, const struct samples *old, const struct samples *new,
		       enum metric metric)
{
	struct run_places places[LAYOUT_PARTS] = {0};
	struct run_parting partings[LAYOUT_PARTS], rest;
	bool depends[LAYOUT_PARTS];
	enum layout_part part, most = 0;

	for (part = 0; part < LAYOUT_PARTS; part++) {
		add_side(&places[part], old, metric, feature_layout_name(part));
		add_side(&places[part], new, metric, feature_layout_name(part));
		depends[part] = is_parted(&places[part], &partings[part]);
		if (depends[part] &&
		    (!depends[most] || partings[part].between > partings[most].between))
			most = part;
	}
	for (part = 0; part < LAYOUT_PARTS; part++) {
		if (depends[part] && part != most) {
			run_places_take_out(&places[part], &places[most], &partings[most]);
			depends[part] = is_parted(&places[part], &rest);
		}
		if (depends[part])
			diff_add_place(diff, &(struct diff_place){.function = old->function,
								  .metric = metric,
								  .part = feature_layout_name(part),
								  .border = partings[part].border,
								  .times = partings[part].times,
								  .n = places[part].n,
								  .p = partings[part].p});
	}
	for (part = 0; part < LAYOUT_PARTS; part++)
		run_places_deinit(&places[part]);
}
