/*
 * Scanning the annotation language: characters, positions, comments. Private to annotation_parse.c,
 * formula_parse.c, annotation_comments.c and quote.c, which know what they mean.
 */
#pragma once

#include "base/err.h"
#include "base/arena.h"
#include "annotation.h"

struct comment {
	const char *text; /* without slashes and spaces around it; in the arena */
	bool own_line;    /* first on its line */
};

struct scanner {
	const char *start, *at, *end;
	struct arena *arena;      /* of the annotation that is being read */
	struct comment *comments; /* since scan_drop_comments() */
	size_t n_comments, capacity;
	unsigned depth;      /* of parentheses */
	const char *lone[2]; /* no single/double quote ends before this; NULL: not known */
	struct err *err;
};

void scan_deinit(struct scanner *scanner);

void scan_blanks(struct scanner *scanner);
/* Skip blanks and comments; the comments are kept. */
void scan_space(struct scanner *scanner);
void scan_drop_comments(struct scanner *scanner);

/* ERR_FORMAT: @expected is not at the current place. Always false. */
bool scan_fail(struct scanner *scanner, const char *expected);
/* ERR_FORMAT there for another reason. Always false. */
bool scan_refuse(struct scanner *scanner, const char *why);

/*
 * All of these skip spaces first. Is @text next? Then move behind it; scan_expect() fails if not.
 */
bool scan_accept(struct scanner *scanner, const char *text);
bool scan_expect(struct scanner *scanner, const char *text);
/* Accept @text only as a whole word. */
bool scan_accept_word(struct scanner *scanner, const char *text);

bool scan_is_name(struct scanner *scanner);
bool scan_name(struct scanner *scanner, const char **ret);
/* A number without a sign. */
bool scan_is_number(struct scanner *scanner);
bool scan_number(struct scanner *scanner, double *ret);

/* The text from @from to @to in the arena, trimmed, adjacent spaces merged. */
const char *scan_text(struct scanner *scanner, const char *from, const char *to);
/*
 * The same, or the value of a string there. A wrong escape is an error here, plain text in
 * comments.
 */
bool scan_quotable(struct scanner *scanner, const char *from, const char *to, const char **ret);
const char *scan_comment_text(struct scanner *scanner, const char *from, const char *to);

/*
 * The end of the text up to one of the characters @ends outside of brackets and quotes; NULL: none,
 * or the text is empty. Angle brackets count as brackets, arrows do not.
 */
const char *scan_until(struct scanner *scanner, const char *ends);

struct scan_metric {
	enum metric metric;
	const char *place; /* ".at(…)" behind it, of that length; 0: none */
	size_t place_length;
	const char *end; /* behind the bracket */
};

/*
 * The first place of ".time {" or another metric; NULL: none. The function's name before it may
 * hold nearly anything.
 */
const char *scan_find_metric(const struct scanner *scanner, struct scan_metric *ret);

/* Is "budget" next, and a blank? A function's name that begins like that is a string. */
bool scan_is_budget(const struct scanner *scanner);

/*
 * The end of a function's name: words and colons, with anything in angle brackets and parentheses.
 */
const char *scan_function_end(const struct scanner *scanner);
