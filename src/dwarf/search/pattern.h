/*
 * Patterns: how users name functions.
 *
 * `NAME`, `FILE.c:NAME`, `LIBRARY.so:NAME`, where core/cxx_name.h says what NAME matches. The part
 * before the last single colon is a library if it contains ".so" or is the path of an ELF file;
 * else a source file: the end of its path after a slash, or a glob for that.
 *
 * `FILE.c:LINE..LINE` and `usdt:PROVIDER:PROBE..PROBE` name blocks: parts of functions.
 * `usdt:PROVIDER:PROBE` is one that lasts until the probe is passed again or its function is left.
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
	const char *library; /* NULL: the executable, then its libraries */
	const char *plain;   /* the function's plain name; NULL: any */
	size_t n_plain;
	bool glob;
	const char *block_end; /* of a block: behind the dots of its name; NULL: a function's */
	bool is_lone_probe;    /* a block between a probe and itself, or the end of its function */
	unsigned first_line, last_line; /* of such a block; 0: between probes */
};

/* @given is borrowed; the rest lives in @arena. */
void pattern_parse(const char *given, struct arena *arena, struct pattern *ret);

/* Does the pattern match source file @path (NULL: unknown)? */
bool pattern_has_source(const struct pattern *pattern, const char *path);

/* Does the pattern's library match the file @path? */
bool pattern_has_library(const struct pattern *pattern, const char *path);

/*
 * @path without ".", "dir/.." and leading "../", in @arena: equal for units that were compiled in
 * different folders.
 */
const char *pattern_clean_path(const char *path, struct arena *arena);
