/*
 * Which texts read back as they stand is asked of the scanner that will read them, so that both cannot differ. What a
 * text means is others' matter.
 */
#include "core/annotation_quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/annotation_scan.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

const char *quote_end(const char *at, const char *end)
{
	const char *c = at + 1;

	if (at >= end || (*at != '\'' && *at != '"'))
		return at;
	while (c < end && *c != *at && *c != '\n')
		c += *c == '\\' && c + 1 < end && c[1] != '\n' ? 2 : 1;
	return c < end && *c == *at ? c + 1 : at;
}

bool quote_is_string(const char *from, const char *to)
{
	return from < to && *from == '"' && quote_end(from, to) == to;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)((at - digits) % 16) : -1;
}

/* The escape behind the backslash at @*at, which moves behind it; 0: it is none. */
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

const char *quote_read(struct arena *arena, const char *from, const char *to)
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

static void print_byte(unsigned char byte, FILE *out)
{
	if (byte == '\n' || byte == '\t')
		fputs(byte == '\n' ? "\\n" : "\\t", out);
	else
		fprintf(out, "\\x%02x", byte);
}

void quote_print_string(const char *text, FILE *out)
{
	const char *at = text;

	fputc('"', out);
	while (*at) {
		size_t n = text_printable_length(at);

		if (!n || (*at == ' ' && at > text && at[-1] == ' '))
			print_byte(*at, out);
		else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else
			fwrite(at, 1, n, out);
		at += n ? n : 1;
	}
	fputc('"', out);
}

/* Printable, neither empty nor with blanks that a reader drops. */
static bool is_tidy(const char *text)
{
	const char *at = text;

	while (*at) {
		size_t n = text_printable_length(at);

		if (!n || (*at == ' ' && (at == text || at[1] == ' ' || !at[1])))
			return false;
		at += n;
	}
	return at > text;
}

/* One that does not would pair with a quote behind the text. */
static bool quotes_end(const char *text)
{
	const char *end = text + strlen(text);

	for (; text < end; text++) {
		const char *behind = quote_end(text, end);

		if (behind > text)
			text = behind - 1;
		else if (*text == '\'' || *text == '"')
			return false;
	}
	return true;
}

/* Does a reader that stops at @ends find all of @text, with the first of them behind it? */
static bool reaches(const char *text, const char *ends)
{
	const size_t n = strlen(text);
	char *copy = mem_alloc(n + 1);
	struct scanner scanner = {.start = copy, .at = copy, .end = copy + n + 1};
	bool ok;

	memcpy(copy, text, n);
	copy[n] = *ends;
	ok = quotes_end(text) && scan_until(&scanner, ends) == copy + n;
	free(copy);
	return ok;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static bool reads_in_place(const char *text, enum quote_place place)
{
	const char *end = text + strlen(text);
	const struct scanner scanner = {.start = text, .at = text, .end = end};

	switch (place) {
	case QUOTE_EXPRESSION:
		return reaches(text, ";");
	case QUOTE_SYMBOL: /* no number */
		return *text != '-' && !is_digit(text[*text == '.']) && reaches(text, "]&;\n");
	case QUOTE_ALIAS: /* not "and 3 more" */
		return !ends_with(text, " more") && reaches(text, ",");
	case QUOTE_REFERENCE:
		return scan_function_end(&scanner) == end;
	case QUOTE_COMMENT:
		return true;
	}
	return false;
}

/* Wherever it stands. */
static bool is_plain(const char *text)
{
	return is_tidy(text) && strncmp(text, "//", 2) != 0 &&
	       !quote_is_string(text, text + strlen(text));
}

void quote_print(const char *text, enum quote_place place, FILE *out)
{
	if (is_plain(text) && reads_in_place(text, place))
		fputs(text, out);
	else
		quote_print_string(text, out);
}

static bool reads_as_head(const char *function, enum metric metric)
{
	const size_t n = strlen(function);
	struct text head = {.n = 0};
	struct scanner scanner = {.at = NULL};
	enum metric found;
	const char *end;
	bool ok;

	text_add(&head, function, n);
	text_add_string(&head, ".");
	text_add_string(&head, metric_info(metric)->keyword);
	text_add_string(&head, " {");
	scanner.start = scanner.at = head.bytes;
	scanner.end = head.bytes + head.n;
	ok = scan_find_metric(&scanner, &found, &end) == head.bytes + n;
	text_deinit(&head);
	return ok;
}

void quote_print_head(const char *function, enum metric metric, FILE *out)
{
	if (is_plain(function) && reads_as_head(function, metric))
		fputs(function, out);
	else
		quote_print_string(function, out);
}
