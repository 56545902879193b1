/* Evaluates expectation.c on each row of a table. */
#include "row_expectation.h"

#include <math.h>

#include "base/arena.h"
#include "annotated_rows.h"

static void expected_find(const struct annotation *annotation, const struct annotation_list *all,
			  const struct samples *samples, double *ret_mean, double *ret_deviation)
{
	struct arena *arena = arena_create();
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	struct annotated_rows rows;
	size_t row;

	annotated_rows_find(annotation, samples, arena, &rows);
	for (row = 0; row < samples->n_rows; row++) {
		struct expectation expectation = {.mean = NAN, .deviation = NAN};
		struct err err;

		annotated_rows_arguments(&rows, row, x);
		expectation_find(annotation, all, x, &expectation, &err);
		ret_mean[row] = expectation.mean;
		if (ret_deviation)
			ret_deviation[row] = expectation.deviation;
	}
	arena_destroy(arena);
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
