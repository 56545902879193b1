/* Several runs of one program, each a process of its own, in one profile. */
#pragma once

#include "cli/options.h"

struct run_series {
	char *profile; /* path; in the caller's arena, as is the next */
	char *folder;  /* of a temporary profile; NULL: it is kept */
	struct arena *arena;
	const char *place; /* the folder that the program runs in; NULL: ours. The caller's */
};

/*
 * Where their samples go: the file of -o, which must be new since each of its runs counts, or a
 * temporary one. ERR_USAGE, ERR_IO.
 */
bool run_series_open(const struct options *options, struct arena *arena, struct run_series *ret,
		     struct err *err);

/*
 * Measure options->runs runs of @program, each with another layout; an interrupt ends that early.
 * Runs in which it failed are told. Errors of run_apart(); ERR_NOT_FOUND: interrupted before any.
 */
bool run_series_measure(struct run_series *series, const struct options *options, char **program,
			struct err *err);

/* Removes a temporary profile. All zero is fine. */
void run_series_close(struct run_series *series);

/* Tell of the last @most runs in the profile @path in which the program, @name, failed. */
bool run_series_say_failures(const char *path, const char *name, size_t most, struct err *err);
