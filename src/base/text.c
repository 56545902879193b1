/*
 * Strings that grow, and printing of untrusted text as safe UTF-8; callers know what the text
 * means.
 */
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

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

/* Rejects overlong forms, surrogates and code points beyond Unicode. */
static bool is_second_byte(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0;
	case 0xed:
		return second <= 0x9f;
	case 0xf0:
		return second >= 0x90;
	case 0xf4:
		return second <= 0x8f;
	}
	return true;
}

size_t text_printable_length(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	const size_t n = sequence_length(*at);

	if (n == 1)
		return *at >= 0x20 && *at != 0x7f;
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((at[0] == 0xc2 && at[1] < 0xa0) || !is_second_byte(at[0], at[1]))
		return 0;
	return n;
}

void text_print_safe(FILE *out, const char *text)
{
	text_print_some(out, text, SIZE_MAX);
}

void text_print_some(FILE *out, const char *text, size_t most)
{
	for (size_t i = 0; *text && i < most; i++) {
		size_t n = text_printable_length(text);

		if (n)
			fwrite(text, 1, n, out);
		else
			fputc('?', out);
		text += n ? n : 1;
	}
	if (*text)
		fputs("...", out);
}

void text_print_quoted(FILE *out, const char *bytes, size_t n)
{
	static const char letters[] = "abtnvfr"; /* of \a to \r */
	size_t size;

	fputc('"', out);
	for (size_t i = 0; i < n; i += size) {
		const unsigned char byte = (unsigned char)bytes[i];

		size = text_printable_length(bytes + i);
		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (size && size <= n - i)
			fwrite(bytes + i, 1, size, out);
		else if (byte >= '\a' && byte <= '\r')
			fprintf(out, "\\%c", letters[byte - '\a']);
		else
			fprintf(out, "\\%03o", byte);
		size = size && size <= n - i ? size : 1;
	}
	fputc('"', out);
}
