/*
 * What the session is about. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/* Take what the user named on the command line: a program, a process or a profile. */
bool prompt_take(struct prompt *prompt, const char *name, struct err *err);
