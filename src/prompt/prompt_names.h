/* Completion of the session's commands and arguments; opening its scripts. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "shell/condition.h"
#include "shell/shell_line.h"

/* A `complete` of struct line_options; @context is the prompt. */
void prompt_offer(void *context, const struct completion *found, const char *line,
		  line_offer *offer, void *to);

struct prompt;

/*
 * What the features of @catalogue's functions are called: their expressions, and their short names,
 * in loaded annotations or as models would call them. In @arena.
 */
struct condition_known prompt_names_known(const struct prompt *prompt,
					  const struct catalogue *catalogue, struct arena *arena);

/* The caller closes the file. ERR_IO: unreadable, or not text. */
FILE *prompt_open_script(const char *path, struct err *err);
