/* Private to history/: programs that are run to their end, without a shell between. */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/*
 * Run @argv in @folder (NULL: here), with an empty input; *@ret: what it printed, in @arena. NULL:
 * that goes to standard error. ERR_NOT_FOUND: there is no such program; ERR_IO: it failed, and the
 * last line of what it said.
 */
bool spawned_run(const char *folder, const char *const *argv, struct arena *arena, const char **ret,
		 struct err *err);
