/*
 * Foreign texts within annotations: names of functions, expressions, enumerators, classes, files,
 * notes.
 *
 * A text that reads back as it is is printed so; any other as a string (string_literal.h) of
 * printable UTF-8 on one line. Of adjacent blanks all but the first become \x20, since the reader
 * merges blanks. A text that begins and ends with the same double quotes is always a string.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "core/metric.h"

/* Where a text stands: decides how far the reader would read. */
enum quote_place {
	QUOTE_EXPRESSION, /* of a feature, before ';' */
	QUOTE_SYMBOL,     /* an enumerator or class in a scope */
	QUOTE_ALIAS,      /* in the comment of a feature, before ',' */
	QUOTE_REFERENCE,  /* a function behind '@' */
	QUOTE_COMMENT,    /* the rest of a comment */
};

void quote_print(const char *text, enum quote_place place, FILE *out);
/* The head of an annotation, as quote_head() has it if that can be read back. */
void quote_print_head(const char *function, enum metric metric, FILE *out);
/* Always as a string. */
void quote_print_string(const char *text, FILE *out);

/*
 * Names of what a model or a verdict is about: FUNCTION.METRIC. A place of a function, of which a
 * part of its cost is, has the name FUNCTION.PLACE (samples/part_columns.h), and what it costs is
 * written FUNCTION.METRIC.PLACE: mem of parse.at(parse.c:88) is parse.mem.at(parse.c:88).
 */

/* How long the name of the function is in that of a place, and so where ".at(…)" begins. */
size_t quote_head_length(const char *function);

/* "FUNCTION.METRIC", "FUNCTION.METRIC.PLACE", in @arena. */
const char *quote_head(struct arena *arena, const char *function, enum metric metric);

/*
 * The metric whose keyword is at @at, and the place behind it, perhaps empty, up to *@ret_end.
 * METRIC_COUNT: there is none.
 */
enum metric quote_head_metric(const char *at, const char *end, const char **ret_place,
			      const char **ret_end);
