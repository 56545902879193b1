/*
 * Samples: one table per function. A row is one completed call; a column is a metric, a feature or
 * a branch.
 *
 * Cells are stored by column. An absent cell has a reason and a meaningless number 0; present
 * numbers are finite.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/feature.h"
#include "core/metric.h"
#include "core/value.h"

/*
 * A branch is 1 (taken) or 0; a switch is the index of its case, from 0. No cost depends on a key:
 * it names a call for other programs' (core/messages.h), or is what callees had in it
 * (callee_columns.h).
 */
enum column_role { COLUMN_METRIC, COLUMN_FEATURE, COLUMN_BRANCH, COLUMN_KEY };

struct column {
	/*
	 * metric: keyword; feature: native expression; branch: position; key: of messages_keys, or
	 * a callee column's. Unique within its role
	 */
	const char *name;
	enum column_role role;
	enum metric metric;     /* COLUMN_METRIC */
	enum feature_type type; /* COLUMN_FEATURE, as are the next two */
	enum provenance provenance;
	unsigned depth;
	bool is_derived;      /* computed from the others (derived_columns.h) */
	struct label *labels; /* of categorical features: sorted names of numbers; owned */
	size_t n_labels, labels_capacity; /* `labels_capacity` is private */
	double *numbers;                  /* [n_rows] */
	uint8_t *absence;                 /* [n_rows], enum absence */
};

/* A row without its cells. */
struct sample_key {
	int64_t id; /* unique in a profile, > 0 */
	/* id of the closest measured caller, which may not be kept; 0: none */
	int64_t parent;
	int64_t run;
	int64_t build; /* the first run of the same build; 0: not known */
	int64_t process;
	int64_t thread;
	int64_t start_ns; /* since the start of the run */
	/* breakpoint stops during the call, its begin and end included; 0: unknown */
	int64_t stops;
	/* time in those between begin and end, excluded from `time` */
	int64_t stopped_ns;
	/* time without a processor though it could have run, excluded from `time`; 0: none known */
	int64_t waited_ns;
};

struct arena;

struct samples {
	char *function; /* display name; owned, like all strings below */
	char *linkage;
	char *file; /* NULL if not known */
	unsigned line;
	/* the library or other program it is in; NULL: the profile's own program */
	char *module;
	struct column *columns;
	size_t n_columns;
	struct sample_key *keys; /* [n_rows] */
	size_t n_rows;
	/* the condition by which these rows were selected out of `where_of`; NULL: by none */
	char *where;
	size_t where_of;
	/* part of the processors' time that other machines had meanwhile; 0: none, or not known */
	double stolen;
	size_t n_calls;  /* calls seen, at least n_rows */
	double total_us; /* their time in sum; NAN: not known */
	/*
	 * Smaller amounts of a total cannot be distinguished from 0 in any of the runs; 0: exact,
	 * or unknown. See struct calibration.
	 */
	double resolution[METRIC_TOTALS];
	/*
	 * [n_rows] display name of the parent's function; NULL element: none, or not kept. NULL:
	 * not looked up (profile_callers()).
	 */
	const char **callers;
	struct arena *names; /* of these; private, as are the next */
	size_t columns_capacity, rows_capacity;
};

struct samples *samples_create(const char *function, const char *linkage, const char *file,
			       unsigned line);
void samples_destroy(struct samples *samples); /* NULL is fine */

/*
 * The same of @metric. Self costs are totals less those of callees, with the same errors. 0 also if
 * what is known is no number.
 */
double samples_resolution(const struct samples *samples, enum metric metric);

/* Set the function's module, which is copied; NULL: the program itself (the default). */
void samples_set_module(struct samples *samples, const char *module);

/*
 * Add a column like @like, whose name is copied and whose cells are ignored; returns its index.
 * Existing rows get ABSENT_NOT_MEASURED.
 */
size_t samples_add_column(struct samples *samples, const struct column *like);

/* Those behind it move up. */
void samples_remove_column(struct samples *samples, size_t at);

/* Append a row with @cells[n_columns]. Numbers that are not finite become ABSENT_NOT_FINITE. */
void samples_append(struct samples *samples, const struct sample_key *key,
		    const struct value *cells);

/* Replace row @row likewise. */
void samples_replace(struct samples *samples, size_t row, const struct sample_key *key,
		     const struct value *cells);

/* Name @number of column @column, unless it has a name. */
void samples_add_label(struct samples *samples, size_t column, double number, const char *name);

/* The name of @number in @column; NULL if it has none. */
const char *samples_label(const struct column *column, double number);

/*
 * Is it known that there was nothing to read? An empty cell of an imported table says so; a run
 * that did not read the feature does not.
 */
bool samples_is_absent(const struct column *column, size_t row);

/*
 * Remove the rows that @is_kept[n_rows] does not name, for which @where (copied) does not hold; a
 * second condition joins the first.
 */
void samples_select(struct samples *samples, const char *where, const bool *is_kept);

/* Remove the rows that @is_kept[n_rows] does not name. */
void samples_keep_rows(struct samples *samples, const bool *is_kept);

/* Remove the rows of all runs but @run. */
void samples_keep_run(struct samples *samples, int64_t run);

/* Remove all rows; columns, labels and memory stay. */
void samples_clear(struct samples *samples);

/* The index of a column by role and name; n_columns: none. */
size_t samples_find_column(const struct samples *samples, enum column_role role, const char *name);

/* NULL: it was not measured. */
const struct column *samples_metric(const struct samples *samples, enum metric metric);
