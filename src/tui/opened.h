/*
 * The function that was opened. Its study is replaced while the reader looks; what is selected, folded and zoomed stays where its name
 * or number is found again.
 */
#ifndef FATHOM_TUI_OPENED_H
#define FATHOM_TUI_OPENED_H

#include "tui/state.h"

void opened_init(struct opened *opened);
void opened_deinit(struct opened *opened);

/* Another one; what belonged to the function before is forgotten, unless it is the same function (of another metric). */
void opened_begin(struct opened *opened, const struct explorer_entry *entry);

/* Write down by name what is selected; after each key. */
void opened_remember(struct explorer *explorer);
/* The study is another one now, or NULL. */
void opened_replace(struct explorer *explorer, const struct study *study);

void opened_next_feature(struct opened *opened, int by);

#endif
