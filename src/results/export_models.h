/*
 * Models of a profile as pictures, and as a page.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"
#include "profile/profile.h"

/*
 * Write what --plots and --html of @options ask for, of the functions and metrics that it asks for.
 * Models are made once for both; samples of one function at a time are in memory. A page is there
 * as a whole, or not at all; notes go to standard error. @path: the profile's. ERR_NOT_FOUND: there
 * are none; ERR_IO, ERR_USAGE.
 */
bool export_models(struct profile *profile, const char *path, const struct options *options,
		   struct err *err);
