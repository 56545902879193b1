/*
 * Short texts, and writing into columns: what several views need.
 */
#pragma once

#include "core/figure/figure.h"
#include "screen.h"

/* The number as figure_text() has it, "-" if it is not known. */
struct cell_text {
	char bytes[FIGURE_TEXT];
};
struct cell_text cell_text_number(double number);
/* A part of 1 in percent: "12.3 %", "-" if it is not known. */
struct cell_text cell_text_percent(double part);
/* A big count in at most six characters: "12345", "1.2M". */
struct cell_text cell_text_count(uint64_t count);

/* Write at the right end of @width columns from @x on; cut if it is longer. */
void cell_text_right(struct pane region, unsigned x, unsigned y, unsigned width, const char *text);
/* Write in @width columns, the end replaced by "…" if it is cut. */
void cell_text_fit(struct pane region, unsigned x, unsigned y, unsigned width, const char *text);
