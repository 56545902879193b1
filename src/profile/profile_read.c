/* Loads the samples of one function, and checks the file row by row. */
#include "base/mem.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/samples/part_columns.h"
#include "profile_accounts.h"
#include "db.h"
#include "profile_labels.h"
#include "profile_layout.h"
#include "core/samples/asked_rows.h"
#include "schema.h"

enum { FIRST_CELL = 9 }; /* of the columns of a SELECT */

/* The most frequent reason for absent cells, by column and run. */
struct reason {
	int64_t run, variable;
	int64_t count;
	enum absence absence; /* ABSENT_NOT_ASKED: there is no other */
	bool is_rare;         /* some calls were not asked for it */
};

struct loader {
	struct profile *profile;
	const struct function_entry *entry;
	struct samples *samples;
	int64_t *variables; /* [columns of samples]: ids */
	size_t variables_capacity;
	struct reason *reasons; /* sorted by run, then variable */
	size_t n_reasons, reasons_capacity;
	bool has_branches;
	/* [columns of samples]: the meaning of NULL in the run @absences_run */
	enum absence *absences;
	bool *rare;   /* likewise: has NULL the other meaning in calls not of the tenth? */
	size_t tenth; /* column of ASKED_ROWS_KEY; n_columns: none */
	int64_t absences_run;
	size_t n_rows;
};

static void loader_deinit(struct loader *loader)
{
	free(loader->variables);
	free(loader->reasons);
	free(loader->absences);
	free(loader->rare);
}

/* The current row of `id, role, name, type, provenance, depth`, texts in @texts. */
static bool parse_column(struct profile *profile, const char *const *texts, int64_t depth,
			 struct column *ret, struct err *err)
{
	const char *role = texts[0] ? texts[0] : "";

	ret->name = texts[1];
	if (!ret->name || depth > UINT32_MAX)
		return db_damaged(profile, "a column without a name", err);
	if (!strcmp(role, "metric")) {
		ret->role = COLUMN_METRIC;
		ret->metric = metric_parse(ret->name);
		return ret->metric != METRIC_COUNT || db_damaged(profile, "an unknown metric", err);
	}
	if (!strcmp(role, "branch") || !strcmp(role, "key")) {
		ret->role = *role == 'b' ? COLUMN_BRANCH : COLUMN_KEY;
		return true;
	}
	ret->role = COLUMN_FEATURE;
	ret->type = texts[2] ? feature_type_parse(texts[2]) : FEATURE_TYPE_COUNT;
	ret->provenance = texts[3] ? feature_provenance_parse(texts[3]) : PROVENANCE_COUNT;
	ret->depth = depth;
	if (strcmp(role, "feature") || ret->type == FEATURE_TYPE_COUNT ||
	    ret->provenance == PROVENANCE_COUNT)
		return db_damaged(profile, "a column of an unknown kind", err);
	return true;
}

static bool profile_read_column(struct loader *loader, sqlite3_stmt *statement, struct arena *arena,
				size_t *budget, struct err *err)
{
	struct profile *profile = loader->profile;
	size_t n = loader->samples->n_columns;
	struct column column = {0};
	const char *texts[4];
	int64_t id;
	int64_t depth;

	if (!db_column_int(profile, statement, 0, &id, err) ||
	    !db_column_int(profile, statement, 5, &depth, err))
		return false;
	for (int i = 0; i < 4; i++)
		if (!db_column_text(profile, statement, i + 1, arena, budget, &texts[i], err))
			return false;
	if (!parse_column(profile, texts, depth, &column, err))
		return false;
	if (n >= SCHEMA_VARIABLES_MAX || (n && id <= loader->variables[n - 1]))
		return db_damaged(profile, "columns that are too many or not in order", err);
	if (samples_find_column(loader->samples, column.role, column.name) < n)
		return db_damaged(profile, "a column is in it twice", err);
	loader->variables = mem_grow(loader->variables, &loader->variables_capacity, n + 1,
				     sizeof(*loader->variables));
	loader->variables[n] = id;
	samples_add_column(loader->samples, &column);
	loader->has_branches = loader->has_branches || column.role == COLUMN_BRANCH;
	return true;
}

