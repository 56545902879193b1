/*
 * How samples were measured, as a key: the program's name, and a hash of its arguments, of the
 * metrics, the processor and the build command. Only samples of equal keys are compared by history.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* Of the profile @path; @build: a command line, NULL: none. ERR_IO, ERR_FORMAT. */
bool measured_key(const char *path, const char *build, struct arena *arena, const char **ret,
		  struct err *err);
