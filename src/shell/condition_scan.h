/*
 * Scanning conditions. Private to condition_scan.c and condition_parse.c.
 */
#pragma once

#include "condition_tree.h"

struct condition_parser {
	const char *start, *at;
	struct arena *arena;
	struct err *err;
	unsigned depth;
	bool in_backquotes; /* the name that was read last was: it is no word of ours */
};

struct condition_unit {
	const char *name;
	double factor; /* to the metric's unit */
	enum condition_dimension dimension;
};

/* The error that @expected stands not here; always false. */
bool condition_scan_fail(const struct condition_parser *parser, const char *expected);

void condition_scan_blanks(struct condition_parser *parser);
/* Is @text here, behind blanks? Then it is passed. */
bool condition_scan_accept(struct condition_parser *parser, const char *text);
bool condition_scan_is_word(char c);

/* Behind the native expression at @at; @at: there is none. */
const char *condition_scan_name_end(const char *at);
bool condition_scan_name(struct condition_parser *parser, const char **ret);

/* The unit that stands here, up to the word's end. NULL: none does. */
const struct condition_unit *condition_scan_unit(struct condition_parser *parser);

/* A string; or a name alone, which nothing goes on with, and which is no word of ours. */
bool condition_scan_symbol(struct condition_parser *parser, const char **ret);
