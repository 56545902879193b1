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

/* Plot over the feature @feature (STUDY_NONE: over the calls in their order). */
void opened_choose_feature(struct opened *opened, unsigned feature);
void opened_next_feature(struct opened *opened, int by);

/* The name by which @set has @feature or one that is equivalent to it; NULL: it has none. */
const char *opened_name_in(const struct names *set, const struct study_feature *feature);

/* Show only the part @node of the calls in the scatter; STUDY_NONE: all. */
void opened_restrict(struct opened *opened, unsigned node);

void opened_drop_figure(struct opened *opened);

#endif
