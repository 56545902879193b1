/* Short texts, and text in columns, for all views. */
#pragma once

#include "core/figure/figure.h"
#include "screen.h"

/* The number as by figure_text(), "-" if unknown. */
struct cell_text {
	char bytes[FIGURE_TEXT];
};
struct cell_text cell_text_number(double number);
/* A part of 1 in percent: "12.3 %", "-" if unknown. */
struct cell_text cell_text_percent(double part);
/* A count in at most six characters: "12345", "1.2M". */
struct cell_text cell_text_count(uint64_t count);

/* Write right-aligned in @width columns from @x on; cut if longer. */
void cell_text_right(struct pane region, unsigned x, unsigned y, unsigned width, const char *text);
/* Write in @width columns; cut text ends in "…". */
void cell_text_fit(struct pane region, unsigned x, unsigned y, unsigned width, const char *text);
/*
 * The same, cut in the middle instead, so that what stands at byte @tell of @text is seen: what
 * tells it from others. @skip: so many columns are scrolled away on the left.
 */
void cell_text_tell(struct pane region, unsigned x, unsigned y, unsigned width, unsigned skip,
		    const char *text, size_t tell);
