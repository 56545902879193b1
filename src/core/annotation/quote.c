/*
 * Quoting. The scanner that will read a text back decides whether it needs quotes, so that printer
 * and parser cannot disagree.
 */
#include "quote.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "quote_head.h"
#include "scan.h"
#include "string_literal.h"

static bool quote_is_digit(char c)
{
	return c >= '0' && c <= '9';
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
			print_byte((unsigned char)*at, out);
		else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else
			fwrite(at, 1, n, out);
		at += n ? n : 1;
	}
	fputc('"', out);
}

/* Printable, not empty, and without blanks that a reader drops? */
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

/* Do all quotes end? An open one would pair with a quote behind the text. */
static bool quotes_end(const char *text)
{
	const char *end = text + strlen(text);

	for (; text < end; text++) {
		const char *behind = string_literal_end(text, end);

		if (behind > text)
			text = behind - 1;
		else if (*text == '\'' || *text == '"')
			return false;
	}
	return true;
}

/* Does a reader that stops at any of @ends read all of @text? */
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

static bool quote_ends_with(const char *text, const char *end)
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
	case QUOTE_SYMBOL: /* not a number */
		return *text != '-' && !quote_is_digit(text[*text == '.']) &&
		       reaches(text, "]&;\n");
	case QUOTE_ALIAS: /* not "and 3 more" */
		return !quote_ends_with(text, " more") && reaches(text, ",");
	case QUOTE_REFERENCE:
		return scan_function_end(&scanner) == end;
	case QUOTE_COMMENT:
		return true;
	}
	return false;
}

/* The conditions for no quotes that hold in every place. */
static bool quote_is_plain(const char *text)
{
	return is_tidy(text) && strncmp(text, "//", 2) != 0 &&
	       !string_literal_is(text, text + strlen(text));
}

void quote_print(const char *text, enum quote_place place, FILE *out)
{
	if (quote_is_plain(text) && reads_in_place(text, place))
		fputs(text, out);
	else
		quote_print_string(text, out);
}

/* The function's name is @n bytes of @head. */
static bool reads_as_head(const char *head, size_t n)
{
	const struct scanner scanner = {.start = head, .at = head, .end = head + strlen(head)};
	struct scan_metric found;

	return !scan_is_budget(&scanner) && scan_find_metric(&scanner, &found) == head + n;
}

void quote_print_head(const char *function, enum metric metric, FILE *out)
{
	struct arena *arena = arena_create();
	const char *name = quote_head(arena, function, metric);

	if (quote_is_plain(function) &&
	    reads_as_head(arena_printf(arena, "%s {", name), quote_head_length(function))) {
		fputs(name, out);
	} else {
		quote_print_string(function, out);
		fprintf(out, ".%s", metric_info(metric)->keyword);
	}
	arena_destroy(arena);
}
