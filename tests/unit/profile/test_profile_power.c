/*
 * Profiles whose writer is killed between any two writes, or whose machine loses its power on a
 * file system that keeps what was not yet synced in any order, or in parts.
 *
 * A SQLite VFS in front of the usual one notes what is written. At each moment, what a storage may
 * hold of it is put into files, and these are opened: all transactions are there that ended before
 * the folder was last synced (that a journal is gone ends one), the others are there as a whole or
 * not at all.
 */
#include "profile_fixture.h"

#include "drawn.h"

enum {
	OPS_MAX = 4096,
	TRANSACTIONS = 8,
	ROWS = 40, /* of a transaction */
	FILE_MAX = 1 << 20,
	SECTOR = 512,
	DRAWS = 8, /* storages drawn for one moment */
};

enum op_kind { OP_WRITE, OP_TRUNCATE, OP_SYNC, OP_LINK, OP_UNLINK, OP_FOLDER_SYNC };

/* What happens to a file, or to its name in the folder. File 0 is the profile, others journals. */
struct op {
	enum op_kind kind;
	unsigned file;
	size_t at, n; /* OP_TRUNCATE: n is the new size */
	unsigned char *bytes;
	size_t committed; /* transactions that had ended before */
};

struct noted_file {
	sqlite3_file base;
	unsigned number;
	bool is_new; /* its name is not yet in the folder for certain */
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs, *real;
	struct op ops[OPS_MAX];
	size_t n;
	unsigned n_files;
	size_t committed;
} noted;

static void op_note(enum op_kind kind, unsigned file, size_t at, const void *bytes, size_t n)
{
	struct op *op = &noted.ops[noted.n++];

	assert_true(noted.n <= OPS_MAX);
	*op = (struct op){kind, file, at, n, NULL, noted.committed};
	if (!bytes)
		return;
	op->bytes = malloc(n);
	assert_non_null(op->bytes);
	memcpy(op->bytes, bytes, n);
}

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct noted_file *)file)->real;
}

static int noted_close(sqlite3_file *file)
{
	const int code = real_of(file)->pMethods->xClose(real_of(file));

	sqlite3_free(real_of(file));
	return code;
}

static int noted_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	return real_of(file)->pMethods->xRead(real_of(file), to, n, at);
}

static int noted_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	op_note(OP_WRITE, ((struct noted_file *)file)->number, (size_t)at, from, (size_t)n);
	return real_of(file)->pMethods->xWrite(real_of(file), from, n, at);
}

static int noted_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	op_note(OP_TRUNCATE, ((struct noted_file *)file)->number, 0, NULL, (size_t)size);
	return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* The usual VFS syncs the folder of a new journal with it. */
static int noted_sync(sqlite3_file *file, int flags)
{
	struct noted_file *ours = (struct noted_file *)file;

	op_note(OP_SYNC, ours->number, 0, NULL, 0);
	if (ours->is_new)
		op_note(OP_FOLDER_SYNC, 0, 0, NULL, 0);
	ours->is_new = false;
	return ours->real->pMethods->xSync(ours->real, flags);
}

static int noted_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	return real_of(file)->pMethods->xFileSize(real_of(file), ret);
}

static int noted_lock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int noted_unlock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int noted_is_reserved(sqlite3_file *file, int *ret)
{
	return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret);
}

static int noted_control(sqlite3_file *file, int what, void *argument)
{
	return real_of(file)->pMethods->xFileControl(real_of(file), what, argument);
}

