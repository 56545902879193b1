/*
 * Text in lines: wrapped at blanks where they are longer than the place is wide, the rest indented
 * below.
 */
#pragma once

#include "scroll.h"
#include "screen.h"

/* How many rows @text takes in @width columns. */
size_t text_wrap_count(const char *text, unsigned width);
/* Draw what of @text is in view; @scroll is fitted. */
void text_wrap_draw(const char *text, struct scroll *scroll, struct pane region);
