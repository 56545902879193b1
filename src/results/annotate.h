/*
 * From a profile to printed annotations: the whole of `annotate`, and the end of `run`.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "selected_functions.h"
#include "cli/options.h"
#include "cli/output.h"
#include "profile/profile.h"

/*
 * Build and print the annotations of the functions that @filter (NULL: -f of @options) selects.
 * With @filter, at the end of a measurement, conclusions follow on standard error.
 * ERR_NOT_FOUND: none has samples; ERR_USAGE: interrupted; ERR_IO; ERR_FORMAT of the profile.
 */
bool annotate_profile(struct profile *profile, const struct options *options,
		      const struct chosen_filter *filter, struct output *output, struct err *err);
