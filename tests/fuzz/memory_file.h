/* A database file in memory that SQLite opens by its path, to read: without the system's calls. */
#pragma once

#include <stddef.h>

/* From now on @path, which must be absolute, is such a file, empty yet. Once in a process. */
void memory_file_make(const char *path);
/* What it holds: the caller's, until the next call. No connection may have it open. */
void memory_file_set(const unsigned char *bytes, size_t n);
