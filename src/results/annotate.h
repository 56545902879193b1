/*
 * From a profile to printed annotations: what `run` does at its end and `annotate` does alone.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "selected_functions.h"
#include "cli/options.h"
#include "cli/output.h"
#include "profile/profile.h"

/*
 * Build and print the annotations of all functions of @profile (of @filter if it is not NULL, else
 * of the patterns of @options). ERR_NOT_FOUND if a pattern of @options names no function; ERR_IO if
 * the report cannot be written.
 */
bool annotate_profile(struct profile *profile, const struct options *options,
		      const struct chosen_filter *filter, const struct output *output,
		      struct err *err);
