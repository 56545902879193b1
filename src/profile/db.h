/*
 * Private to profile/: the open database, and SQLite's interface with our errors: ERR_IO or
 * ERR_FORMAT.
 *
 * Profiles may be hostile. Nothing in them is executed (no views, triggers or extensions), what is
 * read has a type and a bound, and one step of a statement has bounded work. Loops over rows check
 * that keys ascend, as a damaged tree can repeat a page endlessly.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/err.h"
#include "base/arena.h"

/* Profiles before version 3 did not say which module a function is in: the program or a library. */
#define MODULE_ANY "*"

/* A function's place: unique. */
struct function_place {
	const char *linkage;
	const char *file; /* NULL if not known */
	unsigned line;
	const char *module; /* NULL: the profile's own program */
};

/* A function with samples. Strings live in the profile's arena. */
struct function_entry {
	int64_t id;
	const char *key; /* as for profile_functions() */
	const char *name, *linkage;
	const char *file; /* NULL if not known */
	unsigned line;
	const char *module; /* NULL: the profile's own program; or MODULE_ANY */
	/* The suffix of the columns of a place, whose costs alone this has; NULL: of all. */
	const char *part;
	const struct function_entry *of; /* itself, or the function that has these columns */
	UT_hash_handle hh;
};

struct function_list {
	struct function_entry *by_key; /* hash table */
	const char **keys;             /* in no order */
	size_t n, capacity;
	int64_t last_id;
};

struct kept_statement {
	sqlite3_stmt *statement;
	const char *sql;
	UT_hash_handle hh;
};

/* The tables of samples that were found to be ordinary ones, of one state of the schema. */
struct table_set {
	int64_t state;
	int64_t *ids; /* ascending */
	size_t n, capacity;
	bool is_wanted; /* one was checked before */
};

/* Which function has a sample: found at once, not by a look into each function's table. */
struct sample_owners {
	struct sample_owner {
		int64_t id;
		const struct function_entry *function;
	} * list; /* by ids, ascending */
	size_t n, capacity;
	bool is_wanted; /* callers were looked for before */
	bool is_made, is_whole;
};

struct profile {
	sqlite3 *db;
	struct profile *beside; /* the same for writing, while this is for reading; NULL: not yet */
	struct arena *arena;
	const char *path; /* for messages */
	unsigned ticks;   /* of the progress handler, in the current step */
	int64_t version;  /* of the layout */
	size_t n_runs;
	int64_t run;        /* the current one; 0: none has begun */
	unsigned totals;    /* bits 1 << enum metric that it measures */
	unsigned nested;    /* transactions within the outermost one */
	size_t runs_before; /* profile_begin_whole() */
	struct function_list functions;
	struct table_set tables;           /* only of a profile that is read */
	struct sample_owners owners;       /* likewise */
	struct kept_statement *statements; /* hash table, by their text */
};

/*
 * Open @profile->db with sqlite3_open_v2()'s @flags and make it safe; @path "" is a temporary
 * database. The file is not accessed before the first statement.
 */
bool db_open(struct profile *profile, const char *path, int flags, struct err *err);

/* Set @err from SQLite's last failure. Always returns false. */
bool db_fail(struct profile *profile, struct err *err);

/* ERR_FORMAT: the profile is damaged; @how says how. Always returns false. */
bool db_damaged(const struct profile *profile, const char *how, struct err *err);

/* Run statements that return nothing. */
bool db_exec(struct profile *profile, const char *sql, struct err *err);

/* Prepare a statement from a format of sqlite3_mprintf(); the caller finalizes it. */
bool db_prepare(struct profile *profile, sqlite3_stmt **ret, struct err *err, const char *fmt, ...);

/*
 * The same for a text that is needed for function after function: it is prepared once, which takes
 * longer than to run it. The caller resets it, and does not need it twice at the same time.
 */
bool db_keep(struct profile *profile, sqlite3_stmt **ret, struct err *err, const char *sql);
void db_drop_kept(struct profile *profile);

/* One step. *@ret_row: there is a row; false at the end. */
bool db_step(struct profile *profile, sqlite3_stmt *statement, bool *ret_row, struct err *err);

/* Run a statement that returns no rows, and reset it for the next run. */
bool db_run(struct profile *profile, sqlite3_stmt *statement, struct err *err);

/* The number in the first column and row of @sql; 0 if there is no row. */
bool db_number(struct profile *profile, const char *sql, int64_t *ret, struct err *err);
bool db_kept_number(struct profile *profile, const char *sql, int64_t *ret, struct err *err);

/*
 * Columns of the current row. Texts are copied to @arena and deducted from *@budget, a number of
 * bytes that no valid file exceeds; NULL: unknown. Numbers are in [0, INT64_MAX]; NULL is 0.
 */
bool db_column_text(struct profile *profile, sqlite3_stmt *statement, int column,
		    struct arena *arena, size_t *budget, const char **ret, struct err *err);
bool db_column_int(struct profile *profile, sqlite3_stmt *statement, int column, int64_t *ret,
		   struct err *err);

/* The size of the database in bytes: an upper bound for anything read from it. */
bool db_size(struct profile *profile, size_t *ret, struct err *err);

/* A transaction for reading: what is read fits together. */
bool db_begin_reading(struct profile *profile, struct err *err);

/* A transaction for writing, or a part of the one that has begun; waits for other writers. */
bool db_begin(struct profile *profile, struct err *err);
bool db_commit(struct profile *profile, struct err *err);
void db_rollback(struct profile *profile);

/* ERR_USAGE: the profile holds samples of a build other than @build_id. */
bool profile_check_build(struct profile *profile, const char *build_id, struct err *err);

/* Load the functions added since the last call. */
bool profile_functions_load(struct profile *profile, struct err *err);
/* Sort the keys by the functions' names. */
void profile_functions_sort(const struct function_list *list);
/* Drop them all, since some were added in a failed transaction; then load again. */
void profile_functions_forget(struct function_list *list);
void profile_functions_deinit(struct function_list *list);

/* NULL if there is none. */
const struct function_entry *profile_functions_find(const struct function_list *list,
						    const char *key);
const struct function_entry *profile_functions_find_place(const struct function_list *list,
							  const struct function_place *place);
