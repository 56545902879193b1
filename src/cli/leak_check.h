/*
 * Detects programs whose leak detector fails under any tracer.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/*
 * Can the program @path be launched under a tracer without harm, with the environment of this
 * process? ERR_UNSUPPORTED with what to do.
 */
bool leak_check(const char *path, struct err *err);
