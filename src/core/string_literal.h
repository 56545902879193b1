/*
 * Strings within annotations: in double quotes, with the escapes
 *
 *   \"  \\  \n  \t  \xHH
 *
 * where the last one is a byte, never 0.
 */
#ifndef FATHOM_CORE_STRING_LITERAL_H
#define FATHOM_CORE_STRING_LITERAL_H

#include <stdbool.h>

#include "base/mem.h"

/*
 * Behind what is in single or double quotes and begins at @at; @at if there is no such thing, or it
 * does not end on its line.
 */
const char *quote_end(const char *at, const char *end);

/* Is all from @from to @to one string? Its escapes may be wrong. */
bool quote_is_string(const char *from, const char *to);

/* What the string means, in @arena; NULL: an escape is wrong. */
const char *quote_read(struct arena *arena, const char *from, const char *to);

#endif
