/*
 * Words of a line: blanks part them; quotes and backslashes hold them together.
 *
 * 'a b' is as it stands; in "a b" a backslash stands before a double quote or a backslash;
 * elsewhere before anything. Of what the session's commands take as one text (conditions, command
 * lines), shell_words_rest() gives the line as it stands.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "base/arena.h"

enum { WORDS_LINE_MAX = 1 << 16 };

struct line_word {
	const char *text; /* without quotes */
	size_t at, end;   /* where it stands in the line: [at, end) */
};

/* Fill in *@ret, NULL behind the last. ERR_USAGE: a quote has no end, or the line is too long. */
bool shell_words_split(const char *line, struct arena *arena, struct line_word **ret, size_t *ret_n,
		       struct err *err);

/* The line from the word on that begins at @at, without blanks at its end. */
const char *shell_words_rest(const char *line, size_t at, struct arena *arena);
