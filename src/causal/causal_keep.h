/* Experiments in a profile: they go on from what was tried before with the same settings. */
#pragma once

#include "causal_profile.h"

/*
 * *@ret: what the profile of -o has of these settings, to be owned; NULL: nothing. ERR_USAGE: it is
 * of another build of the program; errors of profile_open().
 */
bool causal_keep_load(const struct causal_profile *profile, struct experiments **ret,
		      struct err *err);

/* What was tried goes into the profile, with what it had before. Does nothing without -o. */
bool causal_keep_save(const struct causal_profile *profile, struct err *err);
