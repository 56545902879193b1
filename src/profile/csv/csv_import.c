/*
 * Imports CSV in two passes: the first finds what each column holds for each function, the second
 * adds the rows in batches. Rows of several functions and runs may be mixed: each has a table for
 * each run, as a transaction a row takes a thousand times as long.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "base/mem.h"
#include "core/class_type.h"
#include "csv.h"
#include "csv_reader.h"

enum {
	FUNCTIONS_MAX = 65536,
	RUNS_MAX = 65536,
	RUN_NUMBER_MAX = 1000000,
	LABELS_MAX = 4096,     /* labels of one column; further values are named by number */
	BATCH_CELLS = 4 << 20, /* of all functions together */
};

/* Ids within a run are below this; exported ids have the run's number in front. */
static const int64_t IDS_OF_RUN = 1000000000000;

/* The first ones are known by their names. */
enum csv_role {
	ROLE_FUNCTION,
	ROLE_ID,
	ROLE_PARENT,
	ROLE_THREAD,
	ROLE_RUN,
	ROLES_NAMED,
	ROLE_METRIC = ROLES_NAMED,
	ROLE_FEATURE
};

struct csv_column {
	const char *name;
	enum csv_role role;
	enum metric metric;
	bool is_whole, is_number; /* of a feature: all of its values are */
	bool has_value;           /* that is a finite number, or none */
};

/* A function, and the columns where it has values. */
struct csv_function {
	char *name;
	bool *used;    /* [columns] */
	size_t *cells; /* [columns of its tables] their index in a record; NULL: it has none yet */
	UT_hash_handle hh;
};

/* Rows of one function in one run. */
struct csv_table {
	const struct csv_function *function;
	struct samples *samples; /* not stored yet */
	uint64_t stored;
	UT_hash_handle hh;
};

/* A run, by the value of the `run` column. */
struct csv_run {
	char *name;
	int64_t run;              /* in the profile */
	int64_t last_id;          /* of its samples */
	struct csv_table *tables; /* by function */
	UT_hash_handle hh;
};

struct import {
	struct profile *profile;
	const char *path;
	struct arena *arena;
	struct csv_reader *reader;
	struct csv_column *columns;
	size_t n_columns;
	size_t named[ROLES_NAMED]; /* columns with these roles; n_columns: none */
	struct csv_function *functions;
	size_t surveyed;            /* functions found by the first pass */
	size_t cells;               /* not stored yet */
	struct value *row;          /* [columns] */
	struct csv_run *runs, *run; /* all, and the current one */
	size_t runs_before;         /* that the profile had */
	size_t rows;
};

static const char *const role_names[ROLES_NAMED] = {
	[ROLE_FUNCTION] = "function", [ROLE_ID] = "id",   [ROLE_PARENT] = "parent",
	[ROLE_THREAD] = "thread",     [ROLE_RUN] = "run",
};

static bool complain(const struct import *import, const struct csv_record *record, size_t column,
		     const char *why, struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s: line %zu, column %zu (%.100s): %s: '%.100s'",
		       import->path, record->line, column + 1, import->columns[column].name, why,
		       record->fields[column]);
}

/* "(time)" is a feature with the name of a metric. */
static const char *unwrap(struct arena *arena, const char *name)
{
	size_t n = strlen(name);
	char *inner;

	if (n < 3 || name[0] != '(' || name[n - 1] != ')')
		return arena_strdup(arena, name);
	inner = arena_strdup(arena, name + 1);
	inner[n - 2] = '\0';
	for (size_t i = 0; i < ROLES_NAMED; i++)
		if (!strcmp(inner, role_names[i]))
			return inner;
	return metric_parse(inner) != METRIC_COUNT ? inner : arena_strdup(arena, name);
}

static void import_read_column(struct import *import, const char *name, size_t index)
{
	struct csv_column *column = &import->columns[index];

	*column = (struct csv_column){.name = arena_strdup(import->arena, name),
				      .role = ROLE_FEATURE,
				      .is_whole = true,
				      .is_number = true};
	for (size_t i = 0; i < ROLES_NAMED; i++)
		if (!strcmp(name, role_names[i])) {
			column->role = i;
			import->named[i] = index;
			return;
		}
	column->metric = metric_parse(name);
	if (column->metric != METRIC_COUNT)
		column->role = ROLE_METRIC;
	else
		column->name = unwrap(import->arena, name);
}

