/*
 * Opens profiles for reading or adding, and says what is wrong with other files. schema.c makes
 * tables, profile_write.c and profile_read.c transfer rows.
 *
 * The journal is SQLite's rollback journal, not a write-ahead log: a closed profile is one file,
 * readable on read-only media. Only shared profiles have a log.
 */
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/foreign_link.h"
#include "base/mem.h"
#include "db.h"
#include "schema.h"

static struct profile *profile_create(const char *path)
{
	struct profile *profile = mem_alloc(sizeof(*profile));

	profile->arena = arena_create();
	profile->path = arena_strdup(profile->arena, path);
	return profile;
}

void profile_close(struct profile *profile)
{
	if (!profile)
		return;
	if (profile->beside)
		sqlite3_close(profile->beside->db);
	free(profile->beside);
	db_drop_kept(profile);
	sqlite3_close(profile->db);
	profile_functions_deinit(&profile->functions);
	free(profile->tables.ids);
	free(profile->owners.list);
	arena_destroy(profile->arena);
	free(profile);
}

static bool copy_into(struct profile *profile, sqlite3 *to, struct err *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", profile->db, "main");
	bool ok = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;

	if (backup && sqlite3_backup_finish(backup) != SQLITE_OK)
		ok = false;
	if (!ok)
		err_set(err, ERR_IO, "the profile cannot be written: %s", sqlite3_errmsg(to));
	return ok;
}

static bool copy_to(struct profile *profile, const char *path, struct err *err)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	sqlite3 *to = NULL;
	bool ok = sqlite3_open_v2(path, &to, flags, NULL) == SQLITE_OK
			  ? copy_into(profile, to, err)
			  : err_set(err, ERR_IO, "the profile cannot be written: %s",
				    sqlite3_errmsg(to));

	sqlite3_close(to);
	return ok;
}

/* Write to a temporary file, then rename. */
bool profile_save(struct profile *profile, const char *path, struct err *err)
{
	const char *beside = arena_printf(profile->arena, "%s.%ld", path, (long)getpid());
	struct stat status;
	bool ok;
	int fd;

	unlink(beside);
	/* SQLite would follow a link that somebody put there meanwhile. */
	fd = open(beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot write %s", beside);
	close(fd);
	if (stat(path, &status) == 0 && chmod(beside, status.st_mode & 0777) != 0)
		errno = 0; /* not possible there */
	ok = copy_to(profile, beside, err);

	if (ok && rename(beside, path) != 0)
		ok = err_set_errno(err, ERR_IO, errno, "it cannot be put in its place");
	if (ok)
		return true;
	unlink(beside);
	return err_add(err, "%s", path);
}

/* The size of the regular file @path. SQLite would wait on a FIFO forever. */
static bool check_file(const char *path, off_t *ret_size, struct err *err)
{
	struct stat status;

	if (stat(path, &status))
		return err_set_errno(err, ERR_IO, errno,
				     "%s: give a profile that `fathom run -o` wrote", path);
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_IO, "%s is not a file; name one that `fathom run -o` wrote",
			       path);
	if (access(path, R_OK))
		return err_set_errno(err, ERR_IO, errno, "%s cannot be read", path);
	*ret_size = status.st_size;
	return true;
}

/* A writer killed in a transaction leaves its journal; undoing it needs write access. */
static bool recover(struct profile *profile, struct err *err)
{
	int64_t pages;
	bool ok;

	sqlite3_close(profile->db);
	profile->db = NULL;
	ok = db_open(profile, profile->path, SQLITE_OPEN_READWRITE, err) &&
	     db_number(profile, "PRAGMA page_count", &pages, err);
	sqlite3_close(profile->db);
	profile->db = NULL;
	if (!ok)
		return err_set(err, ERR_IO,
			       "the writer of %s was killed, and what it left cannot be undone "
			       "here; copy it and %s-journal to where you may write",
			       profile->path, profile->path);
	return db_open(profile, profile->path, SQLITE_OPEN_READONLY, err);
}

static bool open_to_read(struct profile *profile, struct err *err)
{
	int64_t pages;

	if (!db_open(profile, profile->path, SQLITE_OPEN_READONLY, err))
		return false;
	if (db_number(profile, "PRAGMA page_count", &pages, err))
		return true;
	return (sqlite3_errcode(profile->db) & 0xff) == SQLITE_READONLY && recover(profile, err);
}

static bool count_runs(struct profile *profile, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t last = 0;
	int64_t id;
	bool row = true;
	bool ok;

	if (!db_prepare(profile, &statement, err, "SELECT id FROM run ORDER BY id"))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row) {
		id = sqlite3_column_int64(statement, 0);
		if (id <= last) {
			ok = db_damaged(profile, "its runs are not in order", err);
			break;
		}
		last = id;
		profile->n_runs++;
	}
	sqlite3_finalize(statement);
	return ok;
}

