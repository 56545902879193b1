/* Text wrapped at blanks to the width of its place, continuation lines indented. */
#pragma once

#include "scroll.h"
#include "screen.h"

/* Rows of @text in @width columns. */
size_t text_wrap_count(const char *text, unsigned width);
/* Draw the part of @text in view; fits @scroll. */
void text_wrap_draw(const char *text, struct scroll *scroll, struct pane region);