static int noted_sector(sqlite3_file *file)
{
	return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int noted_device(sqlite3_file *file)
{
	return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods noted_methods = {
	.iVersion = 1,
	.xClose = noted_close,
	.xRead = noted_read,
	.xWrite = noted_write,
	.xTruncate = noted_truncate,
	.xSync = noted_sync,
	.xFileSize = noted_size,
	.xLock = noted_lock,
	.xUnlock = noted_unlock,
	.xCheckReservedLock = noted_is_reserved,
	.xFileControl = noted_control,
	.xSectorSize = noted_sector,
	.xDeviceCharacteristics = noted_device,
};

static int noted_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		      int *ret_flags)
{
	struct noted_file *ours = (struct noted_file *)file;
	const bool is_journal = flags & SQLITE_OPEN_MAIN_JOURNAL;
	const bool is_new = is_journal && access(name, F_OK) != 0;
	int code;

	(void)vfs;
	if (!is_journal && !(flags & SQLITE_OPEN_MAIN_DB))
		return noted.real->xOpen(noted.real, name, file, flags, ret_flags);
	*ours = (struct noted_file){.real = sqlite3_malloc(noted.real->szOsFile)};
	memset(ours->real, 0, (size_t)noted.real->szOsFile);
	code = noted.real->xOpen(noted.real, name, ours->real, flags, ret_flags);
	if (code != SQLITE_OK) {
		sqlite3_free(ours->real);
		return code;
	}
	ours->base.pMethods = &noted_methods;
	if (is_new) {
		ours->is_new = true;
		noted.n_files++;
		op_note(OP_LINK, noted.n_files, 0, NULL, 0);
	}
	ours->number = is_journal ? noted.n_files : 0;
	return SQLITE_OK;
}

static int noted_delete(sqlite3_vfs *vfs, const char *name, int syncs_folder)
{
	const int code = noted.real->xDelete(noted.real, name, syncs_folder);

	(void)vfs;
	if (code != SQLITE_OK)
		return code;
	op_note(OP_UNLINK, noted.n_files, 0, NULL, 0);
	if (syncs_folder)
		op_note(OP_FOLDER_SYNC, 0, 0, NULL, 0);
	return code;
}

static void note_begin(void)
{
	const size_t size = sizeof(struct noted_file);

	noted.n = noted.n_files = 0;
	noted.committed = 0;
	noted.real = sqlite3_vfs_find(NULL);
	noted.vfs = *noted.real;
	noted.vfs.zName = "noted";
	noted.vfs.szOsFile = (int)size > noted.real->szOsFile ? (int)size : noted.real->szOsFile;
	noted.vfs.xOpen = noted_open;
	noted.vfs.xDelete = noted_delete;
	assert_int_equal(sqlite3_vfs_register(&noted.vfs, 1), SQLITE_OK);
}

static void note_end(void)
{
	sqlite3_vfs_unregister(&noted.vfs);
	sqlite3_vfs_register(noted.real, 1);
}

static void notes_free(void)
{
	for (size_t i = 0; i < noted.n; i++)
		free(noted.ops[i].bytes);
}

/* A file as a storage has it. */
struct stored {
	unsigned char bytes[FILE_MAX];
	size_t n;
};

static struct stored first; /* the profile before anything was noted */

static void stored_read(const char *path, struct stored *ret)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	ret->n = fread(ret->bytes, 1, FILE_MAX, file);
	assert_true(ret->n < FILE_MAX);
	fclose(file);
}

static void stored_write(const char *path, const struct stored *stored)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(stored->bytes, 1, stored->n, file), stored->n);
	fclose(file);
}

/* Of a write, its first @n bytes. */
static void op_apply(const struct op *op, size_t n, struct stored *to)
{
	if (op->kind == OP_TRUNCATE) {
		if (op->n > to->n)
			memset(to->bytes + to->n, 0, op->n - to->n);
		to->n = op->n;
		return;
	}
	if (op->kind != OP_WRITE || !n)
		return;
	assert_true(op->at + n <= FILE_MAX);
	if (op->at > to->n)
		memset(to->bytes + to->n, 0, op->at - to->n);
	memcpy(to->bytes + op->at, op->bytes, n);
	if (op->at + n > to->n)
		to->n = op->at + n;
}

static unsigned long long random_state;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % n;
}

/* The part of a write that comes through: all or nothing of it, now and then some of its sectors. */
static size_t part_of(const struct op *op)
{
	if (op->n > SECTOR && !random_below(4))
		return random_below((unsigned)(op->n / SECTOR)) * SECTOR;
	return random_below(2) ? op->n : 0;
}

/* How many of the first @n operations are before the last one of @kind; of @file, if it is a sync. */
static size_t ops_before_last(size_t n, enum op_kind kind, unsigned file)
{
	while (n && (noted.ops[n - 1].kind != kind || noted.ops[n - 1].file != file))
		n--;
	return n;
}

