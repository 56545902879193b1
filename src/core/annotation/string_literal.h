/*
 * Strings within annotations: in double quotes, with the escapes
 *
 *   \"  \\  \n  \t  \xHH
 *
 * where the last one is a byte, never 0.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/*
 * Behind what is in single or double quotes and begins at @at; @at if there is no such thing, or it
 * does not end on its line.
 */
const char *string_literal_end(const char *at, const char *end);

/* Is all from @from to @to one string? Its escapes may be wrong. */
bool string_literal_is(const char *from, const char *to);

/* What the string means, in @arena; NULL: an escape is wrong. */
const char *string_literal_read(struct arena *arena, const char *from, const char *to);
