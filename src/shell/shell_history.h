/*
 * The history file: private, bounded, replaced as a whole. Errors are ignored: a history is not
 * worth a message.
 */
#pragma once

#include "base/arena.h"

/* Its path, in the home folder if that exists and is ours; else NULL. */
const char *shell_history_path(struct arena *arena);

void shell_history_load(const char *path);
void shell_history_save(const char *path);
