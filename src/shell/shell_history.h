/*
 * The file of the history: private, bounded, replaced as a whole.
 */
#pragma once

#include "base/arena.h"

/* Where it is: in the home folder, if there is one and it is ours; else NULL. */
const char *shell_history_path(struct arena *arena);

/* Trouble is none: a history is not worth a message. */
void shell_history_load(const char *path);
void shell_history_save(const char *path);