/* Skips branches that a call reached more than once, and loops that turned too often. */
static bool load_columns(struct loader *loader, struct err *err)
{
	struct arena *arena;
	sqlite3_stmt *statement;
	size_t budget;
	bool row = true;
	bool ok;

	if (!db_size(loader->profile, &budget, err))
		return false;
	if (!db_keep(loader->profile, &statement, err,
		     "SELECT id, role, name, type, provenance, depth FROM variable "
		     "WHERE function = ?1 AND id NOT IN "
		     "(SELECT variable FROM absence WHERE function = ?1 AND reason = ?2) "
		     "ORDER BY id"))
		return false;
	sqlite3_bind_int64(statement, 1, loader->entry->id);
	sqlite3_bind_text(statement, 2, value_absence_name(ABSENT_LOOPED), -1, SQLITE_STATIC);
	arena = arena_create();
	while ((ok = db_step(loader->profile, statement, &row, err)) && row)
		if (!(ok = profile_read_column(loader, statement, arena, &budget, err)))
			break;
	arena_destroy(arena);
	sqlite3_reset(statement);
	return ok;
}

static int compare_reasons(const void *a, const void *b)
{
	const struct reason *x = a;
	const struct reason *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->variable < y->variable ? -1 : x->variable > y->variable;
}

static bool note_reason(struct loader *loader, const struct reason *reason, struct err *err)
{
	struct reason *last;

	if (loader->n_reasons) {
		last = &loader->reasons[loader->n_reasons - 1];
		if (!compare_reasons(last, reason)) {
			if (reason->count > last->count) {
				last->count = reason->count;
				last->absence = reason->absence;
			}
			last->is_rare |= reason->is_rare;
			return true;
		}
		if (compare_reasons(last, reason) > 0)
			return db_damaged(loader->profile, "its absences are not in order", err);
	}
	loader->reasons = mem_grow(loader->reasons, &loader->reasons_capacity,
				   loader->n_reasons + 1, sizeof(*loader->reasons));
	loader->reasons[loader->n_reasons++] = *reason;
	return true;
}

static bool read_reason(struct loader *loader, sqlite3_stmt *statement, struct arena *arena,
			struct err *err)
{
	struct reason reason;
	const char *name;
	size_t budget = 100;

	if (!db_column_int(loader->profile, statement, 0, &reason.run, err) ||
	    !db_column_int(loader->profile, statement, 1, &reason.variable, err) ||
	    !db_column_text(loader->profile, statement, 2, arena, &budget, &name, err) ||
	    !db_column_int(loader->profile, statement, 3, &reason.count, err))
		return false;
	reason.absence = name ? value_absence_parse(name) : ABSENCE_COUNT;
	if (reason.absence == ABSENCE_COUNT || reason.absence == PRESENT)
		return db_damaged(loader->profile, "an unknown reason of absence", err);
	reason.is_rare = reason.absence == ABSENT_NOT_ASKED;
	if (reason.is_rare)
		reason.count = 0; /* any other says more */
	return note_reason(loader, &reason, err);
}

static bool load_reasons(struct loader *loader, struct err *err)
{
	sqlite3_stmt *statement;
	bool row = true;
	bool ok;

	if (!db_keep(loader->profile, &statement, err,
		     "SELECT run, variable, reason, count FROM absence WHERE function = ? "
		     "ORDER BY run, variable, reason"))
		return false;
	sqlite3_bind_int64(statement, 1, loader->entry->id);
	while ((ok = db_step(loader->profile, statement, &row, err)) && row) {
		struct arena *arena = arena_create();

		ok = read_reason(loader, statement, arena, err);
		arena_destroy(arena);
		if (!ok)
			break;
	}
	sqlite3_reset(statement);
	return ok;
}

/* Did the run measure branches? Then those without a column in it were not reached. */
static bool without_branch(struct loader *loader, int64_t run, enum absence *ret, struct err *err)
{
	char sql[64];
	int64_t looked = 0;

	snprintf(sql, sizeof(sql), "SELECT branches FROM run WHERE id = %lld", (long long)run);
	if (loader->has_branches && loader->profile->version >= 4 &&
	    !db_number(loader->profile, sql, &looked, err))
		return false;
	*ret = looked == 1 ? ABSENT_NOT_REACHED : ABSENT_NOT_MEASURED;
	return true;
}

/* Until a call of the run was left, nothing is written, and all returned: 0. */
static bool is_exit(const struct column *column)
{
	return column->role == COLUMN_FEATURE && column->provenance == FROM_RETURN &&
	       !strcmp(column->name, FEATURE_EXIT);
}

