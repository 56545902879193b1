/*
 * Strings that grow, and printing of untrusted text; what the text means is the callers' business.
 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void text_deinit(struct text *text)
{
	free(text->bytes);
	*text = (struct text){0};
}

void text_add(struct text *text, const char *bytes, size_t n)
{
	text->bytes = mem_grow(text->bytes, &text->capacity, text->n + n + 1, 1);
	memcpy(text->bytes + text->n, bytes, n);
	text->n += n;
	text->bytes[text->n] = '\0';
}

void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_cut(struct text *text, size_t n)
{
	if (n >= text->n)
		return;
	text->n = n;
	text->bytes[n] = '\0';
}

static size_t sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* The length of the printable character at @at; 0 if there is none. */
static size_t printable_length(const unsigned char *at)
{
	size_t n = sequence_length(*at);

	if (n == 1)
		return *at >= 0x20 && *at != 0x7f;
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	if (at[0] == 0xc2 && at[1] < 0xa0)
		return 0;
	return n;
}

void text_print_safe(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t n = printable_length(at);

		if (n)
			fwrite(at, 1, n, out);
		else
			fputc('?', out);
		at += n ? n : 1;
	}
}