static bool check_columns(const struct import *import, struct err *err)
{
	bool has_metric = false;

	for (size_t i = 0; i < import->n_columns; i++) {
		has_metric |= import->columns[i].role == ROLE_METRIC;
		if (!*import->columns[i].name)
			return err_set(err, ERR_FORMAT, "%s: line 1: column %zu has no name",
				       import->path, i + 1);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(import->columns[i].name, import->columns[j].name) &&
			    (import->columns[i].role == ROLE_FEATURE) ==
				    (import->columns[j].role == ROLE_FEATURE))
				return err_set(err, ERR_FORMAT,
					       "%s: line 1: two columns are called %.100s",
					       import->path, import->columns[i].name);
	}
	if (import->named[ROLE_FUNCTION] == import->n_columns)
		return err_set(
			err, ERR_FORMAT,
			"%s: line 1: no column is called function: the first line must name the "
			"columns",
			import->path);
	return has_metric || err_set(err, ERR_FORMAT,
				     "%s: line 1: no column is called like a metric (time, mem, …)",
				     import->path);
}

static bool read_header(struct import *import, struct err *err)
{
	struct csv_record record;
	bool more;

	if (!csv_reader_next(import->reader, &record, &more, err))
		return false;
	if (!more)
		return err_set(err, ERR_FORMAT, "%s is empty", import->path);
	import->columns = arena_array(import->arena, struct csv_column, record.n);
	import->n_columns = record.n;
	for (size_t i = 0; i < ROLES_NAMED; i++)
		import->named[i] = record.n;
	for (size_t i = 0; i < record.n; i++)
		import_read_column(import, record.fields[i], i);
	return check_columns(import, err);
}

static bool next_row(struct import *import, struct csv_record *ret, bool *ret_more, struct err *err)
{
	if (!csv_reader_next(import->reader, ret, ret_more, err))
		return false;
	if (*ret_more && ret->n != import->n_columns)
		return err_set(err, ERR_FORMAT,
			       "%s: line %zu has %zu field%s, and the first line names %zu",
			       import->path, ret->line, ret->n, ret->n == 1 ? "" : "s",
			       import->n_columns);
	return true;
}

static bool import_is_number(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end;
}

/* The function of a row, created on first use. NULL: an error. */
static struct csv_function *import_function_of(struct import *import,
					       const struct csv_record *record, struct err *err)
{
	const size_t column = import->named[ROLE_FUNCTION];
	const char *name = record->fields[column];
	struct csv_function *function;

	HASH_FIND_STR(import->functions, name, function);
	if (function)
		return function;
	if (!*name) {
		complain(import, record, column, "a function must have a name", err);
		return NULL;
	}
	if (HASH_COUNT(import->functions) == FUNCTIONS_MAX) {
		complain(import, record, column, "there are too many functions", err);
		return NULL;
	}
	function = arena_new(import->arena, struct csv_function);
	function->name = arena_strdup(import->arena, name);
	function->used = arena_array(import->arena, bool, import->n_columns);
	HASH_ADD_KEYPTR(hh, import->functions, function->name, strlen(function->name), function);
	return function;
}

/* First pass: note what a row says of its columns. */
static bool survey_row(struct import *import, const struct csv_record *record, struct err *err)
{
	struct csv_function *function = import_function_of(import, record, err);
	double number;

	if (!function)
		return false;
	for (size_t i = 0; i < record->n; i++) {
		struct csv_column *column = &import->columns[i];
		const char *text = record->fields[i];

		if (!*text)
			continue;
		function->used[i] = true;
		column->has_value |= !import_is_number(text, &number) || isfinite(number);
		if (column->role == ROLE_METRIC && !import_is_number(text, &number))
			return complain(import, record, i, "a metric must be a number", err);
		if (column->role != ROLE_FEATURE || !column->is_number)
			continue;
		column->is_number = import_is_number(text, &number);
		column->is_whole &= column->is_number && number == floor(number);
	}
	return true;
}

/* What is no finite number is absent: columns of nothing else have no values. */
static void survey_end(struct import *import)
{
	struct csv_function *function, *next;

	HASH_ITER (hh, import->functions, function, next)
		for (size_t i = 0; i < import->n_columns; i++)
			function->used[i] &= import->columns[i].has_value;
}

/* Without one, nothing of it could be modelled, nor would it be read again when it is exported. */
static bool has_metric_values(const struct import *import)
{
	for (size_t i = 0; i < import->n_columns; i++)
		if (import->columns[i].role == ROLE_METRIC && import->columns[i].has_value)
			return true;
	return false;
}

static bool survey(struct import *import, struct err *err)
{
	struct csv_record record;
	bool more;

	if (!read_header(import, err))
		return false;
	for (;;) {
		if (!next_row(import, &record, &more, err))
			return false;
		if (!more) {
			survey_end(import);
			return !import->functions || has_metric_values(import) ||
			       err_set(err, ERR_FORMAT,
				       "%s: no metric (time, mem, …) has a value in any row: "
				       "measure or write one",
				       import->path);
		}
		if (!survey_row(import, &record, err))
			return false;
	}
}

static enum feature_type import_type(const struct csv_column *column)
{
	if (!column->is_number)
		return FEATURE_ENUM;
	return column->is_whole ? FEATURE_INT : FEATURE_FLOAT;
}

