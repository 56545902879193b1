/* Finds columns, cases and models of rows. */
#include "annotated_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "stats.h"

/* Minimum deviation, as a part of the typical one at such a cost, and of the mean one. */
#define LEAST_OF_COST 0.1
#define LEAST_OF_MEAN 1e-6

/* A copy of @column in the unit of the annotation's feature. */
static const struct column *annotated_convert(const struct column *column, size_t n_rows,
					      const struct annotation_affine *map,
					      struct arena *arena)
{
	struct column *ret = arena_copy(arena, column, sizeof(*column));
	double *numbers = arena_array(arena, double, n_rows);
	size_t i;

	for (i = 0; i < n_rows; i++)
		numbers[i] = annotation_affine_back(map, column->numbers[i]);
	ret->numbers = numbers;
	return ret;
}

/* The feature's column, or one that gives its value. */
static const struct column *annotated_find_feature(const struct samples *samples,
						   const struct annotation_feature *feature,
						   struct arena *arena)
{
	size_t found = samples_find_column(samples, COLUMN_FEATURE, feature->expression);
	size_t i;

	for (i = 0; found == samples->n_columns && i < feature->n_aliases; i++)
		found = samples_find_column(samples, COLUMN_FEATURE, feature->aliases[i]);
	if (found < samples->n_columns)
		return &samples->columns[found];
	for (i = 0; found == samples->n_columns && i < feature->n_affine; i++)
		found = samples_find_column(samples, COLUMN_FEATURE, feature->affine[i].expression);
	return found < samples->n_columns
		       ? annotated_convert(&samples->columns[found], samples->n_rows,
					   &feature->affine[i - 1], arena)
		       : NULL;
}

bool annotated_rows_find(const struct annotation *annotation, const struct samples *samples,
			 struct arena *arena, struct annotated_rows *ret)
{
	size_t i;

	*ret = (struct annotated_rows){.annotation = annotation, .samples = samples};
	ret->columns = arena_array(arena, const struct column *, annotation->n_features + 1);
	ret->metric = samples_metric(samples, annotation->metric);
	if (!ret->metric)
		ret->missing = metric_info(annotation->metric)->keyword;
	for (i = 0; i < annotation->n_features; i++) {
		ret->columns[i] = annotated_find_feature(samples, &annotation->features[i], arena);
		if (!ret->columns[i] && !ret->missing)
			ret->missing = annotation->features[i].expression;
	}
	return !ret->missing;
}

struct argument annotated_rows_argument(const struct column *column, size_t row)
{
	if (!column || column->absence[row] != PRESENT)
		return (struct argument){.absent = column && samples_is_absent(column, row)};
	return (struct argument){
		.known = true,
		.number = column->numbers[row],
		.symbol = samples_label(column, column->numbers[row]),
	};
}

void annotated_rows_arguments(const struct annotated_rows *annotated, size_t row,
			      struct argument *ret)
{
	size_t i;

	for (i = 0; i < annotated->annotation->n_features; i++)
		ret[i] = annotated_rows_argument(annotated->columns[i], row);
}

void annotated_rows_numbers(const struct annotated_rows *annotated, size_t row, double *ret)
{
	size_t i;

	for (i = 0; i < annotated->annotation->n_features; i++)
		ret[i] = annotated->columns[i]->absence[row] == PRESENT
				 ? annotated->columns[i]->numbers[row]
				 : NAN;
}

size_t annotated_rows_case(const struct annotated_rows *annotated, const struct argument *x)
{
	const struct annotation *annotation = annotated->annotation;
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		if (expectation_case_holds(&annotation->cases[i], x))
			break;
	return i;
}

double annotated_rows_term(const struct term *term, const double *x)
{
	struct term alone = *term;
	const struct formula formula = {&alone, 1};

	alone.coefficient = 1;
	return annotation_value(&formula, x);
}

/* Log likelihood, without the constant that all models share. */
static double likelihood(const struct model *model, double mean, double deviation, double cost)
{
	const double least = fmax(deviation, 1e-9 * fabs(mean) + 1e-300);
	const double away = (cost - mean) / least;

	return log(model->probability / least) - 0.5 * away * away;
}

size_t annotated_rows_judged(const struct annotation_case *in)
{
	size_t n = 1;

	if (in->models[0].heuristic == HEURISTIC_TREND)
		return n;
	while (n < in->n_models && !in->models[n].is_rest)
		n++;
	return n;
}

struct annotated_model annotated_rows_model(const struct annotation_case *in, const double *x,
					    double cost)
{
	struct annotated_model ret = {.mean = NAN, .deviation = NAN};
	double best = -INFINITY;
	unsigned i;

	for (i = 0; i < in->n_models; i++) {
		const double mean = annotation_value(&in->models[i].mean, x);
		const double deviation = annotation_value(&in->models[i].deviation, x);
		const double one = likelihood(&in->models[i], mean, deviation, cost);

		if (i && !(one > best))
			continue;
		best = fmax(best, one);
		ret = (struct annotated_model){i, mean, deviation < 0 ? 0 : deviation};
	}
	return ret;
}

void annotated_rows_parts(const struct annotation_case *in, const double *means,
			  const double *deviations, double cost, double *ret)
{
	double most = -INFINITY, sum = 0;
	unsigned i;

	for (i = 0; i < in->n_models; i++) {
		ret[i] = likelihood(&in->models[i], means[i], deviations[i], cost);
		most = fmax(most, ret[i]);
	}
	for (i = 0; i < in->n_models; i++) {
		ret[i] = ret[i] < most ? exp(ret[i] - most) : 1;
		sum += ret[i];
	}
	for (i = 0; i < in->n_models; i++)
		ret[i] /= sum;
}

bool annotated_rows_weigh(const double *expected, double *deviations, size_t n)
{
	const double mean = stats_mean(deviations, n);
	double *ratios = mem_alloc((n + 1) * sizeof(*ratios));
	double part;
	size_t i;

	for (i = 0; i < n; i++)
		ratios[i] = deviations[i] / fmax(fabs(expected[i]), 1e-300);
	part = LEAST_OF_COST * stats_median(ratios, n);
	for (i = 0; i < n; i++) {
		const double least = fmax(part * fabs(expected[i]), LEAST_OF_MEAN * mean);

		deviations[i] = mean > 0 ? fmax(deviations[i], least) : 1;
	}
	free(ratios);
	return mean > 0;
}
