/*
 * SQLite's connection to the memory file, and the statements prepared for it, kept from one input to the next: only rows
 * differ, and to open the file, to read its schema and to prepare took most of the time.
 *
 * The linker puts these functions in the places of SQLite's (--wrap) for what the profile calls.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "fuzz.h"
#include "memory_file.h"

int __real_sqlite3_open_v2(const char *path, sqlite3 **ret, int flags, const char *vfs);
int __real_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **ret,
			      const char **tail);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*see)(void *, int, char **, char **),
			void *self, char **error);
int __real_sqlite3_finalize(sqlite3_stmt *statement);
int __real_sqlite3_close(sqlite3 *db);

int __wrap_sqlite3_open_v2(const char *path, sqlite3 **ret, int flags, const char *vfs);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **ret,
			      const char **tail);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*see)(void *, int, char **, char **),
			void *self, char **error);
int __wrap_sqlite3_finalize(sqlite3_stmt *statement);
int __wrap_sqlite3_close(sqlite3 *db);

enum { STATEMENTS_MAX = 1024 };

struct pooled {
	sqlite3_stmt *statement;
	bool is_used;
	UT_hash_handle hh; /* by the text, which is SQLite's */
};

static struct {
	sqlite3 *db;
	bool is_open;
	bool is_checking; /* PRAGMA cell_size_check is on */
	struct pooled *by_text;
	size_t n;
} kept;

int __wrap_sqlite3_open_v2(const char *path, sqlite3 **ret, int flags, const char *vfs)
{
	int code;

	if (!memory_file_is(path) || !(flags & SQLITE_OPEN_READONLY) || kept.is_open)
		return __real_sqlite3_open_v2(path, ret, flags, vfs);
	if (!kept.db) {
		code = __real_sqlite3_open_v2(path, &kept.db, flags, vfs);
		FUZZ_EXPECT(code == SQLITE_OK);
	}
	kept.is_open = true;
	*ret = kept.db;
	return SQLITE_OK;
}

int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **ret,
			      const char **tail)
{
	struct pooled *pooled = NULL;
	int code;

	if (db == kept.db)
		HASH_FIND_STR(kept.by_text, sql, pooled);
	if (pooled && !pooled->is_used) {
		pooled->is_used = true;
		*ret = pooled->statement;
		return SQLITE_OK;
	}
	code = __real_sqlite3_prepare_v2(db, sql, n, ret, tail);
	if (db != kept.db || code != SQLITE_OK || pooled || kept.n == STATEMENTS_MAX)
		return code;
	pooled = calloc(1, sizeof(*pooled));
	FUZZ_EXPECT(pooled);
	*pooled = (struct pooled){.statement = *ret, .is_used = true};
	HASH_ADD_KEYPTR(hh, kept.by_text, sqlite3_sql(*ret), strlen(sql), pooled);
	kept.n++;
	return code;
}

/* What a pragma sets makes SQLite prepare all statements again. */
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*see)(void *, int, char **, char **),
			void *self, char **error)
{
	const bool checks = db == kept.db && !strcmp(sql, "PRAGMA cell_size_check = ON");

	if (checks && kept.is_checking)
		return SQLITE_OK;
	kept.is_checking |= checks;
	return __real_sqlite3_exec(db, sql, see, self, error);
}

int __wrap_sqlite3_finalize(sqlite3_stmt *statement)
{
	struct pooled *pooled = NULL;

	if (statement && sqlite3_db_handle(statement) == kept.db)
		HASH_FIND_STR(kept.by_text, sqlite3_sql(statement), pooled);
	if (!pooled || pooled->statement != statement)
		return __real_sqlite3_finalize(statement);
	pooled->is_used = false;
	sqlite3_clear_bindings(statement);
	return sqlite3_reset(statement);
}

/* Whoever closes has finalized everything, or else SQLite would refuse. */
int __wrap_sqlite3_close(sqlite3 *db)
{
	if (!db || db != kept.db)
		return __real_sqlite3_close(db);
	for (struct pooled *pooled = kept.by_text; pooled; pooled = pooled->hh.next)
		FUZZ_EXPECT(!pooled->is_used);
	if (!sqlite3_get_autocommit(db))
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	kept.is_open = false;
	return SQLITE_OK;
}
