/* Evaluates expectation.c on each row of a table. */
#include "row_expectation.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "annotated_rows.h"

/* Columns of the features; NULL: not in the table. */
static const struct column **expected_find_features(const struct annotation *annotation,
						    const struct samples *samples)
{
	const struct column **columns = mem_alloc((annotation->n_features + 1) * sizeof(*columns));
	size_t i;

	for (i = 0; i < annotation->n_features; i++) {
		const size_t at = samples_find_column(samples, COLUMN_FEATURE,
						      annotation->features[i].expression);

		columns[i] = at < samples->n_columns ? &samples->columns[at] : NULL;
	}
	return columns;
}

static void expected_find(const struct annotation *annotation, const struct annotation_list *all,
			  const struct samples *samples, double *ret_mean, double *ret_deviation)
{
	const struct column **columns = expected_find_features(annotation, samples);
	struct argument *x = mem_alloc((annotation->n_features + 1) * sizeof(*x));
	size_t row, i;

	for (row = 0; row < samples->n_rows; row++) {
		struct expectation expectation = {.mean = NAN, .deviation = NAN};
		struct err err;

		for (i = 0; i < annotation->n_features; i++)
			x[i] = annotated_rows_argument(columns[i], row);
		expectation_find(annotation, all, x, &expectation, &err);
		ret_mean[row] = expectation.mean;
		if (ret_deviation)
			ret_deviation[row] = expectation.deviation;
	}
	free(columns);
	free(x);
}

void row_expectation_find(const struct annotation *annotation, const struct samples *samples,
			  double *ret_mean, double *ret_deviation)
{
	struct annotation *list[] = {(struct annotation *)annotation};
	const struct annotation_list all = {list, 1, 1};

	expected_find(annotation, &all, samples, ret_mean, ret_deviation);
}

void row_expectation_means(const struct annotation *annotation, const struct annotation_list *all,
			   const struct samples *samples, double *ret)
{
	expected_find(annotation, all, samples, ret, NULL);
}
