/*
 * Quantiles of features, shares of cases, and the mean cost by the old model. Source of the test:
 * Kolmogorov and Smirnov.
 */
#include "workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "model/data/stats.h"

/* Larger numbers are addresses, times or hashes. */
#define OPAQUE 1e9

static const double shares[3] = {0.1, 0.5, 0.9};

size_t workload_mean(const struct samples *samples, enum metric metric, double *ret)
{
	const struct column *column = samples_metric(samples, metric);
	double sum = 0;
	size_t n = 0;
	size_t i;

	*ret = NAN;
	if (!column)
		return 0;
	for (i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT) {
			sum += column->numbers[i];
			n++;
		}
	if (n)
		*ret = sum / (double)n;
	return n;
}

/* A feature's numbers in the calls with the metric. */
struct numbers {
	double *list;
	size_t n;
};

static struct numbers sorted_numbers(const struct samples *samples, const struct column *column,
				     const struct column *metric)
{
	struct numbers numbers = {.list = mem_alloc((samples->n_rows + 1) * sizeof(double))};
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if (column->absence[i] == PRESENT && (!metric || metric->absence[i] == PRESENT))
			numbers.list[numbers.n++] = column->numbers[i];
	numbers_sort(numbers.list, numbers.n);
	return numbers;
}

/* Kolmogorov-Smirnov test at 1 %. */
static bool is_other_distribution(const struct numbers *a, const struct numbers *b)
{
	const double n = (double)a->n * (double)b->n / (double)(a->n + b->n);
	double most = 0;
	size_t i = 0, j = 0;

	while (i < a->n && j < b->n) {
		const double at = fmin(a->list[i], b->list[j]);

		while (i < a->n && a->list[i] <= at)
			i++;
		while (j < b->n && b->list[j] <= at)
			j++;
		most = fmax(most, fabs((double)i / (double)a->n - (double)j / (double)b->n));
	}
	return most * sqrt(n) > 1.63;
}

static void compare_feature(const struct annotated_rows *old, const struct annotated_rows *new,
			    size_t feature, double tolerance, struct diff_feature *ret)
{
	struct numbers a = sorted_numbers(old->samples, old->columns[feature], old->metric);
	struct numbers b = sorted_numbers(new->samples, new->columns[feature], new->metric);
	bool far = false;
	size_t i;

	ret->feature = &old->annotation->features[feature];
	for (i = 0; i < 3; i++) {
		ret->old[i] = stats_quantile(a.list, a.n, shares[i]);
		ret->new[i] = stats_quantile(b.list, b.n, shares[i]);
		far |= fabs(ret->new[i] - ret->old[i]) > tolerance * fabs(ret->old[i]);
	}
	ret->moved = a.n && b.n && far && is_other_distribution(&a, &b);
	free(a.list);
	free(b.list);
}

/* The mean expected cost, and each case's share of the calls; NAN if there are none. */
static double workload_expect(const struct annotated_rows *seen, double *parts, struct arena *arena)
{
	const struct annotation *annotation = seen->annotation;
	const struct annotation_list none = {.n = 0};
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	struct expectation expectation;
	struct err ignored;
	double sum = 0;
	size_t n = 0;
	size_t i;

	for (i = 0; i < seen->samples->n_rows; i++) {
		if (seen->metric->absence[i] != PRESENT)
			continue;
		annotated_rows_arguments(seen, i, x);
		if (!expectation_find(annotation, &none, x, &expectation, &ignored))
			continue;
		sum += expectation.mean;
		parts[expectation.in - annotation->cases]++;
		n++;
	}
	for (i = 0; i < annotation->n_cases; i++)
		parts[i] /= fmax((double)n, 1);
	return n ? sum / (double)n : NAN;
}

