/*
 * Pieces of a manual page, in the macros of man(7). Text is UTF-8; special characters are escaped.
 */
#pragma once

#include <stdio.h>

void roff_section(const char *title, FILE *out);
void roff_text(const char *text, FILE *out);   /* as it is, without a line feed at its end */
void roff_usage(const char *usage, FILE *out); /* with words in capitals in italics */
void roff_paragraph(const char *text, FILE *out);
void roff_item(const char *name, const char *meaning, FILE *out); /* of a list */
