/*
 * A feature is named after its last member; a string length after the string; nullness after the
 * pointer; what a container says after both, `items_size`; a difference after its ends.
 */
#include "short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 40 };

/* Words of the annotation language, and words of C that would confuse in it. */
static const char *const reserved[] = {
	"log",   "log2",     "sqrt",        "exp",    "min",    "max",    "R",
	"M",     "Norm",     "bool",        "int",    "float",  "string", "enum",
	"class", "features", "annotations", "typeid", "return", "true",   "false",
};

static bool short_name_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The last identifier of @text, no bare index; its length in @ret. */
static const char *last_word(const char *text, size_t length, size_t *ret)
{
	size_t end = length;

	while (end) {
		size_t start;

		while (end && !short_name_is_word(text[end - 1]))
			end--;
		for (start = end; start && short_name_is_word(text[start - 1]);)
			start--;
		if (start < end && !isdigit((unsigned char)text[start])) {
			*ret = end - start;
			return text + start;
		}
		end = start;
	}
	*ret = 0;
	return text;
}

/* Strip member marks (_M_, m_) and outer underscores. */
static const char *strip(const char *word, size_t *length)
{
	static const char *const marks[] = {"_M_", "m_", "_"};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t n = strlen(marks[i]);

		while (*length > n && !strncmp(word, marks[i], n) &&
		       !isdigit((unsigned char)word[n])) {
			word += n;
			*length -= n;
		}
	}
	while (*length > 1 && word[*length - 1] == '_')
		--*length;
	if (*length > NAME_MAX_LENGTH)
		*length = NAME_MAX_LENGTH;
	return word;
}

static bool is_free(const char *name, const char *const *taken, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (!strcmp(name, reserved[i]))
			return false;
	for (i = 0; i < n; i++)
		if (!strcmp(name, taken[i]))
			return false;
	return true;
}

static const char *prefix_of(const char *expression)
{
	if (!strncmp(expression, "strlen(", 7))
		return "len_";
	return strncmp(expression, "defined(", 8) ? "" : "has_";
}

/* `items.size()`: the word is no name without the container's. */
static bool is_call(const char *word, size_t length)
{
	return length && !strncmp(word + length, "()", 2);
}

/* What is behind the last operator of a difference, product or quotient; NULL: it is none. */
static const char *right_operand(const char *expression)
{
	const char *found = NULL;
	int nesting = 0;

	for (const char *at = expression; *at; at++) {
		nesting += *at == '(' || *at == '[';
		nesting -= *at == ')' || *at == ']';
		if (!nesting && at[0] == ' ' && at[1] && strchr("-*/%", at[1]) && at[2] == ' ')
			found = at + 3;
	}
	return found;
}

/* The first word of a container and its call, or of a difference's ends; its length in @ret. */
static const char *first_word(const char *expression, const char *word, size_t length, size_t *ret)
{
	const char *right = right_operand(expression);
	size_t n = 0;

	if (right && word >= right)
		n = (size_t)(right - 3 - expression);
	else if (is_call(word, length))
		n = (size_t)(word - expression);
	if (n == 6 && !strncmp(expression, "this->", 6)) /* a method of the container's own */
		n = 0;
	return last_word(expression, n, ret);
}

static const char *two_words(struct arena *arena, const char *prefix, const char *first,
			     size_t first_length, const char *word, size_t length)
{
	const char *word_end = word + length;

	first = strip(first, &first_length);
	word = strip(word, &length);
	if (*prefix || !strcmp(word_end, "() != 0") ||
	    (first_length == length && !strncmp(first, word, length)))
		return arena_printf(arena, "%s%.*s", prefix, (int)first_length, first);
	return arena_printf(arena, "%.*s_%.*s", (int)first_length, first, (int)length, word);
}

static const char *short_name_plain(struct arena *arena, const char *expression, const char **rest,
				    size_t *rest_length)
{
	const char *prefix = prefix_of(expression);
	size_t length;
	const char *word = last_word(expression, strlen(expression), &length), *first;
	size_t first_length;

	*rest = expression;
	*rest_length = word - expression;
	if (!length)
		return arena_strdup(arena, "x");
	first = first_word(expression, word, length, &first_length);
	if (first_length) {
		*rest_length = first - expression;
		return two_words(arena, prefix, first, first_length, word, length);
	}
	word = strip(word, &length);
	if (*word == '_' && length == 1)
		return arena_printf(arena, "%sx", prefix);
	return arena_printf(arena, "%s%.*s", prefix, (int)length, word);
}

const char *short_name(struct arena *arena, const char *expression, const char *const *taken,
		       size_t n)
{
	const char *rest, *parent, *name;
	size_t rest_length, length;
	const char *base = short_name_plain(arena, expression, &rest, &rest_length);
	unsigned number;

	if (is_free(base, taken, n))
		return base;
	parent = last_word(rest, rest_length, &length);
	if (length && !*prefix_of(expression)) {
		parent = strip(parent, &length);
		name = arena_printf(arena, "%.*s_%s", (int)length, parent, base);
		if (is_free(name, taken, n))
			return name;
	}
	for (number = 2;; number++) {
		name = arena_printf(arena, "%s_%u", base, number);
		if (is_free(name, taken, n))
			return name;
	}
}
