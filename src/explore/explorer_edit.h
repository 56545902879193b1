/* The user's editor, at a line of a function's source. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "explorer_source.h"
#include "tui/screen/terminal.h"

/*
 * The path of the source file @file (NULL: unknown), of the library or program @module (NULL: the
 * profile's own); NULL: it is not here.
 */
const char *explorer_edit_find(const struct explorer_source *source, const char *file,
			       const char *module, struct arena *arena);

/*
 * Run $VISUAL, $EDITOR or vi on @path at @line (0: unknown), and wait. ERR_IO: it cannot be
 * started, or failed.
 */
bool explorer_edit(struct terminal *terminal, const char *path, unsigned line, struct err *err);
