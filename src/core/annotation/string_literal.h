/*
 * Strings within annotations, in double quotes, with the escapes \" \\ \n \t and \xHH, a byte other
 * than 0.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/*
 * Behind the text in single or double quotes that begins at @at; @at if there is none or it does
 * not end on its line.
 */
const char *string_literal_end(const char *at, const char *end);

/* Is @from to @to one string, perhaps with wrong escapes? */
bool string_literal_is(const char *from, const char *to);

/* The string's value, in @arena; NULL: a wrong escape. */
const char *string_literal_read(struct arena *arena, const char *from, const char *to);
