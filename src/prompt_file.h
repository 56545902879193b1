/*
 * What the session is about. Private to prompt*.c.
 */
#ifndef FATHOM_PROMPT_FILE_H
#define FATHOM_PROMPT_FILE_H

#include "prompt_state.h"

/* Take what the user named on the command line: a program, a process or a profile. */
bool prompt_take(struct prompt *prompt, const char *name, struct err *err);

#endif
