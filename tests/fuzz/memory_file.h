/* A database file in memory that SQLite opens by its path, to read: without the system's calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* From now on @path, which must be absolute, is such a file, empty yet. Once in a process. */
void memory_file_make(const char *path);
bool memory_file_is(const char *path);
/*
 * What it holds: the caller's, until the next call. Its header gets another change counter, so that
 * connections that have it open see that it is another. None may be in a transaction.
 */
void memory_file_set(unsigned char *bytes, size_t n);
