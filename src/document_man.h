/*
 * Pieces of the manual page, for those who write its sections. Text is UTF-8, and may hold anything.
 */
#ifndef FATHOM_DOCUMENT_MAN_H
#define FATHOM_DOCUMENT_MAN_H

#include <stdio.h>

void man_section(const char *title, FILE *out);
void man_text(const char *text, FILE *out);   /* as it is, without a line feed */
void man_usage(const char *usage, FILE *out); /* the same with words in capitals in italics */
void man_paragraph(const char *text, FILE *out);
void man_item(const char *name, const char *meaning, FILE *out); /* of a list */

void man_keys(FILE *out); /* the section on the explorer */

#endif
