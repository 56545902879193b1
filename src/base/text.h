/* Text: strings that grow, and safe printing of text from outside. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* A string that grows; all zero is empty. `bytes` is NULL or ends with a zero byte. */
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
 * The length in bytes of the printable UTF-8 character at @at; 0: a control character (C0, DEL,
 * C1), a byte that is not UTF-8, or the end.
 */
size_t text_printable_length(const char *at);

/* Print @text so that a terminal sees printable characters only: all other bytes become '?'. */
void text_print_safe(FILE *out, const char *text);

/* The same, of at most @most characters; "..." stands for the rest. */
void text_print_some(FILE *out, const char *text, size_t most);

/*
 * Print @n bytes (another one follows, a NUL) in double quotes, as gdb does: what is no text is
 * escaped.
 */
void text_print_quoted(FILE *out, const char *bytes, size_t n);
