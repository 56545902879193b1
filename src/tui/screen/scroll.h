/*
 * Lists and texts that are longer than their place: what is selected, and what is in view.
 */
#pragma once

#include <stdbool.h>

#include "keys.h"

struct scroll {
	size_t selected; /* of lists */
	size_t first;    /* row in view */
	size_t page;     /* rows that were in view when it was drawn last */
};

/* Move the selection among @n rows; false: @action is none of a list. */
bool scroll_list(struct scroll *scroll, enum action action, size_t n);
/* Move a text of @n lines. */
bool scroll_text(struct scroll *scroll, enum action action, size_t n);

/* There is room for @page of @n rows now: the selection is among them, and in view. */
void scroll_fit_list(struct scroll *scroll, size_t n, size_t page);
void scroll_fit_text(struct scroll *scroll, size_t n, size_t page);
