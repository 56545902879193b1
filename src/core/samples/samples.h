/*
 * Samples: a table a function. A row is one completed call; a column is a metric, a feature or a
 * branch.
 *
 * Cells are stored by column. A cell that is absent has a reason and its number is 0 and
 * meaningless; present numbers are finite.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/feature.h"
#include "core/metric.h"
#include "core/value.h"

/* A branch's number is 1 (taken) or 0, or which case of a switch was chosen, counted from 0. */
enum column_role { COLUMN_METRIC, COLUMN_FEATURE, COLUMN_BRANCH };

struct column {
	const char *
		/*
		 * metric: keyword; feature: native expression; branch: where it is. Unique within
		 * its role
		 */
		name;
	enum column_role role;
	enum metric metric;     /* COLUMN_METRIC */
	enum feature_type type; /* COLUMN_FEATURE, as are the next two */
	enum provenance provenance;
	unsigned depth;
	bool is_derived;      /* nobody read it: it follows from the others (derived_columns.h) */
	struct label *labels; /* of categorical features: names of numbers, sorted; owned */
	size_t n_labels, labels_capacity; /* `labels_capacity` is private */
	double *numbers;                  /* [n_rows] */
	uint8_t *absence;                 /* [n_rows], enum absence */
};

/* What a row is, apart from its cells. */
struct sample_key {
	int64_t id; /* unique in a profile, > 0 */
	/* id of the closest measured caller, which need not be kept; 0: there is none */
	int64_t parent;
	int64_t run;
	int64_t process;
	int64_t thread;
	int64_t start_ns; /* since the start of the run */
	/* that the call was stopped for measuring, its beginning and end included; 0: unknown */
	int64_t stops;
	/* time in those between its beginning and its end, which `time` excludes */
	int64_t stopped_ns;
};

struct arena;

struct samples {
	char *function; /* display name; owned, like all strings below */
	char *linkage;
	char *file; /* NULL if not known */
	unsigned line;
	/* the library or other program that it is in; NULL: the profile's own program */
	char *module;
	struct column *columns;
	size_t n_columns;
	struct sample_key *keys; /* [n_rows] */
	size_t n_rows;
	size_t n_calls; /* calls that were seen, at least n_rows */
	/*
	 * Less of a total cannot be told from nothing, in any of the runs; 0: exact, or unknown.
	 * See struct calibration.
	 */
	double resolution[METRIC_TOTALS];
	/*
	 * [n_rows] display name of the function that the parent is a call of; NULL: none, or not
	 * kept. NULL: nobody has looked (profile_callers()).
	 */
	const char **callers;
	struct arena *names; /* of these; private, as are the next */
	size_t columns_capacity, rows_capacity;
};

struct samples *samples_create(const char *function, const char *linkage, const char *file,
			       unsigned line);
void samples_destroy(struct samples *samples); /* NULL is fine */

/* The function is in @module, which is copied; NULL: in the program itself, as at first. */
void samples_set_module(struct samples *samples, const char *module);

/*
 * Add a column; @like's name is copied, its cells are ignored. Existing rows get
 * ABSENT_NOT_MEASURED.
 */
size_t samples_add_column(struct samples *samples, const struct column *like);

/*
 * Append a row; @cells has one value a column. Numbers that are not finite become
 * ABSENT_NOT_FINITE.
 */
void samples_append(struct samples *samples, const struct sample_key *key,
		    const struct value *cells);

/* The same in the place of the row @row. */
void samples_replace(struct samples *samples, size_t row, const struct sample_key *key,
		     const struct value *cells);

/* Give @number of column @column a name, unless it has one. */
void samples_add_label(struct samples *samples, size_t column, double number, const char *name);

/* The name of @number in @column; NULL if it has none. */
const char *samples_label(const struct column *column, double number);

/* Forget the rows of all runs but @run. */
void samples_keep_run(struct samples *samples, int64_t run);

/* Forget all rows; columns, their labels and their memory stay. */
void samples_clear(struct samples *samples);

/* The index of a column by role and name; n_columns if there is none. */
size_t samples_find_column(const struct samples *samples, enum column_role role, const char *name);
