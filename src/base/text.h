/*
 * Text: strings that grow, and printing text that came from outside.
 */
#ifndef FATHOM_BASE_TEXT_H
#define FATHOM_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* A string that grows. All zero is the empty one; `bytes` is NULL or ends with a zero byte. */
struct text {
	char *bytes;
	size_t n; /* without the zero byte */
	size_t capacity;
};

void text_deinit(struct text *text);
void text_add(struct text *text, const char *bytes, size_t n);
void text_add_string(struct text *text, const char *string);
void text_cut(struct text *text, size_t n); /* shorten to @n bytes */

/*
 * Print @text, which may hold anything, so that a terminal only sees printable characters: control
 * characters (C0, DEL, C1) and bytes that are not UTF-8 become '?'.
 */
void text_print_safe(FILE *out, const char *text);

#endif
