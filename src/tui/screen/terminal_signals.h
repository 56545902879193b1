/* Signals of a process with a terminal: records those that end it; a crash restores it first. */
#pragma once

#include <signal.h>
#include <stdbool.h>

#include "terminal_reset.h"

/*
 * Catch them; @rescue is borrowed until terminal_signals_release(). Signals that end a process stay
 * blocked except in ppoll() with terminal_signals_mask(), and while the screen is written.
 */
void terminal_signals_catch(const struct terminal_reset *rescue);
void terminal_signals_release(void);

const sigset_t *terminal_signals_mask(void);

/*
 * From now on, until it is called with false, SIGTERM and SIGHUP are taken, and end a write to a
 * terminal that nobody reads: what is not read is dropped.
 */
void terminal_signals_write(bool writes);

/* Stop @to, with SIGTSTP's default action. */
void terminal_signals_stop(pid_t to);

/* Has SIGCONT come since the last call, after a stop that was not ours? */
int terminal_signals_continued(void);
