/* Private to report/: text and numbers within XML and HTML. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/*
 * @text, escaped for elements and attributes in double quotes. Keeps newlines; other control
 * characters become their pictures; bytes that are not UTF-8, characters that XML forbids, and
 * those that change the writing direction become U+FFFD.
 */
void xml_print(const char *text, FILE *out);

/*
 * The same for the first @most characters, then an ellipsis. Newlines become their pictures, too.
 */
void xml_print_short(const char *text, size_t most, FILE *out);

/* The number of characters of @text, counted as above. */
size_t xml_length(const char *text);

/* A coordinate in px, to a tenth, clamped to ten thousand; also if not a number. */
void xml_print_px(double px, FILE *out);

/*
 * ERR_IO: why the page @file cannot be written. The write that failed may be long ago: one more
 * tells.
 */
bool xml_fail(FILE *file, struct err *err);
