/* Strings of the annotation language: where they end, and their values. quote.c writes them. */
#include "string_literal.h"

#include <string.h>

const char *string_literal_end(const char *at, const char *end)
{
	const char *c = at + 1;

	if (at >= end || (*at != '\'' && *at != '"'))
		return at;
	while (c < end && *c != *at && *c != '\n')
		c += *c == '\\' && c + 1 < end && c[1] != '\n' ? 2 : 1;
	return c < end && *c == *at ? c + 1 : at;
}

bool string_literal_is(const char *from, const char *to)
{
	return from < to && *from == '"' && string_literal_end(from, to) == to;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)((at - digits) % 16) : -1;
}

/* Decode the escape behind the backslash at @*at and move behind it; 0: wrong. */
static char read_escape(const char **at, const char *to)
{
	const char *c = *at + 1;
	int high, low;

	*at += 2;
	if (*c == 'n')
		return '\n';
	if (*c == 't')
		return '\t';
	if (*c == '"' || *c == '\\')
		return *c;
	if (*c != 'x' || to - c < 3)
		return '\0';
	high = hex_digit(c[1]);
	low = hex_digit(c[2]);
	*at += 2;
	return high >= 0 && low >= 0 ? (char)(16 * high + low) : '\0';
}

const char *string_literal_read(struct arena *arena, const char *from, const char *to)
{
	char *text = arena_alloc(arena, to - from);
	size_t n = 0;

	from++;
	to--;
	while (from < to) {
		if (*from != '\\') {
			text[n++] = *from ? *from : '?';
			from++;
			continue;
		}
		text[n] = read_escape(&from, to);
		if (!text[n++])
			return NULL;
	}
	text[n] = '\0';
	return text;
}
