/* The program, process or profile of the session. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

/* Open @name: a program, a process id or a profile. */
bool prompt_take(struct prompt *prompt, const char *name, struct err *err);
