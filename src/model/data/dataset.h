/*
 * The numbers of a model: the metric and its predictors, in an order that does not depend on the
 * table's.
 *
 * Usable rows are those with the metric. Rows are ordered by their values and columns by name, so
 * sums have one order. Choosing a model looks at a sample of at most CHOICE_ROWS of them, taken at
 * even steps; the final fit reads all. A predictor is a feature that varies, is ordered and is
 * present often enough.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/samples/samples.h"

enum {
	CHOICE_ROWS = 1500,
	ROWS_MIN = 8, /* fewer say nothing about growth */
};

struct predictor {
	const struct column *column;
	double min, max; /* over usable rows */
	size_t n_present;
	double *x;         /* [n_choice]; 0 where absent */
	bool *present;     /* [n_choice] */
	unsigned distinct; /* different values among the choice rows; counted up to DISTINCT_MAX */
	const char **aliases; /* expressions of the predictors that this one stands for */
	size_t n_aliases;
	bool of_system; /* FROM_SYSTEM: not the program's */
	bool preferred; /* to be named rather than others */
	bool returned;  /* FROM_RETURN: not known before the call ends */
	/* it goes one way from call to call, as time does; or drifts, being of_system */
	bool follows;
};

enum { DISTINCT_MAX = 5 };

struct dataset {
	struct arena *arena;
	const struct samples *samples;
	const struct column *metric; /* NULL: it was not measured */
	size_t *order;               /* [n_rows] usable rows of the table, in canonical order */
	size_t n_rows;
	double y_max;      /* the largest absolute value of the metric */
	double resolution; /* less of the metric cannot be told from nothing; 0: exact */
	bool y_negative;   /* it has values below 0 */
	const bool *cold;  /* [rows of the table] the first few calls of a run */
	size_t *choice;    /* [n_choice] rows of the table that models are chosen by */
	size_t n_choice;
	double *y; /* [n_choice] the metric divided by y_max */
	struct predictor *predictors;
	size_t n_predictors;
	const struct column **constant; /* by name: never varied, though they are the program's */
	size_t n_constant;
	const struct column **opaque; /* by name: addresses, times or hashes, as it seems */
	size_t n_opaque;
	const struct column **sparse; /* by name: present in too few rows */
	size_t n_sparse;
	const char *const *pinned; /* expressions of features that the reader wants in the model */
	size_t n_pinned;
};

struct dataset *dataset_create(const struct samples *samples, enum metric metric);
void dataset_destroy(struct dataset *data); /* NULL is fine */

/* The metric in row @i, in canonical order. */
static inline double data_cost(const struct dataset *data, size_t i)
{
	return data->metric->numbers[data->order[i]];
}

/* Does the reader want the feature in the model? */
bool dataset_is_pinned(const struct dataset *data, const struct column *column);

/*
 * The same of the @n rows @rows of the table, which are usable and in canonical order, alone.
 * Ranges are those there; what does not vary there is no predictor, and what was sparse in @whole
 * may be one. @whole, which is screened, must live as long.
 */
struct dataset *dataset_part(const struct dataset *whole, const size_t *rows, size_t n);

/* The same of the rows that have @mark in @marks ([n_rows], in the order of the rows). */
struct dataset *dataset_marked(const struct dataset *whole, const unsigned char *marks,
			       unsigned mark);

/* Are its numbers more or less, not only different? */
bool dataset_column_is_ordered(const struct column *column);
