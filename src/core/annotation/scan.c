/* Scanning the annotation language; the parsers know what tokens mean. */
#include "scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "quote_head.h"
#include "string_literal.h"

enum { NUMBER_MAX = 64, SHOWN_MAX = 24 };

void scan_deinit(struct scanner *scanner)
{
	free(scanner->comments);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool continues_name(char c)
{
	return begins_name(c) || scan_is_digit(c);
}

const char *scan_text(struct scanner *scanner, const char *from, const char *to)
{
	char *text = arena_alloc(scanner->arena, to - from + 1);
	size_t n = 0;

	for (; from < to; from++) {
		bool space = is_space(*from);

		if (!space)
			text[n++] = *from ? *from : '?';
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	}
	if (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	return text;
}

static void scan_trim(const char **from, const char **to)
{
	while (*from < *to && is_space(**from))
		++*from;
	while (*from < *to && is_space((*to)[-1]))
		--*to;
}

bool scan_quotable(struct scanner *scanner, const char *from, const char *to, const char **ret)
{
	const char *text;

	scan_trim(&from, &to);
	if (!string_literal_is(from, to)) {
		*ret = scan_text(scanner, from, to);
		return true;
	}
	text = string_literal_read(scanner->arena, from, to);
	if (text) {
		*ret = text;
		return true;
	}
	scanner->at = from;
	return scan_refuse(
		scanner,
		"in quotes only \\\", \\\\, \\n, \\t and \\xHH are understood, and no byte is 0");
}

const char *scan_comment_text(struct scanner *scanner, const char *from, const char *to)
{
	const char *text = NULL;

	scan_trim(&from, &to);
	if (string_literal_is(from, to))
		text = string_literal_read(scanner->arena, from, to);
	return text ? text : scan_text(scanner, from, to);
}

static bool is_own_line(const struct scanner *scanner)
{
	const char *before = scanner->at;

	while (before > scanner->start && before[-1] != '\n')
		if (!is_space(*--before))
			return false;
	return true;
}

static void take_comment(struct scanner *scanner)
{
	const char *end = memchr(scanner->at, '\n', scanner->end - scanner->at);
	bool own_line = is_own_line(scanner);

	end = end ? end : scanner->end;
	scanner->comments = mem_grow(scanner->comments, &scanner->capacity, scanner->n_comments + 1,
				     sizeof(*scanner->comments));
	scanner->comments[scanner->n_comments++] =
		(struct comment){scan_text(scanner, scanner->at + 2, end), own_line};
	scanner->at = end;
}

static bool starts_with(const struct scanner *scanner, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(scanner->end - scanner->at) >= n && !memcmp(scanner->at, text, n);
}

void scan_blanks(struct scanner *scanner)
{
	while (scanner->at < scanner->end && is_space(*scanner->at))
		scanner->at++;
}

void scan_space(struct scanner *scanner)
{
	for (;;) {
		scan_blanks(scanner);
		if (!starts_with(scanner, "//"))
			return;
		take_comment(scanner);
	}
}

void scan_drop_comments(struct scanner *scanner)
{
	scanner->n_comments = 0;
}

/* What is at the current place, for people. */
static void scan_describe(const struct scanner *scanner, char ret[4 * SHOWN_MAX])
{
	size_t n = scanner->end - scanner->at;
	size_t shown = 0;

	if (!n) {
		strcpy(ret, "the end of the text");
		return;
	}
	ret[shown++] = '\'';
	if (continues_name(*scanner->at))
		while (shown < n + 1 && shown < SHOWN_MAX &&
		       continues_name(scanner->at[shown - 1])) {
			ret[shown] = scanner->at[shown - 1];
			shown++;
		}
	else
		ret[shown++] = *scanner->at > ' ' && *scanner->at < 0x7f ? *scanner->at : '?';
	ret[shown++] = '\'';
	ret[shown] = '\0';
}

/* Counted from 1, in characters of UTF-8. */
static void scan_find_place(const struct scanner *scanner, size_t *ret_line, size_t *ret_column)
{
	const char *c;

	*ret_line = *ret_column = 1;
	for (c = scanner->start; c < scanner->at; c++)
		if (*c == '\n') {
			++*ret_line;
			*ret_column = 1;
		} else if ((*c & 0xc0) != 0x80) {
			++*ret_column;
		}
}

bool scan_fail(struct scanner *scanner, const char *expected)
{
	char found[4 * SHOWN_MAX];
	size_t line, column;

	scan_find_place(scanner, &line, &column);
	scan_describe(scanner, found);
	return err_set(scanner->err, ERR_FORMAT, "line %zu, column %zu: expected %s, found %s",
		       line, column, expected, found);
}

bool scan_refuse(struct scanner *scanner, const char *why)
{
	size_t line, column;

	scan_find_place(scanner, &line, &column);
	return err_set(scanner->err, ERR_FORMAT, "line %zu, column %zu: %s", line, column, why);
}

bool scan_accept(struct scanner *scanner, const char *text)
{
	scan_space(scanner);
	if (!starts_with(scanner, text))
		return false;
	scanner->at += strlen(text);
	return true;
}

bool scan_expect(struct scanner *scanner, const char *text)
{
	char quoted[32];

	if (scan_accept(scanner, text))
		return true;
	snprintf(quoted, sizeof(quoted), "'%s'", text);
	return scan_fail(scanner, quoted);
}

bool scan_accept_word(struct scanner *scanner, const char *text)
{
	size_t n = strlen(text);

	scan_space(scanner);
	if (!starts_with(scanner, text) ||
	    (scanner->at + n < scanner->end && continues_name(scanner->at[n])))
		return false;
	scanner->at += n;
	return true;
}

bool scan_is_name(struct scanner *scanner)
{
	scan_space(scanner);
	return scanner->at < scanner->end && begins_name(*scanner->at);
}

bool scan_name(struct scanner *scanner, const char **ret)
{
	const char *from;

	if (!scan_is_name(scanner))
		return scan_fail(scanner, "a name");
	from = scanner->at;
	while (scanner->at < scanner->end && continues_name(*scanner->at))
		scanner->at++;
	*ret = scan_text(scanner, from, scanner->at);
	return true;
}

bool scan_is_number(struct scanner *scanner)
{
	const char *at;

	scan_space(scanner);
	at = scanner->at;
	if (at < scanner->end && *at == '.')
		at++;
	return at < scanner->end && scan_is_digit(*at);
}

/* Digits with an optional point and exponent. */
static const char *number_end(const struct scanner *scanner)
{
	const char *at = scanner->at;
	const char *exponent;

	while (at < scanner->end && (scan_is_digit(*at) || *at == '.'))
		at++;
	if (at == scanner->end || (*at != 'e' && *at != 'E'))
		return at;
	exponent = at + 1;
	if (exponent < scanner->end && (*exponent == '-' || *exponent == '+'))
		exponent++;
	if (exponent == scanner->end || !scan_is_digit(*exponent))
		return at;
	for (at = exponent; at < scanner->end && scan_is_digit(*at);)
		at++;
	return at;
}

bool scan_number(struct scanner *scanner, double *ret)
{
	char text[NUMBER_MAX];
	const char *end;
	char *stop;

	if (!scan_is_number(scanner))
		return scan_fail(scanner, "a number");
	end = number_end(scanner);
	if (end - scanner->at >= NUMBER_MAX)
		return scan_refuse(scanner, "a number with so many digits is not understood");
	memcpy(text, scanner->at, end - scanner->at);
	text[end - scanner->at] = '\0';
	*ret = strtod(text, &stop);
	if (*stop || (end < scanner->end && continues_name(*end)))
		return scan_fail(scanner, "a number");
	if (!isfinite(*ret))
		return scan_refuse(scanner, "the number is too large");
	scanner->at = end;
	return true;
}

/*
 * Behind the quoted text at @at; @at if there is none. Once a quote does not end on its line, no
 * later one of its kind there does.
 */
static const char *pass_quoted(struct scanner *scanner, const char *at)
{
	const char **lone = &scanner->lone[*at == '"'];
	const char *behind;

	if ((*at != '\'' && *at != '"') || (*lone && at < *lone))
		return at;
	behind = string_literal_end(at, scanner->end);
	if (behind > at)
		return behind;
	*lone = memchr(at, '\n', scanner->end - at);
	*lone = *lone ? *lone : scanner->end;
	return at;
}

/* Printing joins lines, so an unpaired quote here must not pair up then. */
const char *scan_until(struct scanner *scanner, const char *ends)
{
	const char *at = scanner->at;
	bool is_lone = false;
	int depth = 0;

	for (; at < scanner->end; at++) {
		const char *behind = pass_quoted(scanner, at);

		if (*at && depth <= 0 && strchr(ends, *at))
			return at > scanner->at ? at : NULL;
		if (behind > at) {
			at = behind - 1;
		} else if (*at == '\'' || *at == '"') {
			is_lone = true;
		} else if (*at == '\n' && is_lone) {
			return NULL;
		} else if (*at && strchr("([{<", *at)) {
			depth++;
		} else if ((*at && strchr(")]}", *at)) ||
			   (*at == '>' && at > scanner->at && at[-1] != '-')) {
			depth--;
		}
	}
	return NULL;
}

const char *scan_find_metric(const struct scanner *scanner, struct scan_metric *ret)
{
	struct scanner behind = *scanner;
	const char *at;

	for (at = scanner->at; at < scanner->end; at++) {
		if (*at != '.')
			continue;
		ret->metric = quote_head_metric(at + 1, scanner->end, &ret->place, &behind.at);
		if (ret->metric == METRIC_COUNT)
			continue;
		ret->place_length = (size_t)(behind.at - ret->place);
		scan_blanks(&behind);
		if (behind.at < behind.end && *behind.at == '{') {
			ret->end = behind.at + 1;
			return at;
		}
	}
	return NULL;
}

bool scan_is_budget(const struct scanner *scanner)
{
	static const char word[] = "budget";
	const size_t n = sizeof(word) - 1;

	return (size_t)(scanner->end - scanner->at) > n && !memcmp(scanner->at, word, n) &&
	       (scanner->at[n] == ' ' || scanner->at[n] == '\t');
}

static bool continues_function(const char *at)
{
	return continues_name(*at) || (*at && strchr(":~$", *at));
}

const char *scan_function_end(const struct scanner *scanner)
{
	const char *at = scanner->at;
	int depth = 0;

	for (; at < scanner->end; at++) {
		if (*at == '\n' || !*at)
			break;
		if (*at == '<' || *at == '(' || (*at == '{' && depth))
			depth++;
		else if (*at == '>' || *at == ')' || (*at == '}' && depth))
			depth--;
		else if (!depth && !continues_function(at))
			break;
		if (depth < 0)
			break;
	}
	return depth <= 0 ? at : scanner->at;
}