/* @file after the first @n operations: certain is what was synced; all of it if @loses is false. */
static void file_restore(unsigned file, size_t n, bool loses, struct stored *ret)
{
	const size_t synced = loses ? ops_before_last(n, OP_SYNC, file) : n;

	ret->n = 0;
	if (!file)
		*ret = first;
	for (size_t i = 0; i < n; i++) {
		const struct op *op = &noted.ops[i];

		if (op->file != file || (op->kind != OP_WRITE && op->kind != OP_TRUNCATE))
			continue;
		if (i < synced)
			op_apply(op, op->n, ret);
		else if (op->kind == OP_WRITE || random_below(2))
			op_apply(op, part_of(op), ret);
	}
}

/* The journal that the folder names after the first @n operations; 0: none. */
static unsigned journal_named(size_t n, bool loses)
{
	const size_t certain = loses ? ops_before_last(n, OP_FOLDER_SYNC, 0) : n;
	unsigned journal = 0;

	for (size_t i = 0; i < n; i++) {
		const struct op *op = &noted.ops[i];

		if (op->kind != OP_LINK && op->kind != OP_UNLINK)
			continue;
		if (i >= certain && random_below(2))
			break; /* names change one after the other */
		journal = op->kind == OP_LINK ? op->file : 0;
	}
	return journal;
}

static void storage_restore(size_t n, bool loses)
{
	static struct stored stored;
	const unsigned journal = journal_named(n, loses);

	file_restore(0, n, loses, &stored);
	stored_write("p.fathom", &stored);
	unlink("p.fathom-journal");
	if (!journal)
		return;
	file_restore(journal, n, loses, &stored);
	stored_write("p.fathom-journal", &stored);
}

static size_t rows_stored(size_t n)
{
	struct profile *profile;
	struct err err;
	size_t rows;

	if (!profile_open("p.fathom", &profile, &err))
		fail_msg("after %zu of %zu operations: %s", n, noted.n, err.text);
	if (!profile_count(profile, "_f", &rows, &err))
		fail_msg("after %zu of %zu operations: %s", n, noted.n, err.text);
	profile_close(profile);
	return rows;
}

static void storage_check(size_t n, bool loses)
{
	const size_t done = n < noted.n ? noted.ops[n].committed : noted.committed;
	const size_t synced = loses ? ops_before_last(n, OP_FOLDER_SYNC, 0) : n;
	const size_t least = loses ? (synced ? noted.ops[synced - 1].committed : 0) : done;
	const size_t rows = rows_stored(n);

	if (rows % ROWS || rows / ROWS < least + 1 || rows / ROWS > done + 2)
		fail_msg("after %zu of %zu operations %zu rows are there, of %zu to %zu "
			 "transactions",
			 n, noted.n, rows, least + 1, done + 2);
	assert_int_equal(query("SELECT count(*) FROM pragma_integrity_check "
			       "WHERE integrity_check <> 'ok'"),
			 0);
}

/* One transaction before, with the table of the function, then some whose operations are noted. */
static void transactions_note(void)
{
	struct profile *profile = open_to_add();

	begin(profile);
	add(profile, "_f", 3, 1, ROWS);
	profile_close(profile);
	stored_read("p.fathom", &first);
	note_begin();
	profile = open_to_add();
	begin(profile);
	for (size_t i = 1; i <= TRANSACTIONS; i++) {
		add(profile, "_f", 3, (int64_t)(i * ROWS), ROWS);
		noted.committed = i;
	}
	profile_close(profile);
	note_end();
	assert_true(noted.n > TRANSACTIONS * 5);
}

static void a_writer_killed_between_two_writes_leaves_whole_transactions(void **state)
{
	(void)state;
	transactions_note();
	for (size_t n = 0; n <= noted.n; n++) {
		storage_restore(n, false);
		storage_check(n, false);
	}
	notes_free();
}

static void after_a_loss_of_power_what_was_synced_is_there(void **state)
{
	const unsigned draws = drawn(4 * DRAWS);

	(void)state;
	random_state = 28;
	transactions_note();
	for (size_t n = 0; n <= noted.n; n++)
		for (unsigned i = 0; i < draws; i++) {
			storage_restore(n, true);
			storage_check(n, true);
		}
	notes_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_writer_killed_between_two_writes_leaves_whole_transactions),
		IN_FOLDER(after_a_loss_of_power_what_was_synced_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
