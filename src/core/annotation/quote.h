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
