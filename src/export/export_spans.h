/* Exports calls as spans of time: for viewers of traces (--otlp), one as a picture (--timeline). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/options.h"
#include "profile/profile.h"

/* The selected calls, and whoever worked for them. ERR_NOT_FOUND: there are none; ERR_IO. */
bool export_spans_otlp(const struct options *options, struct profile *profile, FILE *out,
		       struct err *err);
/* Of the selected calls the longest, of those that others worked for if there are any. */
bool export_spans_timeline(const struct options *options, struct profile *profile, FILE *out,
			   struct err *err);
