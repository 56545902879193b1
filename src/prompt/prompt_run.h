/*
 * What becomes of the process of the session. Private to prompt*.c.
 */
#pragma once

#include "prompt_state.h"

/*
 * Let the process go on until something stops it, at most @seconds (0: no limit); @finish: the id
 * of a call to wait for, or 0.
 */
bool prompt_follow(struct prompt *prompt, double seconds, int64_t finish, struct err *err);
/*
 * The process was just launched or attached to: it has not run yet under our eyes, and does not
 * until it is followed.
 */
bool prompt_settle(struct prompt *prompt, struct err *err);
/* The process is let go, or killed if it was launched; nothing if there is none. */
void prompt_release(struct prompt *prompt);