bool profile_open(const char *path, struct profile **ret, struct err *err)
{
	struct profile *profile;
	off_t size;

	if (!check_file(path, &size, err))
		return false;
	if (!size)
		return err_set(
			err, ERR_FORMAT,
			"%s is empty, not a fathom profile; give one that `fathom run -o` wrote",
			path);
	profile = profile_create(path);
	if (!open_to_read(profile, err) || !schema_check(profile, err) ||
	    !count_runs(profile, err) || !profile_functions_load(profile, err)) {
		profile_close(profile);
		return false;
	}
	*ret = profile;
	return true;
}

/* Of several processes that open an empty file, the first makes it a profile. */
static bool make_or_check(struct profile *profile, bool empty, struct err *err)
{
	int64_t application;
	int64_t things;

	if (!db_number(profile, "PRAGMA application_id", &application, err))
		return false;
	if (!empty || application)
		return schema_check(profile, err);
	if (!db_number(profile, "SELECT 1 FROM sqlite_schema LIMIT 1", &things, err))
		return false;
	return things ? schema_check(profile, err) : schema_create(profile, err);
}

/* The last process that shared it may have been killed. */
static void end_log(struct profile *profile)
{
	struct err ignored;

	db_exec(profile, "PRAGMA journal_mode = DELETE", &ignored);
}

void profile_begin_sharing(struct profile *profile)
{
	struct err ignored;

	db_exec(profile, "PRAGMA journal_mode = WAL", &ignored);
}

void profile_end_sharing(struct profile *profile)
{
	end_log(profile);
}

static bool open_to_add(struct profile *profile, const char *path, struct err *err)
{
	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	int64_t pages;

	if (!db_open(profile, path, flags, err) ||
	    !db_number(profile, "PRAGMA page_count", &pages, err))
		return false;
	if (pages && !schema_check(profile, err))
		return false;
	if (sqlite3_db_readonly(profile->db, "main") == 1)
		return err_set(err, ERR_IO, "%s is write-protected; choose another file", path);
	end_log(profile);
	if (!db_begin(profile, err))
		return false;
	if (!make_or_check(profile, !pages, err) || !schema_migrate(profile, err)) {
		db_rollback(profile);
		return false;
	}
	return db_commit(profile, err);
}

/* A new profile is this user's alone: it has command lines and values of memory in it. */
static bool check_addable(const char *path, struct err *err)
{
	off_t size;
	int fd;

	if (!*path)
		return err_set(err, ERR_USAGE, "the name of the profile is empty");
	if (!foreign_link_refuse(path, err))
		return false;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return (access(path, F_OK) && errno == ENOENT) || check_file(path, &size, err);
	close(fd);
	return true;
}

bool profile_open_to_add(const char *path, const char *build_id, struct profile **ret,
			 struct err *err)
{
	struct profile *profile;

	if (path && !check_addable(path, err))
		return false;
	profile = profile_create(path ? path : "the temporary profile");
	if (!open_to_add(profile, path ? path : "", err) || !count_runs(profile, err) ||
	    !profile_functions_load(profile, err) || !profile_check_build(profile, build_id, err)) {
		profile_close(profile);
		return false;
	}
	*ret = profile;
	return true;
}

bool profile_open_copy(struct profile *profile, struct profile **ret, struct err *err)
{
	struct profile *copy;

	if (!profile_open_to_add(NULL, NULL, &copy, err))
		return false;
	if (!copy_into(profile, copy->db, err) || !count_runs(copy, err) ||
	    !profile_functions_load(copy, err)) {
		profile_close(copy);
		return false;
	}
	copy->run = profile->run;
	*ret = copy;
	return true;
}

void profile_set_patience(struct profile *profile, int ms)
{
	sqlite3_busy_timeout(profile->db, ms);
}

int64_t profile_run(const struct profile *profile)
{
	return profile->run;
}

void profile_set_run(struct profile *profile, int64_t run)
{
	profile->run = run;
}

size_t profile_runs(const struct profile *profile)
{
	return profile->n_runs;
}

size_t profile_functions(const struct profile *profile, const char *const **ret)
{
	profile_functions_sort(&profile->functions);
	*ret = profile->functions.keys;
	return profile->functions.n;
}

bool profile_has_namesakes(const struct profile *profile, const char *name)
{
	const struct function_list *list = &profile->functions;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += !strcmp(profile_functions_find(list, list->keys[i])->name, name);
	return n > 1;
}
