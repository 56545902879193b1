/*
 * Texts of others within annotations: names of functions, expressions, enumerators, classes, files,
 * notes.
 *
 * One that reads back as it stands is written so. Any other one is a string (string_literal.h),
 * printable UTF-8 on one line. Of blanks that follow each other all but the first are written \x20,
 * since a reader makes them single. What begins and ends with the same double quotes is a string
 * wherever a text may stand.
 */
#pragma once

#include <stdio.h>

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
