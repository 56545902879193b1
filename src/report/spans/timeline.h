/* The time line of one call, with the calls within it and of those who worked for it, as SVG. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/figure/spans.h"

enum { TIMELINE_MOST = 200 }; /* bars; the caption says how many more there are */

/* Of @spans, arranged, the one with index @root and all below it. ERR_IO. */
bool timeline_print(const struct spans *spans, size_t root, FILE *out, struct err *err);
