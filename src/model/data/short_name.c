/*
 * A feature is named after its last member; a string length after the string; nullness after the
 * pointer.
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

static const char *short_name_plain(struct arena *arena, const char *expression, const char **rest,
				    size_t *rest_length)
{
	const char *prefix = prefix_of(expression);
	size_t length;
	const char *word = last_word(expression, strlen(expression), &length);

	*rest = expression;
	*rest_length = word - expression;
	if (!length)
		return arena_strdup(arena, "x");
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
