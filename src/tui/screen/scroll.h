/* Lists and texts longer than their place: the selection, and the part in view. */
#pragma once

#include <stdbool.h>

#include "keys.h"

struct scroll {
	size_t selected; /* of lists */
	size_t first;    /* first row in view */
	size_t page;     /* rows in view when last drawn */
};

/* Move the selection among @n rows; false: @action is not one of lists. */
bool scroll_list(struct scroll *scroll, enum action action, size_t n);
/* The same for a text of @n lines. */
bool scroll_text(struct scroll *scroll, enum action action, size_t n);

/* Adapt to @page of @n rows in view; keeps the selection among them. */
void scroll_fit_list(struct scroll *scroll, size_t n, size_t page);
void scroll_fit_text(struct scroll *scroll, size_t n, size_t page);
