/*
 * Scanning conditions. Private to condition_scan.c and condition_parse.c.
 */
#pragma once

#include "base/unit.h"
#include "condition_tree.h"

struct condition_parser {
	const char *start, *at;
	const struct condition_known *known; /* NULL: none */
	struct arena *arena;
	struct err *err;
	unsigned depth;
	bool is_feature; /* the last name is no keyword: it was in backquotes, or is known */
};

/* ERR_FORMAT: @expected is not here. Always false. */
bool condition_scan_fail(const struct condition_parser *parser, const char *expected);

void condition_scan_blanks(struct condition_parser *parser);
/* Is @text next, after blanks? Then move behind it. */
bool condition_scan_accept(struct condition_parser *parser, const char *text);
bool condition_scan_is_word(char c);

/* The end of the native expression at @at; @at: there is none. */
const char *condition_scan_name_end(const char *at);
/* "defined(", unless a known name begins there. */
bool condition_scan_defined(struct condition_parser *parser);
bool condition_scan_name(struct condition_parser *parser, const char **ret);

/* Read the unit of a time or of bytes here, a whole word. NULL: none. */
const struct unit *condition_scan_unit(struct condition_parser *parser);

/* Read a string, or a name that stands alone and is no keyword. */
bool condition_scan_symbol(struct condition_parser *parser, const char **ret);