/* Set the meaning of NULL in @run: the run did not measure columns without a reason. */
static bool absences_enter(struct loader *loader, int64_t run, struct err *err)
{
	size_t n = loader->samples->n_columns;
	struct reason key = {.run = run};
	const struct reason *found;
	enum absence branch;

	if (!without_branch(loader, run, &branch, err))
		return false;
	for (size_t i = 0; i < n; i++) {
		const bool is_branch = loader->samples->columns[i].role == COLUMN_BRANCH;

		key.variable = loader->variables[i];
		found = loader->n_reasons ? bsearch(&key, loader->reasons, loader->n_reasons,
						    sizeof(*loader->reasons), compare_reasons)
					  : NULL;
		loader->rare[i] = found && found->is_rare;
		if (found && !(is_branch && found->absence == ABSENT_NOT_ASKED))
			loader->absences[i] = found->absence;
		else if (is_branch)
			loader->absences[i] = branch;
		else if (is_exit(&loader->samples->columns[i]))
			loader->absences[i] = PRESENT;
		else
			loader->absences[i] = ABSENT_NOT_MEASURED;
	}
	loader->absences_run = run;
	return true;
}

static bool profile_read_key(struct loader *loader, sqlite3_stmt *statement, struct sample_key *ret,
			     struct err *err)
{
	struct profile *profile = loader->profile;

	*ret = (struct sample_key){0};
	return db_column_int(profile, statement, 0, &ret->id, err) &&
	       db_column_int(profile, statement, 1, &ret->parent, err) &&
	       db_column_int(profile, statement, 2, &ret->run, err) &&
	       db_column_int(profile, statement, 3, &ret->process, err) &&
	       db_column_int(profile, statement, 4, &ret->thread, err) &&
	       db_column_int(profile, statement, 5, &ret->start_ns, err) &&
	       db_column_int(profile, statement, 6, &ret->stops, err) &&
	       db_column_int(profile, statement, 7, &ret->stopped_ns, err) &&
	       db_column_int(profile, statement, 8, &ret->waited_ns, err);
}

/* In calls that are not of the tenth, what is absent may not have been asked for. */
static void find_unasked(const struct loader *loader, struct value *cells)
{
	const size_t n = loader->samples->n_columns;
	const bool is_of_tenth = loader->tenth < n && cells[loader->tenth].number > 0;

	for (size_t i = 0; i < n && !is_of_tenth; i++)
		if (loader->rare[i] && cells[i].absence != PRESENT)
			cells[i].absence = ABSENT_NOT_ASKED;
}

static bool profile_read_row(struct loader *loader, sqlite3_stmt *statement, struct value *cells,
			     struct err *err)
{
	struct sample_key key;

	if (!profile_read_key(loader, statement, &key, err))
		return false;
	if (key.run != loader->absences_run && !absences_enter(loader, key.run, err))
		return false;
	for (size_t i = 0; i < loader->samples->n_columns; i++) {
		int type = sqlite3_column_type(statement, FIRST_CELL + i);

		cells[i] = (struct value){.absence = type == SQLITE_NULL ? loader->absences[i]
									 : PRESENT};
		if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
			cells[i].number = sqlite3_column_double(statement, FIRST_CELL + i);
		else if (type != SQLITE_NULL)
			return db_damaged(loader->profile, "no number where one belongs", err);
	}
	find_unasked(loader, cells);
	samples_append(loader->samples, &key, cells);
	return true;
}

/* Is row @row one of exactly @wanted evenly spaced ones? */
static bool row_is_wanted(const struct loader *loader, size_t row, size_t wanted)
{
	unsigned __int128 before = (unsigned __int128)row * wanted / loader->n_rows;
	unsigned __int128 after = (unsigned __int128)(row + 1) * wanted / loader->n_rows;

	return wanted >= loader->n_rows || after > before;
}

static bool prepare_select(const struct loader *loader, sqlite3_stmt **ret, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(loader->profile->db);
	char *text;
	bool ok;

	sqlite3_str_appendf(sql, "SELECT id, parent, run, %s, thread, start_ns, %s, %s",
			    loader->profile->version < 3 ? "NULL" : "process",
			    loader->profile->version < 4 ? "NULL, NULL" : "stops, stopped_ns",
			    loader->profile->version < 6 ? "NULL" : "waited_ns");
	for (size_t i = 0; i < loader->samples->n_columns; i++)
		sqlite3_str_appendf(sql, ", v%lld", (long long)loader->variables[i]);
	sqlite3_str_appendf(sql, " FROM sample_%lld ORDER BY id", (long long)loader->entry->id);
	text = sqlite3_str_finish(sql);
	ok = db_prepare(loader->profile, ret, err, "%s", text ? text : "");
	sqlite3_free(text);
	return ok;
}

