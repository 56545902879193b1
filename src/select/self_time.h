/*
 * In which functions two programs spend another time of their own: what a comparison of some of
 * their functions says nothing of.
 */
#pragma once

#include "base/err.h"
#include "cli/options.h"
#include "core/verdict/diff.h"

/*
 * Run @programs, the old and the new, three times each by turns, and sample where their own
 * functions are. Their output is not shown. @ret: results of those whose self time differs by more
 * than 1 % of the program's, and by four deviations of what the number of samples and
 * --run-spread make of it; the largest first, by the names of -f. So unlike Perun's outliers
 * (model/compare/methods.h) one is found among few functions, and many that change alike are.
 * *@ret_samples: how many there were. ERR_IO; ERR_NOT_FOUND: it was interrupted.
 */
bool self_time_differ(const struct options *options, char *const *const programs[2],
		      struct diff *ret, size_t *ret_samples, struct err *err);
