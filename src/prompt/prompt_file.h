/* The program, process or profile of the session. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

/* Open @name: a program, a process id or a profile. */
bool prompt_take(struct prompt *prompt, const char *name, struct err *err);
/* Asks before samples that are in no file get lost. False: they are to be kept. */
bool prompt_may_lose(struct prompt *prompt);
