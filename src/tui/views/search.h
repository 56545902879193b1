/* What was typed behind '/': where it stands in a view. Private to tui/views. */
#pragma once

#include "views.h"

/*
 * To the next place (@by 1) or the one before (-1) that has it, whatever its letters' case. False:
 * there is none.
 */
bool search_go(struct explorer *explorer, int by);
/* Mark it in what is drawn. */
void search_mark(const struct explorer *explorer, struct pane region);
