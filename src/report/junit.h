/* Checks and diffs as JUnit XML, for test servers. */
#pragma once

#include "base/err.h"
#include "core/verdict/check.h"
#include "core/verdict/diff.h"

/* One test case for each annotation. ERR_IO. */
bool json_check_junit(const struct check *check, FILE *out, struct err *err);

/* One test case for each function and metric, failed if worse. ERR_IO. */
bool json_diff_junit(const struct diff *diff, FILE *out, struct err *err);
