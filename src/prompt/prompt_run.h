/* Running and ending the process of the session. Private to prompt*.c. */
#pragma once

#include "prompt_state.h"

/*
 * Continue the process until something halts or ends it, for at most @seconds (0: no limit), or
 * until the call with the id @finish returns (0: none). Errors: those of session_next().
 */
bool prompt_follow(struct prompt *prompt, double seconds, int64_t finish, struct err *err);
/*
 * Halt a process that was just launched or attached to, until prompt_follow(). ERR_TARGET: it ended
 * at once.
 */
bool prompt_settle(struct prompt *prompt, struct err *err);
/* Detach an attached process, kill a launched one; does nothing without a process. */
void prompt_release(struct prompt *prompt);

struct prompt_arguments;
/* Arguments and redirections of the next launch. ERR_USAGE. */
bool prompt_set_arguments(struct prompt *prompt, const struct prompt_arguments *arguments,
			  struct err *err);
