/* Show where the threads of the halted process are. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err);
/* The first frames of prompt->thread, and the source line of the first that has one. */
void prompt_print_place(struct prompt *prompt, FILE *out);
