/*
 * Pieces of a manual page, in the macros of man(7). Text is UTF-8, titles and usages are ASCII.
 * Special characters are escaped, except in titles.
 */
#pragma once

#include <stdio.h>

void roff_section(const char *title, FILE *out);
void roff_text(const char *text, FILE *out);   /* adds no line feed */
void roff_usage(const char *usage, FILE *out); /* capital words in italics */
void roff_paragraph(const char *text, FILE *out);
void roff_item(const char *name, const char *meaning, FILE *out); /* of a list */
