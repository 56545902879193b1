/*
 * Text: strings that grow, and printing text that came from outside.
 */
#pragma once

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
 * The bytes of the printable character of UTF-8 that @at begins with; 0: it is none, but a control
 * character (C0, DEL, C1), a byte that is not UTF-8, or the end.
 */
size_t text_printable_length(const char *at);

/*
 * Print @text, which may hold anything, so that a terminal only sees printable characters: all
 * other bytes become '?'.
 */
void text_print_safe(FILE *out, const char *text);
