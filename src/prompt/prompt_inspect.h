/*
 * Where the threads of the halted process are. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err);
/* The stack of the thread, in short, with the line of source. */
void prompt_print_place(struct prompt *prompt, FILE *out);
