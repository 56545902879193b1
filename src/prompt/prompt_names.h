/*
 * What the session's arguments are completed with, and where its scripts are.
 */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "shell/shell_line.h"

/* A `complete` of struct line_options; @context is the prompt. */
void prompt_offer(void *context, const struct completion *found, const char *line,
		  line_offer *offer, void *to);

/* ERR_IO: it cannot be read, or is no text. */
FILE *prompt_open_script(const char *path, struct err *err);
