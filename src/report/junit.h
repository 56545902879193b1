/*
 * Results of checks and diffs in the form that test servers read.
 */
#pragma once

#include "base/err.h"
#include "core/verdict/check.h"
#include "core/verdict/diff.h"

/* A test case an annotation. ERR_IO if @out cannot be written. */
bool json_check_junit(const struct check *check, FILE *out, struct err *err);

/* A test case a function and metric; it fails if it got worse. ERR_IO. */
bool json_diff_junit(const struct diff *diff, FILE *out, struct err *err);
