/*
 * Exports models of a profile as pictures and as an HTML page.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"
#include "profile/profile.h"

/*
 * Write --plots and --html for the functions and metrics of @options. Models are made once for
 * both, with the samples of one function at a time in memory. The page is written atomically; notes
 * go to standard error. @path: the profile's. ERR_NOT_FOUND: no models; ERR_IO, ERR_USAGE.
 */
bool export_models(struct profile *profile, const char *path, const struct options *options,
		   struct err *err);
