/*
 * Pieces of a manual page, in the macros of man(7). Text is UTF-8, and may hold anything.
 */
#ifndef FATHOM_ROFF_H
#define FATHOM_ROFF_H

#include <stdio.h>

void document_man_section(const char *title, FILE *out);
void document_man_text(const char *text, FILE *out); /* as it is, without a line feed at its end */
void document_man_usage(const char *usage,
			FILE *out); /* the same with words in capitals in italics */
void document_man_paragraph(const char *text, FILE *out);
void document_man_item(const char *name, const char *meaning, FILE *out); /* of a list */

#endif
