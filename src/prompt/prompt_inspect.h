/* Show where the threads of the halted process are. Private to prompt*.c. */
#pragma once

#include <stdio.h>

#include "prompt_state.h"

struct stack_frame;

bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err);
/* The first frames of prompt->thread, and the source line of the first that has one. */
void prompt_print_place(struct prompt *prompt, FILE *out);
/* One frame as a line, with its source line if there is one. */
void prompt_print_frame(struct prompt *prompt, const struct stack_frame *frame, size_t index,
			FILE *out);

/* As source_file_find() finds it. NULL: it is not there. */
FILE *prompt_inspect_source(struct prompt *prompt, const char *file);
/* Print @n lines from @first on, marking line @marked. Returns how many it printed. */
unsigned prompt_inspect_lines(FILE *source, unsigned first, unsigned n, unsigned marked, FILE *out);
