/*
 * Texts of others within annotations: names of functions, expressions, enumerators, classes, files, notes.
 *
 * One that reads back as it stands is written so. Any other one is a string: in double quotes, printable UTF-8 on one
 * line, with the escapes
 *
 *   \"  \\  \n  \t  \xHH
 *
 * where the last one is a byte, never 0. Of blanks that follow each other all but the first are written \x20, since a reader
 * makes them single. What begins and ends with the same double quotes is a string wherever a text may stand.
 */
#ifndef FATHOM_CORE_ANNOTATION_QUOTE_H
#define FATHOM_CORE_ANNOTATION_QUOTE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "core/metric.h"

/* Where a text stands, which decides how far it would be read. */
enum quote_place {
	QUOTE_EXPRESSION, /* of a feature, before ';' */
	QUOTE_SYMBOL,     /* an enumerator or class in a scope */
	QUOTE_ALIAS,      /* in the comment of a feature, before ',' */
	QUOTE_REFERENCE,  /* a function behind '@' */
	QUOTE_COMMENT,    /* the rest of a comment */
};

void quote_print(const char *text, enum quote_place place, FILE *out);
/* The function's name that an annotation of @metric begins with. */
void quote_print_head(const char *function, enum metric metric, FILE *out);
/* As a string, even if it would read back without. */
void quote_print_string(const char *text, FILE *out);

/* Behind what is in single or double quotes and begins at @at; @at if there is no such thing, or it does not end on its line. */
const char *quote_end(const char *at, const char *end);

/* Is all from @from to @to one string? Its escapes may be wrong. */
bool quote_is_string(const char *from, const char *to);

/* What the string means, in @arena; NULL: an escape is wrong. */
const char *quote_read(struct arena *arena, const char *from, const char *to);

#endif
