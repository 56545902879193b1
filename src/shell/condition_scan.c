/* The words of conditions: names, units of numbers, symbols. condition_parse.c combines them. */
#include "condition_scan.h"

#include <ctype.h>
#include <string.h>

static const char DEFINED[] = "defined(";

bool condition_scan_fail(const struct condition_parser *parser, const char *expected)
{
	const size_t at = parser->at - parser->start;

	if (!*parser->at)
		return err_set(parser->err, ERR_FORMAT, "%s is missing at the end of the condition",
			       expected);
	return err_set(parser->err, ERR_FORMAT,
		       "%s is missing at character %zu of the condition, before '%.20s'", expected,
		       at + 1, parser->at);
}

void condition_scan_blanks(struct condition_parser *parser)
{
	parser->at += strspn(parser->at, " \t");
}

bool condition_scan_accept(struct condition_parser *parser, const char *text)
{
	condition_scan_blanks(parser);
	if (strncmp(parser->at, text, strlen(text)) != 0)
		return false;
	parser->at += strlen(text);
	return true;
}

bool condition_scan_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Behind the bracket that closes the one at @at; NULL: none. */
static const char *behind_brackets(const char *at)
{
	unsigned depth = 0;

	for (; *at; at++) {
		if (*at == '(' || *at == '[')
			depth++;
		else if ((*at == ')' || *at == ']') && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static const char *behind_word(const char *at)
{
	while (condition_scan_is_word(*at) ||
	       (at[0] == ':' && at[1] == ':' && condition_scan_is_word(at[2])))
		at += *at == ':' ? 2 : 1;
	return at;
}

/* Behind the members, elements and arguments after a name. */
static const char *behind_tail(const char *at)
{
	const char *end;

	for (;;) {
		if (*at == '.' && condition_scan_is_word(at[1]))
			at = behind_word(at + 1);
		else if (at[0] == '-' && at[1] == '>' && condition_scan_is_word(at[2]))
			at = behind_word(at + 2);
		else if ((*at == '[' || *at == '(') && (end = behind_brackets(at)))
			at = end;
		else
			return at;
	}
}

const char *condition_scan_name_end(const char *at)
{
	const char *begin = at + strspn(at, "*&");
	const char *end = begin;

	if (*begin == '(') {
		end = behind_brackets(begin);
		if (!end || behind_tail(end) == end)
			return at;
	} else if (*begin == '\'') {
		end = strchr(begin + 1, '\'');
		end = end && end[1] == ':' && end[2] == ':' ? behind_word(end + 3) : begin;
	} else {
		begin += begin[0] == ':' && begin[1] == ':' ? 2 : 0;
		end = isdigit((unsigned char)*begin) ? begin : behind_word(begin);
	}
	return end == begin ? at : behind_tail(end);
}

static bool is_word_of_ours(const char *word)
{
	return !strcmp(word, "predicted") || !strcmp(word, "elapsed") ||
	       !strcmp(word, "surprising") || !strcmp(word, "true") || !strcmp(word, "false") ||
	       metric_parse_measured(word) != METRIC_COUNT;
}

/* The longest known name at @at, of @n characters or more, as a whole word; NULL: none. */
static const struct condition_feature *find_known(const struct condition_known *known,
						  const char *at, size_t n)
{
	const struct condition_feature *best = NULL;

	for (size_t i = 0; known && i < known->n; i++) {
		const char *name = known->list[i].name;
		const size_t length = strlen(name);

		if (length < n || (best && length <= strlen(best->name)) ||
		    strncmp(at, name, length) != 0 || (length == n && is_word_of_ours(name)) ||
		    (condition_scan_is_word(name[length - 1]) &&
		     condition_scan_is_word(at[length])))
			continue;
		best = &known->list[i];
	}
	return best;
}

bool condition_scan_name(struct condition_parser *parser, const char **ret)
{
	const struct condition_feature *known;
	const char *begin, *end;

	condition_scan_blanks(parser);
	begin = parser->at;
	known = find_known(parser->known, begin, condition_scan_name_end(begin) - begin);
	parser->is_feature = *begin == '`' || known;
	if (known) {
		parser->at = begin + strlen(known->name);
		*ret = known->expression;
		return true;
	}
	if (parser->is_feature) {
		end = strchr(++begin, '`');
		if (!end)
			return condition_scan_fail(parser, "the other backquote");
		parser->at = end + 1;
	} else {
		parser->at = end = condition_scan_name_end(begin);
	}
	if (end == begin)
		return condition_scan_fail(parser, "a number, a feature or a metric");
	*ret = arena_printf(parser->arena, "%.*s", (int)(end - begin), begin);
	return true;
}

bool condition_scan_defined(struct condition_parser *parser)
{
	condition_scan_blanks(parser);
	return !find_known(parser->known, parser->at, strlen(DEFINED)) &&
	       condition_scan_accept(parser, DEFINED);
}

const struct unit *condition_scan_unit(struct condition_parser *parser)
{
	const char *at = parser->at + strspn(parser->at, " \t");
	const size_t n = behind_word(at) - at;
	const struct unit *unit = unit_find(at, n);

	if (!unit || unit->of == UNIT_SHARE)
		return NULL;
	parser->at = at + n;
	return unit;
}

/* The end of a text in double quotes; NULL: it does not end. */
static const char *read_string(struct condition_parser *parser, const char **ret_begin)
{
	const char *end = strchr(parser->at + 1, '"');

	*ret_begin = parser->at + 1;
	parser->at = end ? end + 1 : parser->at;
	return end;
}

/* Behind the name of a class at @at, with its template's arguments. */
static const char *behind_class(const char *at)
{
	const char *end = behind_word(at);
	unsigned depth = 0;

	for (const char *c = end; *c == '<' || depth; c++) {
		depth += *c == '<';
		depth -= *c == '>';
		if (!*c || *c == '&' || *c == '|')
			return end;
		if (!depth)
			return c + 1;
	}
	return end;
}

static const char *read_alone(struct condition_parser *parser, const char **ret_begin)
{
	const char *end = behind_class(parser->at);
	const char *next = end + strspn(end, " \t");

	*ret_begin = parser->at;
	if (isdigit((unsigned char)*parser->at) || (*next && !strchr("&|)", *next)))
		return NULL;
	parser->at = end;
	return end;
}

bool condition_scan_symbol(struct condition_parser *parser, const char **ret)
{
	const char *begin, *end;
	bool is_string;

	condition_scan_blanks(parser);
	is_string = *parser->at == '"';
	end = is_string ? read_string(parser, &begin) : read_alone(parser, &begin);
	if (!end || end == begin)
		return false;
	*ret = arena_printf(parser->arena, "%.*s", (int)(end - begin), begin);
	return is_string || !is_word_of_ours(*ret);
}