static void compare_cases(struct diff *diff, struct diff_subject *subject, const double *old,
			  const double *new, double tolerance)
{
	const struct annotation *annotation = subject->old;
	size_t i;

	if (annotation->n_cases < 2)
		return;
	subject->cases = arena_array(diff->arena, struct diff_case, annotation->n_cases);
	subject->n_cases = annotation->n_cases;
	for (i = 0; i < annotation->n_cases; i++)
		subject->cases[i] = (struct diff_case){.in = &annotation->cases[i],
						       .old = old[i],
						       .new = new[i],
						       .moved = fabs(new[i] - old[i]) > tolerance};
}

void workload_compare(struct diff *diff, struct diff_subject *subject,
		      const struct annotated_rows *old, const struct annotated_rows *new,
		      const struct diff_options *options)
{
	const struct annotation *annotation = subject->old;
	struct arena *arena = arena_create();
	double *parts[2];
	double expected[2];
	size_t i;

	for (i = 0; i < 2; i++) {
		parts[i] = arena_array(arena, double, annotation->n_cases + 1);
		expected[i] = workload_expect(i ? new : old, parts[i], arena);
	}
	subject->workload = expected[0] > 0 && expected[1] > 0 ? expected[1] / expected[0] : NAN;
	subject->features =
		arena_array(diff->arena, struct diff_feature, annotation->n_features + 1);
	subject->n_features = annotation->n_features;
	for (i = 0; i < annotation->n_features; i++)
		compare_feature(old, new, i, options->tolerance, &subject->features[i]);
	compare_cases(diff, subject, parts[0], parts[1], options->tolerance);
	for (i = 0; i < subject->n_features; i++)
		subject->moved |= subject->features[i].moved;
	for (i = 0; i < subject->n_cases; i++)
		subject->moved |= subject->cases[i].moved;
	arena_destroy(arena);
}

/* The only value of @column; false: several, or none. */
static bool only_value(const struct samples *samples, const struct column *column, double *ret)
{
	size_t i;
	bool any = false;

	for (i = 0; i < samples->n_rows; i++) {
		if (column->absence[i] != PRESENT)
			continue;
		if (any && column->numbers[i] != *ret)
			return false;
		*ret = column->numbers[i];
		any = true;
	}
	return any;
}

static bool is_modelled(const struct annotation *annotation, const char *expression)
{
	size_t i;

	for (i = 0; i < annotation->n_features; i++)
		if (!strcmp(annotation->features[i].expression, expression))
			return true;
	return false;
}

static bool may_matter(const struct column *column)
{
	const bool given =
		column->provenance == FROM_PARAMETER || column->provenance == FROM_IMPORT;

	return column->role == COLUMN_FEATURE && given && column->type != FEATURE_STRING &&
	       column->type != FEATURE_CLASS;
}

/* Is it the number of a process or thread that was measured? The next run has another one. */
static bool names_who_ran(const struct samples *samples, double value)
{
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if ((double)samples->keys[i].process == value ||
		    (double)samples->keys[i].thread == value)
			return true;
	return false;
}

const char *workload_confounder(struct diff *diff, const struct diff_subject *subject,
				const struct samples *old, const struct samples *new)
{
	size_t i;

	for (i = 0; i < old->n_columns; i++) {
		const struct column *column = &old->columns[i];
		size_t at;
		double before = NAN, now = NAN;

		if (!may_matter(column) || is_modelled(subject->old, column->name) ||
		    !only_value(old, column, &before) || fabs(before) > OPAQUE)
			continue;
		at = samples_find_column(new, COLUMN_FEATURE, column->name);
		if (at == new->n_columns || is_modelled(subject->new, column->name) ||
		    !only_value(new, &new->columns[at], &now) || now == before ||
		    (names_who_ran(old, before) && names_who_ran(new, now)))
			continue;
		return arena_printf(diff->arena,
				    "%s was always %.6g and is %.6g now: whether that or the "
				    "function made the difference cannot be told",
				    column->name, before, now);
	}
	return NULL;
}
