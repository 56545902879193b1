/*
 * A model's numbers: the metric and its predictors, in a canonical order.
 *
 * Usable rows have the metric. Rows are ordered by value and columns by name, so sums have one
 * order. Models are chosen on at most CHOICE_ROWS rows, evenly spaced; the final fit reads all. A
 * predictor is an ordered feature that varies and is present often enough.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/samples/samples.h"

enum {
	CHOICE_ROWS = 1500,
	ROWS_MIN = 8, /* the minimum to see growth */
};

/* One choice row in the order of a predictor. */
struct place {
	uint16_t row : 15;
	uint16_t rises : 1; /* its value is above the one before; true for the first */
};

_Static_assert(CHOICE_ROWS < 1 << 15, "a place holds the number of a row");

struct predictor {
	const struct column *column;
	double min, max; /* over usable rows */
	size_t n_present;
	double *x;                   /* [n_choice]; 0 where absent */
	bool *present;               /* [n_choice] */
	struct place *places;        /* private: dataset_order() */
	double ranked;               /* private: dataset_rank_correlation(); NAN: not yet */
	unsigned distinct;           /* distinct values in the choice rows, up to DISTINCT_MAX */
	const struct column **alike; /* its equivalents (equivalents.h), which are no predictors */
	size_t n_alike;
	bool of_system; /* FROM_SYSTEM */
	bool preferred; /* name it rather than others */
	bool returned;  /* FROM_RETURN: unknown before the call ends */
	/* Nearly monotonic over the calls, as time is; or of_system, which drifts. */
	bool follows;
	bool doubtful; /* doubtful_values.h, run_places.h */
};

enum { DISTINCT_MAX = 5 };

struct dataset {
	struct arena *arena;
	struct arena *columns; /* of x, present and the order of predictors; NULL: forgotten */
	const struct samples *samples;
	const struct column *metric; /* NULL: not measured */
	size_t *order;               /* [n_rows] usable rows, in canonical order */
	size_t n_rows;
	double y_max;      /* the largest absolute value of the metric */
	double resolution; /* lower costs may be 0; 0: exact */
	bool y_negative;   /* some values are below 0 */
	const bool *cold;  /* [rows of the table] first calls of a run */
	size_t *choice;    /* [n_choice] rows that models are chosen by */
	size_t n_choice;
	double *y; /* [n_choice] the metric divided by y_max */
	struct predictor *predictors;
	size_t n_predictors;
	const struct column **constant; /* by name: features of the program that never vary */
	size_t n_constant;
	const struct column **opaque; /* by name: likely addresses, times or hashes */
	size_t n_opaque;
	const struct column **doubtful; /* by name: no predictors, see dataset_drop_doubtful() */
	size_t n_doubtful;
	const struct column **sparse; /* by name: present in too few rows */
	size_t n_sparse;
	/* of as many such parts of the calls this one was taken, to look for a formula in it */
	double tried;
	const char *const *pinned; /* expressions of the features that the reader pinned */
	size_t n_pinned;
};

struct dataset *dataset_create(const struct samples *samples, enum metric metric);
void dataset_destroy(struct dataset *data); /* NULL is fine */

/*
 * Free x, present and the order of all predictors, which only the choice of a model needs, or read
 * them again if they are not there: of all parts of a tree, few are at work at once.
 */
void dataset_forget(struct dataset *data);
void dataset_recall(struct dataset *data);

/* The metric of row @i in canonical order. */
static inline double data_cost(const struct dataset *data, size_t i)
{
	return data->metric->numbers[data->order[i]];
}

/* The cost that a @share of the calls does not exceed; there is at least one call. */
double dataset_cost_quantile(const struct dataset *data, double share);

/* Are the costs of nine of ten calls closer together than can be told? */
bool dataset_is_flat(const struct dataset *data);

/*
 * Cannot the usual cost be told from nothing, and do nine of ten calls differ by no more than what
 * disturbs such calls? Those that no formula tells apart are one then.
 */
bool dataset_is_nothing(const struct dataset *data);

/*
 * Remove predictors of doubtful values that nobody wants and that do not rank nearly all calls as
 * their costs do: modes of either may go along by chance, what is within them does not.
 */
void dataset_drop_doubtful(struct dataset *data);

/* NULL: the column is none of its predictors. */
const struct predictor *dataset_find_predictor(const struct dataset *data,
					       const struct column *column);

bool dataset_is_pinned(const struct dataset *data, const struct column *column);

/*
 * A dataset of @n of its usable rows, @rows, in canonical order. Ranges are those of the part; what
 * does not vary there is no predictor, and what is sparse in @whole may be one. @whole, already
 * screened, must outlive it.
 */
struct dataset *dataset_part(const struct dataset *whole, const size_t *rows, size_t n);

/* The same of the rows with @mark in @marks ([n_rows], canonical order). */
struct dataset *dataset_marked(const struct dataset *whole, const unsigned char *marks,
			       unsigned mark);

/* The @ret_n choice rows that have @predictor, in its order; equal ones in theirs. Sorted once. */
const struct place *dataset_order(const struct dataset *data, size_t predictor, size_t *ret_n);

/* The size of Spearman's correlation of a predictor with the metric, in the choice rows. */
double dataset_rank_correlation(const struct dataset *data, size_t number);

/* Do its numbers have an order, unlike enumerators? */
bool dataset_column_is_ordered(const struct column *column);

/* Its least and largest number in @rows ([n]), NAN: none; returns how many there are. */
size_t dataset_column_range(const struct column *column, const size_t *rows, size_t n,
			    double *ret_min, double *ret_max);

/* In how many of the rows a column could be read. */
size_t dataset_count_present(const struct dataset *data, const struct column *column);

/* Compares two `const struct column *` by name, for qsort(). */
int dataset_compare_names(const void *a, const void *b);