static bool load_rows(struct loader *loader, size_t max_cells, struct err *err)
{
	size_t n_columns = loader->samples->n_columns;
	size_t wanted = n_columns ? max_cells / n_columns : max_cells;
	struct value *cells = mem_alloc(n_columns * sizeof(*cells));
	sqlite3_stmt *statement = NULL;
	bool more = true;
	size_t row = 0;
	bool ok;

	loader->absences = mem_alloc(n_columns * sizeof(*loader->absences));
	loader->rare = mem_alloc(n_columns * sizeof(*loader->rare));
	loader->tenth = samples_find_column(loader->samples, COLUMN_KEY, ASKED_ROWS_KEY);
	ok = prepare_select(loader, &statement, err);
	for (; ok && row < loader->n_rows; row++) {
		ok = db_step(loader->profile, statement, &more, err);
		if (!more)
			break;
		if (ok && row_is_wanted(loader, row, wanted ? wanted : 1))
			ok = profile_read_row(loader, statement, cells, err);
	}
	sqlite3_finalize(statement);
	free(cells);
	return ok;
}

/* Ids must ascend: a damaged table can repeat rows endlessly. */
static bool profile_count_rows(struct loader *loader, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t last = 0;
	int64_t id;
	bool row = true;
	bool ok;

	if (!db_prepare(loader->profile, &statement, err, "SELECT id FROM sample_%lld ORDER BY id",
			(long long)loader->entry->id))
		return false;
	while ((ok = db_step(loader->profile, statement, &row, err)) && row) {
		id = sqlite3_column_int64(statement, 0);
		if (id <= last) {
			ok = db_damaged(loader->profile, "its samples are not in order", err);
			break;
		}
		last = id;
		loader->n_rows++;
	}
	sqlite3_finalize(statement);
	return ok;
}

static bool load_all(struct loader *loader, size_t max_cells, struct err *err)
{
	return schema_check_samples(loader->profile, loader->entry->id, err) &&
	       load_columns(loader, err) &&
	       profile_labels_load(loader->profile, loader->entry->id, loader->variables,
				   loader->samples, err) &&
	       load_reasons(loader, err) && profile_count_rows(loader, err) &&
	       load_rows(loader, max_cells, err) &&
	       profile_accounts_load(loader->profile, loader->entry->id, loader->n_rows,
				     loader->samples, err) &&
	       profile_layout_load(loader->profile, loader->samples, err);
}

bool profile_load(struct profile *profile, const char *function, size_t max_cells,
		  struct samples **ret, struct err *err)
{
	const struct function_entry *entry = profile_functions_find(&profile->functions, function);
	struct loader loader = {.profile = profile};
	const char *const *keys;
	size_t n;
	bool ok;

	if (!entry && strchr(function, '(')) { /* a place that nobody has listed? */
		if (!profile_subjects(profile, &keys, &n, err))
			return false;
		entry = profile_functions_find(&profile->functions, function);
	}
	loader.entry = entry;
	if (!entry)
		return err_set(err, ERR_NOT_FOUND, "%s holds no samples of %s", profile->path,
			       function);
	if (!db_begin_reading(profile, err))
		return false;
	loader.samples =
		samples_create(entry->of->name, entry->of->linkage, entry->file, entry->line);
	if (entry->module && strcmp(entry->module, MODULE_ANY))
		samples_set_module(loader.samples, entry->module);
	ok = load_all(&loader, max_cells, err);
	db_rollback(profile);
	loader_deinit(&loader);
	if (ok && entry->part && !part_columns_take(loader.samples, entry->part))
		ok = db_damaged(profile, "a column is gone", err);
	if (!ok) {
		samples_destroy(loader.samples);
		return false;
	}
	*ret = loader.samples;
	return true;
}

bool profile_count(struct profile *profile, const char *function, size_t *ret, struct err *err)
{
	const struct function_entry *entry = profile_functions_find(&profile->functions, function);
	char sql[64];
	int64_t n;

	if (!entry)
		return err_set(err, ERR_NOT_FOUND, "%s holds no samples of %s", profile->path,
			       function);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM sample_%lld", (long long)entry->id);
	if (!db_number(profile, sql, &n, err))
		return false;
	*ret = n;
	return true;
}
