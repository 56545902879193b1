/* SQLite's interface in our terms: errors, bounds, types. schema.c knows the tables. */
#include "db.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum {
	BUSY_MS = 10000,
	LENGTH_MAX = 16 << 20, /* bytes of a text, a row or a statement */
	TICK = 1000000,        /* virtual machine instructions between calls of limit_work() */
	TICKS_MAX = 100,
	PATH_BYTES = 512,
};

/* The largest step in a valid file loads the definitions of the tables. */
static int limit_work(void *self)
{
	struct profile *profile = self;

	return ++profile->ticks > TICKS_MAX;
}

static void make_safe(struct profile *profile)
{
	static const int off[] = {
		SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
		SQLITE_DBCONFIG_ENABLE_VIEW,    SQLITE_DBCONFIG_ENABLE_FKEY,
		SQLITE_DBCONFIG_DQS_DML,        SQLITE_DBCONFIG_DQS_DDL,
	};

	for (size_t i = 0; i < sizeof(off) / sizeof(*off); i++)
		sqlite3_db_config(profile->db, off[i], 0, NULL);
	sqlite3_db_config(profile->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(profile->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_limit(profile->db, SQLITE_LIMIT_SQL_LENGTH, LENGTH_MAX);
	sqlite3_limit(profile->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(profile->db, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_extended_result_codes(profile->db, 1);
	sqlite3_busy_timeout(profile->db, BUSY_MS);
	sqlite3_progress_handler(profile->db, TICK, limit_work, profile);
}

bool db_open(struct profile *profile, const char *path, int flags, struct err *err)
{
	/* "./" in front avoids SQLite's special names ":memory:" and "file:". */
	bool plain = !*path || *path == '/';
	char *name = sqlite3_mprintf("%s%s", plain ? "" : "./", path);
	/* One thread uses a profile; a lock for every cell would cost a fifth of the time. */
	int code = sqlite3_open_v2(name, &profile->db, flags | SQLITE_OPEN_NOMUTEX, NULL);

	sqlite3_free(name);
	if (code != SQLITE_OK)
		return db_fail(profile, err);
	make_safe(profile);
	return db_exec(profile, "PRAGMA cell_size_check = ON", err);
}

bool db_damaged(const struct profile *profile, const char *how, struct err *err)
{
	return err_set(err, ERR_FORMAT,
		       "%s is damaged (%s); measure again into another file, or save what can be "
		       "saved with the command .recover of sqlite3",
		       profile->path, how);
}

/* SQLite makes paths absolute, and takes at most so many bytes then. */
static bool is_path_too_long(const char *path)
{
	char folder[PATH_MAX] = "";

	if (*path != '/' && !getcwd(folder, sizeof(folder)))
		return false;
	return strlen(folder) + strlen(path) + strlen("/./-journal") > PATH_BYTES;
}

static bool fail_io(struct profile *profile, struct err *err)
{
	int number = sqlite3_system_errno(profile->db);

	if (is_path_too_long(profile->path))
		return err_set(err, ERR_IO,
			       "%s: its whole path has more than the %d bytes that SQLite takes: "
			       "name a file by a shorter one",
			       profile->path, PATH_BYTES);
	if (number)
		return err_set_errno(err, ERR_IO, number,
				     "%s: name a file in a folder that exists and can be written",
				     profile->path);
	return err_set(err, ERR_IO,
		       "%s: %s: look at its storage, and at the limit of file sizes (ulimit -f)",
		       profile->path, sqlite3_errmsg(profile->db));
}

bool db_fail(struct profile *profile, struct err *err)
{
	switch (sqlite3_errcode(profile->db) & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err, ERR_IO,
			       "%s is being written by another process; wait for it to end",
			       profile->path);
	case SQLITE_FULL:
		return err_set(err, ERR_IO, "%s cannot grow; make room on its file system",
			       profile->path);
	case SQLITE_READONLY:
		if (sqlite3_extended_errcode(profile->db) == SQLITE_READONLY_DBMOVED)
			return err_set(err, ERR_IO,
				       "%s was moved or removed while it was written: what came "
				       "after that cannot be added to it",
				       profile->path);
		return err_set(err, ERR_IO,
			       "%s is write-protected; make it and its folder writable, or choose "
			       "another file",
			       profile->path);
	case SQLITE_NOTADB:
		return err_set(err, ERR_FORMAT,
			       "%s is not a fathom profile; give one that `fathom run -o` wrote, "
			       "or a new file",
			       profile->path);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
	case SQLITE_PERM:
	case SQLITE_NOMEM:
		return fail_io(profile, err);
	case SQLITE_INTERRUPT:
		return db_damaged(profile, "reading it does not come to an end", err);
	case SQLITE_CONSTRAINT:
		/* Only imported ids can clash. */
		if (strstr(sqlite3_errmsg(profile->db), "sample_"))
			return err_set(err, ERR_FORMAT,
				       "two samples of a function have the same id: it must be "
				       "unique in a run; leave the column out if there is no such");
		return db_damaged(profile, sqlite3_errmsg(profile->db), err);
	default:
		return db_damaged(profile, sqlite3_errmsg(profile->db), err);
	}
}

bool db_exec(struct profile *profile, const char *sql, struct err *err)
{
	profile->ticks = 0;
	return sqlite3_exec(profile->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       db_fail(profile, err);
}

bool db_prepare(struct profile *profile, sqlite3_stmt **ret, struct err *err, const char *fmt, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list args;
	char *sql;
	int code;

	va_start(args, fmt);
	sql = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (!sql)
		return err_set(err, ERR_IO, "%s: out of memory", profile->path);
	profile->ticks = 0;
	code = sqlite3_prepare_v2(profile->db, sql, -1, &statement, NULL);
	sqlite3_free(sql);
	if (code != SQLITE_OK)
		return db_fail(profile, err);
	*ret = statement;
	return true;
}

bool db_keep(struct profile *profile, sqlite3_stmt **ret, struct err *err, const char *sql)
{
	struct kept_statement *kept;

	HASH_FIND_STR(profile->statements, sql, kept);
	if (!kept) {
		sqlite3_stmt *statement;

		if (!db_prepare(profile, &statement, err, "%s", sql))
			return false;
		kept = arena_new(profile->arena, struct kept_statement);
		kept->statement = statement;
		kept->sql = arena_strdup(profile->arena, sql);
		HASH_ADD_KEYPTR(hh, profile->statements, kept->sql, strlen(sql), kept);
	}
	*ret = kept->statement;
	return true;
}

void db_drop_kept(struct profile *profile)
{
	for (struct kept_statement *kept = profile->statements; kept; kept = kept->hh.next)
		sqlite3_finalize(kept->statement);
	HASH_CLEAR(hh, profile->statements);
}

bool db_step(struct profile *profile, sqlite3_stmt *statement, bool *ret_row, struct err *err)
{
	int code;

	profile->ticks = 0;
	code = sqlite3_step(statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return db_fail(profile, err);
	*ret_row = code == SQLITE_ROW;
	return true;
}

bool db_run(struct profile *profile, sqlite3_stmt *statement, struct err *err)
{
	bool row;
	bool ok = db_step(profile, statement, &row, err);

	sqlite3_reset(statement);
	return ok;
}

/* The number in the first column and row; 0 if there is no row. */
static bool first_number(struct profile *profile, sqlite3_stmt *statement, int64_t *ret,
			 struct err *err)
{
	bool row;
	const bool ok = db_step(profile, statement, &row, err);

	if (ok)
		*ret = row ? sqlite3_column_int64(statement, 0) : 0;
	return ok;
}

bool db_number(struct profile *profile, const char *sql, int64_t *ret, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err, "%s", sql))
		return false;
	ok = first_number(profile, statement, ret, err);
	sqlite3_finalize(statement);
	return ok;
}

bool db_kept_number(struct profile *profile, const char *sql, int64_t *ret, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_keep(profile, &statement, err, sql))
		return false;
	ok = first_number(profile, statement, ret, err);
	sqlite3_reset(statement);
	return ok;
}

bool db_column_text(struct profile *profile, sqlite3_stmt *statement, int column,
		    struct arena *arena, size_t *budget, const char **ret, struct err *err)
{
	const char *text;
	size_t size;

	if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
		*ret = NULL;
		return true;
	}
	if (sqlite3_column_type(statement, column) != SQLITE_TEXT)
		return db_damaged(profile, "no text where one belongs", err);
	text = (const char *)sqlite3_column_text(statement, column);
	size = sqlite3_column_bytes(statement, column);
	if (!text || strlen(text) != size)
		return db_damaged(profile, "a text with a zero in it", err);
	if (size > *budget)
		return db_damaged(profile, "its texts are longer than itself", err);
	*budget -= size;
	*ret = arena_strdup(arena, text);
	return true;
}

bool db_column_int(struct profile *profile, sqlite3_stmt *statement, int column, int64_t *ret,
		   struct err *err)
{
	int type = sqlite3_column_type(statement, column);
	int64_t number = sqlite3_column_int64(statement, column);

	if (type != SQLITE_INTEGER && type != SQLITE_NULL)
		return db_damaged(profile, "no integer where one belongs", err);
	if (number < 0)
		return db_damaged(profile, "a negative number where none belongs", err);
	*ret = number;
	return true;
}

bool db_size(struct profile *profile, size_t *ret, struct err *err)
{
	int64_t pages;
	int64_t page_bytes;

	if (!db_kept_number(profile, "PRAGMA page_count", &pages, err))
		return false;
	if (!db_kept_number(profile, "PRAGMA page_size", &page_bytes, err))
		return false;
	*ret = (size_t)pages * (size_t)page_bytes;
	return true;
}

static bool transaction_begin(struct profile *profile, const char *sql, struct err *err)
{
	if (sqlite3_get_autocommit(profile->db)) {
		profile->nested = 0;
		return db_exec(profile, sql, err);
	}
	if (!db_exec(profile, "SAVEPOINT nested", err))
		return false;
	profile->nested++;
	return true;
}

bool db_begin(struct profile *profile, struct err *err)
{
	return transaction_begin(profile, "BEGIN IMMEDIATE", err);
}

bool db_begin_reading(struct profile *profile, struct err *err)
{
	return transaction_begin(profile, "BEGIN", err);
}

void db_rollback(struct profile *profile)
{
	if (sqlite3_get_autocommit(profile->db))
		return; /* a full disk and the like undo all */
	if (!profile->nested) {
		sqlite3_exec(profile->db, "ROLLBACK", NULL, NULL, NULL);
		return;
	}
	sqlite3_exec(profile->db, "ROLLBACK TO nested; RELEASE nested", NULL, NULL, NULL);
	profile->nested--;
}

bool db_commit(struct profile *profile, struct err *err)
{
	if (db_exec(profile, profile->nested ? "RELEASE nested" : "COMMIT", err)) {
		profile->nested -= profile->nested > 0;
		return true;
	}
	db_rollback(profile);
	return false;
}
