/*
 * Patterns: how users say which functions they mean.
 *
 * `NAME`, `FILE.c:NAME`, `LIBRARY.so:NAME`, where NAME may be anything that core/cxx_name.h
 * matches. What is before the last single colon is a library if it has ".so" in it or is the path
 * of an ELF file; else a source file: the end of its path from a slash on, or a glob over such an
 * end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct pattern {
	const char *given;
	const char *name;    /* as given, without the file */
	const char *text;    /* canonical */
	const char *source;  /* file, NULL: any */
	const char *library; /* NULL: the executable, then the libraries that it needs */
	const char *plain;   /* the function's plain name; NULL if any will do */
	size_t n_plain;
	bool glob;
};

/* @given is borrowed; the rest lives in @arena. */
void pattern_parse(const char *given, struct arena *arena, struct pattern *ret);

/* Does the pattern mean functions of the source file @path (NULL: not known)? */
bool pattern_has_source(const struct pattern *pattern, const char *path);

/* Does the pattern's library mean the file at @path? */
bool pattern_has_library(const struct pattern *pattern, const char *path);

/*
 * @path without "." and "dir/..", nor any "../" that it starts with: the same for what units that
 * were compiled in several folders write for one file.
 */
const char *pattern_clean_path(const char *path, struct arena *arena);
