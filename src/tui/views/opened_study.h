/*
 * The function that was opened. Its study is replaced while the reader looks; what is selected,
 * folded and zoomed stays where its name or number is found again.
 */
#pragma once

#include "explorer_state.h"

void opened_study_init(struct opened_study *opened);
void opened_study_deinit(struct opened_study *opened);

/*
 * Another one; what belonged to the function before is forgotten, unless it is the same function
 * (of another metric).
 */
void opened_study_begin(struct opened_study *opened, const struct explorer_entry *entry);

/* Write down by name what is selected; after each key. */
void opened_study_remember(struct explorer *explorer);
/* The study is another one now, or NULL. */
void opened_study_replace(struct explorer *explorer, const struct study *study);

void opened_study_next_feature(struct opened_study *opened, int by);
