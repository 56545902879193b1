/*
 * Results of checks and diffs in the form that test servers read.
 */
#ifndef FATHOM_REPORT_JUNIT_H
#define FATHOM_REPORT_JUNIT_H

#include "base/err.h"
#include "core/check.h"
#include "core/diff.h"

/* A test case an annotation. ERR_IO if @out cannot be written. */
bool junit_check(const struct check *check, FILE *out, struct err *err);

/* A test case a function and metric; it fails if it got worse. ERR_IO. */
bool junit_diff(const struct diff *diff, FILE *out, struct err *err);

#endif
