/* The run that a merged profile is of: that of the client. Private to merge/. */
#pragma once

#include "profile/profile.h"

/*
 * Begin, in a temporary profile, a run like the last one of the profile @path; costs in it are
 * resolved as in @like.
 */
bool merge_run_begin(const char *path, const struct samples *like, struct profile **ret,
		     struct err *err);