/* Values of the system are known by their names, as `fathom export` writes them. */
static enum provenance import_provenance(const struct csv_column *column)
{
	enum system_value value;

	for (value = 0; value < SYSTEM_VALUE_COUNT; value++)
		if (!strcmp(column->name, feature_system_info(value)->expression))
			return FROM_SYSTEM;
	return FROM_IMPORT;
}

static struct samples *import_make_samples(struct import *import, struct csv_function *function)
{
	struct samples *samples = samples_create(function->name, function->name, NULL, 0);

	if (!function->cells)
		function->cells = arena_array(import->arena, size_t, import->n_columns);
	for (size_t i = 0; i < import->n_columns; i++) {
		const struct csv_column *column = &import->columns[i];

		if (!function->used[i] || column->role < ROLES_NAMED)
			continue;
		function->cells[samples_add_column(
			samples,
			&(struct column){.name = column->name,
					 .role = column->role == ROLE_METRIC ? COLUMN_METRIC
									     : COLUMN_FEATURE,
					 .metric = column->metric,
					 .type = import_type(column),
					 .provenance = import_provenance(column)})] = i;
	}
	return samples;
}

/* Of the current run, created on first use. */
static struct csv_table *import_table_of(struct import *import, struct csv_function *function)
{
	struct csv_table *table;

	HASH_FIND_PTR(import->run->tables, &function, table);
	if (table)
		return table;
	table = arena_new(import->arena, struct csv_table);
	table->function = function;
	table->samples = import_make_samples(import, function);
	HASH_ADD_PTR(import->run->tables, function, table);
	return table;
}

static bool import_flush_run(struct import *import, struct csv_run *run, struct err *err)
{
	const size_t n = HASH_COUNT(run->tables);
	struct samples **tables = mem_alloc((n + 1) * sizeof(*tables));
	struct csv_table *table, *next;
	size_t i = 0;
	bool ok;

	HASH_ITER (hh, run->tables, table, next)
		tables[i++] = table->samples;
	profile_set_run(import->profile, run->run);
	ok = profile_add_batch(import->profile, tables, n, err);
	free(tables);
	HASH_ITER (hh, run->tables, table, next) {
		table->stored += table->samples->n_rows;
		samples_clear(table->samples);
	}
	return ok;
}

static bool import_flush(struct import *import, struct err *err)
{
	struct csv_run *run, *next;

	HASH_ITER (hh, import->runs, run, next)
		if (!import_flush_run(import, run, err))
			return false;
	import->cells = 0;
	return true;
}

/* Store what is known of the run. */
static bool import_end_run(struct import *import, const struct csv_run *run, struct err *err)
{
	const struct ending ending = {.how = ENDED_UNKNOWN};
	const struct account account = {.stolen = -1};
	struct csv_table *table, *next;

	profile_set_run(import->profile, run->run);
	HASH_ITER (hh, run->tables, table, next) {
		const struct function like = {.name = table->function->name,
					      .linkage = table->function->name};
		const struct function_account calls = {.calls = table->stored,
						       .untimed = table->stored};

		if (!profile_add_account(import->profile, &like, NULL, &calls, err))
			return false;
	}
	return profile_end_run(import->profile, &ending, &account, err);
}

static bool import_end_runs(struct import *import, struct err *err)
{
	struct csv_run *run, *next;

	if (!import_flush(import, err))
		return false;
	HASH_ITER (hh, import->runs, run, next)
		if (!import_end_run(import, run, err))
			return false;
	return true;
}

/* The run's number where it was exported, which an empty profile keeps; 0: it has none. */
static int64_t run_number(const struct import *import, const char *name)
{
	char *end;
	const long number = strtol(name, &end, 10);
	const bool plain = *name >= '1' && *name <= '9' && !*end && number <= RUN_NUMBER_MAX;

	return plain && !import->runs_before ? number : 0;
}

static bool begin_run(struct import *import, const char *name, struct err *err)
{
	struct run run = {.number = run_number(import, name),
			  .command = arena_printf(import->arena, "imported from %s%s%.100s",
						  import->path, *name ? ", run " : "", name)};
	struct csv_run *fresh;

	if (HASH_COUNT(import->runs) == RUNS_MAX)
		return err_set(err, ERR_FORMAT, "%s holds more than %d runs", import->path,
			       RUNS_MAX);
	if (!profile_begin_run(import->profile, &run, err))
		return false;
	fresh = arena_new(import->arena, struct csv_run);
	fresh->name = arena_strdup(import->arena, name);
	fresh->run = profile_run(import->profile);
	HASH_ADD_KEYPTR(hh, import->runs, fresh->name, strlen(fresh->name), fresh);
	import->run = fresh;
	return true;
}

