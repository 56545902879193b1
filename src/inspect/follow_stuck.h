/*
 * Adopts the innermost measured call of each thread of a stuck process, and follows it until it
 * returns.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"

struct recovery;

/*
 * fathom attach --stuck. ERR_NOT_FOUND: nothing to follow; errors of ptrace_access.h, session.h and
 * catalogue_build(); ERR_USAGE: no process number, or the report would overwrite an input; ERR_IO,
 * ERR_FORMAT of files.
 */
bool follow_stuck_run(const struct options *options, struct recovery *guard, struct err *err);
