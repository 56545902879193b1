/*
 * Words of a line, separated by blanks unless quotes or backslashes hold them together.
 *
 * 'a b' is literal; in "a b" a backslash escapes a double quote or a backslash; elsewhere it
 * escapes anything. For commands that take the line as one text (conditions, command lines),
 * shell_words_rest() returns it unchanged.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/arena.h"

enum { WORDS_LINE_MAX = 1 << 16 };

struct line_word {
	const char *text; /* without quotes */
	size_t at, end;   /* offsets in the line: [at, end) */
};

/*
 * Split @line into *@ret[*@ret_n], in @arena. ERR_USAGE: a quote does not end, or the line is too
 * long.
 */
bool shell_words_split(const char *line, struct arena *arena, struct line_word **ret, size_t *ret_n,
		       struct err *err);

/* The line from offset @at on, without blanks at its end. */
const char *shell_words_rest(const char *line, size_t at, struct arena *arena);

/*
 * The name of a function at the beginning of the @words [n] of @line, in @arena: of several words
 * while its parentheses or template arguments are open, as in f(int, char), and before const.
 * Returns how many words it has.
 */
size_t shell_words_function(const char *line, const struct line_word *words, size_t n,
			    struct arena *arena, const char **ret);
