/*
 * The profile that is kept without being asked: fathom.fathom in the current folder. Each
 * measurement begins it anew, and the one before becomes fathom.old.fathom, so that runs never mix;
 * one without samples is not kept.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

#define DEFAULT_PROFILE     "fathom.fathom"
#define DEFAULT_PROFILE_OLD "fathom.old.fathom"

/* Can it be kept here? False: *@err says why not. */
bool default_profile_check(struct err *err);

/*
 * Put the one before aside (one without samples: away), and make an empty file, which *@ret_lock
 * keeps from other measurements until it is closed, which must be after the profile is. ERR_IO.
 */
bool default_profile_begin(int *ret_lock, struct err *err);
