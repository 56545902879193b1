/* The default file system of SQLite, but for one file. It has no journal and nobody else uses it. */
#include "memory_file.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

static struct {
	sqlite3_vfs vfs;
	sqlite3_vfs *others;
	const char *path;
	const unsigned char *bytes;
	size_t n;
} memory;

static int memory_read(sqlite3_file *file, void *to, int n, sqlite3_int64 from)
{
	const size_t at = (size_t)from;
	const size_t left = at < memory.n ? memory.n - at : 0;

	(void)file;
	if (left >= (size_t)n) {
		memcpy(to, memory.bytes + at, (size_t)n);
		return SQLITE_OK;
	}
	memset(to, 0, (size_t)n);
	if (left)
		memcpy(to, memory.bytes + at, left);
	return SQLITE_IOERR_SHORT_READ;
}

static int memory_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 to)
{
	(void)file, (void)from, (void)n, (void)to;
	return SQLITE_READONLY;
}

static int memory_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	(void)file, (void)size;
	return SQLITE_READONLY;
}

static int memory_size(sqlite3_file *file, sqlite3_int64 *ret)
{
	(void)file;
	*ret = (sqlite3_int64)memory.n;
	return SQLITE_OK;
}

static int memory_agree(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

static int memory_agree_to(sqlite3_file *file, int what)
{
	(void)file, (void)what;
	return SQLITE_OK;
}

static int memory_is_reserved(sqlite3_file *file, int *ret)
{
	(void)file;
	*ret = 0;
	return SQLITE_OK;
}

static int memory_control(sqlite3_file *file, int what, void *argument)
{
	(void)file, (void)what, (void)argument;
	return SQLITE_NOTFOUND;
}

static int memory_none(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static const sqlite3_io_methods memory_methods = {
	.iVersion = 1,
	.xClose = memory_agree,
	.xRead = memory_read,
	.xWrite = memory_write,
	.xTruncate = memory_truncate,
	.xSync = memory_agree_to,
	.xFileSize = memory_size,
	.xLock = memory_agree_to,
	.xUnlock = memory_agree_to,
	.xCheckReservedLock = memory_is_reserved,
	.xFileControl = memory_control,
	.xSectorSize = memory_none,
	.xDeviceCharacteristics = memory_none,
};

static int memory_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		       int *ret_flags)
{
	(void)vfs;
	if (!name || strcmp(name, memory.path) != 0)
		return memory.others->xOpen(memory.others, name, file, flags, ret_flags);
	file->pMethods = &memory_methods;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

/* Names that begin like the file's are of its journals, which are not there. */
static bool memory_is_beside(const char *name)
{
	return !strncmp(name, memory.path, strlen(memory.path));
}

static int memory_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	(void)vfs;
	if (!memory_is_beside(name))
		return memory.others->xAccess(memory.others, name, flags, ret);
	*ret = !name[strlen(memory.path)];
	return SQLITE_OK;
}

static int memory_full_name(sqlite3_vfs *vfs, const char *name, int n, char *ret)
{
	(void)vfs;
	if (!memory_is_beside(name))
		return memory.others->xFullPathname(memory.others, name, n, ret);
	snprintf(ret, (size_t)n, "%s", name);
	return SQLITE_OK;
}

void memory_file_make(const char *path)
{
	memory.others = sqlite3_vfs_find(NULL);
	FUZZ_EXPECT(memory.others);
	memory.path = path;
	memory.vfs = *memory.others;
	memory.vfs.zName = "memory file";
	memory.vfs.xOpen = memory_open;
	memory.vfs.xAccess = memory_access;
	memory.vfs.xFullPathname = memory_full_name;
	FUZZ_EXPECT(sqlite3_vfs_register(&memory.vfs, 1) == SQLITE_OK);
}

bool memory_file_is(const char *path)
{
	return memory.path && !strcmp(path, memory.path);
}

/* Source: https://www.sqlite.org/fileformat.html, 1.3.7 and 1.3.15 */
void memory_file_set(unsigned char *bytes, size_t n)
{
	static uint32_t change;

	FUZZ_EXPECT(n >= 100);
	change++;
	memcpy(bytes + 24, &change, sizeof(change));
	memcpy(bytes + 92, &change, sizeof(change));
	memory.bytes = bytes;
	memory.n = n;
}
