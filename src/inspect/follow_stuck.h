/*
 * A process that is stuck: the innermost measured call of each thread is taken over and followed
 * until it returns.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"

struct recovery;

/*
 * fathom attach --stuck. ERR_NOT_FOUND: there is nothing to follow; errors of ptrace_access.h;
 * ERR_IO, ERR_FORMAT of files.
 */
bool follow_stuck_run(const struct options *options, struct recovery *guard, struct err *err);
