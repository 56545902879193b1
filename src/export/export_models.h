/*
 * Exports models of a profile as pictures (--plots) and as an HTML page (--html).
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "cli/options.h"
#include "profile/profile.h"

/*
 * Export the functions and metrics of @options. Models are made once for both, with one function's
 * samples at a time in memory. Notes go to standard error. @path: the profile's. ERR_NOT_FOUND: no
 * models; ERR_USAGE: would overwrite a file that is not ours; ERR_IO; ERR_FORMAT of the profile.
 */
bool export_models(struct profile *profile, const char *path, const struct options *options,
		   struct err *err);
