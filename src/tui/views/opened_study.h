/*
 * The opened function. Its study is replaced while the reader looks; selection, folds and zoom
 * survive where their name or number is found again.
 */
#pragma once

#include "views.h"

void opened_study_init(struct opened_study *opened);
void opened_study_deinit(struct opened_study *opened);

/*
 * Open another function or metric; another function drops all that belonged to the last. True: it
 * is another.
 */
bool opened_study_begin(struct opened_study *opened, const struct explorer_entry *entry);

/* Record the selection by name; call after each key. */
void opened_study_remember(struct explorer *explorer);
/* Take another study, or NULL. */
void opened_study_replace(struct explorer *explorer, const struct study *study);

void opened_study_next_feature(struct opened_study *opened, int by);
