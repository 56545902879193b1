/*
 * What `fathom history run` measures: .fathom/config. Lines of a name, '=' and a value; '#' begins
 * a comment. `build` is a command line for the shell; each `program` begins a measurement, which
 * `argument`, `function` (one each, as often as needed), `metrics` and `runs` belong to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct watched_program {
	char **words; /* program and arguments, NULL at the end */
	size_t n_words;
	const char **functions;
	size_t n_functions;
	const char *metrics; /* as in -m; NULL: time */
	unsigned runs;       /* 0: the default */
};

struct watched {
	const char *build; /* NULL: none */
	struct watched_program *programs;
	size_t n;
};

/* Read @path; a file that is not there is empty. ERR_IO; ERR_FORMAT: a line, and what is right. */
bool watched_read(const char *path, struct arena *arena, struct watched *ret, struct err *err);
