/*
 * Scanning conditions. Private to watch_scan.c and watch_parse.c.
 */
#ifndef FATHOM_CORE_WATCH_SCAN_H
#define FATHOM_CORE_WATCH_SCAN_H

#include "core/watch_tree.h"

struct watch_parser {
	const char *start, *at;
	struct arena *arena;
	struct err *err;
	unsigned depth;
	bool in_backquotes; /* the name that was read last was: it is no word of ours */
};

struct watch_unit {
	const char *name;
	double factor; /* to the metric's unit */
	enum watch_dimension dimension;
};

/* The error that @expected stands not here; always false. */
bool watch_fail(const struct watch_parser *parser, const char *expected);

void watch_skip_blanks(struct watch_parser *parser);
/* Is @text here, behind blanks? Then it is passed. */
bool watch_accept(struct watch_parser *parser, const char *text);
bool watch_is_word(char c);

/* Behind the native expression at @at; @at: there is none. */
const char *watch_behind_name(const char *at);
bool watch_read_name(struct watch_parser *parser, const char **ret);

/* The unit that stands here, up to the word's end. NULL: none does. */
const struct watch_unit *watch_read_unit(struct watch_parser *parser);

/* A string; or a name alone, which nothing goes on with, and which is no word of ours. */
bool watch_read_symbol(struct watch_parser *parser, const char **ret);

#endif
