/* Private to report/: text and numbers within XML and HTML. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/*
 * @text, escaped for elements and attributes in double quotes. Newlines stay, control characters
 * become their pictures, what is not UTF-8, no character of XML or turns the direction of writing
 * U+FFFD.
 */
void xml_print(const char *text, FILE *out);

/*
 * The same of its first @most characters at most; what is left out becomes an ellipsis. Newlines
 * become their pictures, too.
 */
void xml_print_short(const char *text, size_t most, FILE *out);

/* The characters of @text, as the above count them. */
size_t xml_length(const char *text);

/* A coordinate in px, to a tenth; what is far out, or no number, stays within ten thousand. */
void xml_print_px(double px, FILE *out);
