/* One watch, from its options to its end. */
#pragma once

#include "cli/options.h"

/*
 * Watch as @options say, until an interrupt, the end of --for, or that of all processes, if they
 * have no name. @measure is `fathom attach`, called in processes of their own. *@ret_status is the
 * exit status. ERR_USAGE, ERR_IO, ERR_FORMAT.
 */
bool watch_run(const struct options *options, int (*measure)(const struct options *options),
	       int *ret_status, struct err *err);