/* Make the row's run the current one. */
static bool enter_run(struct import *import, const struct csv_record *record, struct err *err)
{
	const size_t column = import->named[ROLE_RUN];
	const char *name = column < import->n_columns ? record->fields[column] : "";
	struct csv_run *run;

	if (import->run && !strcmp(import->run->name, name))
		return true;
	HASH_FIND_STR(import->runs, name, run);
	if (!run)
		return begin_run(import, name, err);
	import->run = run;
	return true;
}

static bool read_id(const struct import *import, const struct csv_record *record,
		    enum csv_role role, int64_t *ret, struct err *err)
{
	const size_t column = import->named[role];
	double number;

	*ret = 0;
	if (column == import->n_columns || !*record->fields[column])
		return true;
	if (!import_is_number(record->fields[column], &number) || number != floor(number) ||
	    number < 0 || number > 0x1p53)
		return complain(import, record, column, "it must be a whole number", err);
	*ret = (int64_t)number;
	return true;
}

static bool import_read_key(struct import *import, const struct csv_record *record,
			    struct sample_key *ret, struct err *err)
{
	*ret = (struct sample_key){.id = 0};
	if (!read_id(import, record, ROLE_ID, &ret->id, err) ||
	    !read_id(import, record, ROLE_PARENT, &ret->parent, err) ||
	    !read_id(import, record, ROLE_THREAD, &ret->thread, err))
		return false;
	ret->id %= IDS_OF_RUN;
	ret->parent %= IDS_OF_RUN;
	if (!ret->id && import->named[ROLE_ID] < import->n_columns)
		return complain(import, record, import->named[ROLE_ID], "it must be above 0", err);
	if (!ret->id)
		ret->id = import->run->last_id + 1;
	import->run->last_id = ret->id;
	return true;
}

/* Names are numbered as labels. */
static struct value read_cell(const struct csv_column *column, struct samples *samples,
			      size_t index, const char *text)
{
	struct value value = {.number = 0};

	if (!*text)
		return (struct value){.absence = ABSENT_NOT_MEASURED};
	if (column->role == ROLE_METRIC || column->is_number) {
		import_is_number(text, &value.number);
		return value;
	}
	value.number = (double)class_type_number(text);
	if (samples->columns[index].n_labels < LABELS_MAX)
		samples_add_label(samples, index, value.number, text);
	return value;
}

static bool import_add_row(struct import *import, const struct csv_record *record, struct err *err)
{
	struct csv_function *function = import_function_of(import, record, err);
	struct samples *samples;
	struct sample_key key;

	if (!function)
		return false;
	if (HASH_COUNT(import->functions) != import->surveyed)
		return err_set(err, ERR_IO, "%s was changed while it was read", import->path);
	if (!enter_run(import, record, err) || !import_read_key(import, record, &key, err))
		return false;
	samples = import_table_of(import, function)->samples;
	for (size_t i = 0; i < samples->n_columns; i++)
		import->row[i] = read_cell(&import->columns[function->cells[i]], samples, i,
					   record->fields[function->cells[i]]);
	samples_append(samples, &key, import->row);
	import->rows++;
	import->cells += samples->n_columns + sizeof(key) / sizeof(double);
	return import->cells < BATCH_CELLS || import_flush(import, err);
}

static bool add_rows(struct import *import, struct err *err)
{
	struct csv_record record;
	bool more;

	csv_reader_rewind(import->reader);
	if (!csv_reader_next(import->reader, &record, &more, err))
		return false;
	import->surveyed = HASH_COUNT(import->functions);
	import->row = arena_array(import->arena, struct value, import->n_columns + 1);
	for (;;) {
		if (!next_row(import, &record, &more, err))
			return false;
		if (!more)
			return import_end_runs(import, err);
		if (!import_add_row(import, &record, err))
			return false;
	}
}

static void import_deinit(struct import *import)
{
	struct csv_run *run, *next_run;
	struct csv_table *table, *next_table;

	HASH_ITER (hh, import->runs, run, next_run) {
		HASH_ITER (hh, run->tables, table, next_table)
			samples_destroy(table->samples);
		HASH_CLEAR(hh, run->tables);
	}
	HASH_CLEAR(hh, import->runs);
	HASH_CLEAR(hh, import->functions);
	csv_reader_destroy(import->reader);
	arena_destroy(import->arena);
}

bool csv_import(FILE *file, const char *path, struct profile *profile, size_t *ret_rows,
		struct err *err)
{
	struct import import = {.profile = profile,
				.path = path,
				.arena = arena_create(),
				.runs_before = profile_runs(profile),
				.reader = csv_reader_create(file, path)};
	bool ok = survey(&import, err) && profile_begin_whole(profile, err) &&
		  profile_end_whole(profile, add_rows(&import, err), err);

	*ret_rows = import.rows;
	import_deinit(&import);
	return ok;
}
