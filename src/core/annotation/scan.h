/*
 * Scanning the annotation language: characters, positions, comments. What they mean is
 * annotation_parse.c's, formula_parse.c's and annotation_comments.c's. Private to them.
 */
#pragma once

#include "base/err.h"
#include "base/arena.h"
#include "annotation.h"

struct comment {
	const char *text; /* without the slashes and spaces around; in the arena */
	bool own_line;    /* nothing stands before it on its line */
};

struct scanner {
	const char *start, *at, *end;
	struct arena *arena;      /* of the annotation that is being read */
	struct comment *comments; /* since they were taken last */
	size_t n_comments, capacity;
	unsigned depth; /* of parentheses */
	const char
		*lone[2]; /* up to where no quote ends, single and double ones; NULL: not known */
	struct err *err;
};

void scan_deinit(struct scanner *scanner);

void scan_blanks(struct scanner *scanner);
/* Pass blanks and comments, which are kept. */
void scan_space(struct scanner *scanner);
void scan_drop_comments(struct scanner *scanner);

/* The error that @expected stands not at the current place; always false. */
bool scan_fail(struct scanner *scanner, const char *expected);
/* Another error there. */
bool scan_refuse(struct scanner *scanner, const char *why);

/* All of these pass spaces first. Is @text there? The second one is an error if not. */
bool scan_accept(struct scanner *scanner, const char *text);
bool scan_expect(struct scanner *scanner, const char *text);
/* A whole word that is @text. */
bool scan_accept_word(struct scanner *scanner, const char *text);

bool scan_is_name(struct scanner *scanner);
bool scan_name(struct scanner *scanner, const char **ret);
/* A number without sign. */
bool scan_is_number(struct scanner *scanner);
bool scan_number(struct scanner *scanner, double *ret);

/* @from up to @to, spaces around cut off and those within made single. */
const char *scan_text(struct scanner *scanner, const char *from, const char *to);
/*
 * The same, or what it means if it is a string; with a wrong escape that is an error, in a comment
 * any other text.
 */
bool scan_quotable(struct scanner *scanner, const char *from, const char *to, const char **ret);
const char *scan_comment_text(struct scanner *scanner, const char *from, const char *to);

/*
 * The end of the text that reaches up to one of the characters @ends outside of brackets and
 * quotes; NULL: it has no end, or is empty. Angle brackets count, arrows do not.
 */
const char *scan_until(struct scanner *scanner, const char *ends);

/*
 * The first place of ".time {" and the like, with the metric and what is behind; NULL: there is
 * none. What comes before is the function's name, which may hold nearly anything.
 */
const char *scan_find_metric(const struct scanner *scanner, enum metric *ret, const char **ret_end);

/*
 * The end of a function's name: words and colons, with what is in angle brackets and parentheses.
 */
const char *scan_function_end(const struct scanner *scanner);
