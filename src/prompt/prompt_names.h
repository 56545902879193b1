/* Completion of the session's commands and arguments; opening its scripts. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "shell/shell_line.h"

/* A `complete` of struct line_options; @context is the prompt. */
void prompt_offer(void *context, const struct completion *found, const char *line,
		  line_offer *offer, void *to);

/* The caller closes the file. ERR_IO: unreadable, or not text. */
FILE *prompt_open_script(const char *path, struct err *err);
