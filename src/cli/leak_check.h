/*
 * Refuses programs whose leak detector fails under any tracer, before they are launched.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/*
 * Is the program @path unharmed by a tracer, in the environment of this process? ERR_UNSUPPORTED,
 * with what to do.
 */
bool leak_check(const char *path, struct err *err);
