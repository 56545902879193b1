/*
 * Signals of a process that has a terminal: those that end it are noted, crashes restore the
 * terminal first.
 */
#pragma once

#include <signal.h>

#include "terminal_reset.h"

/*
 * From now on; @rescue is borrowed until terminal_signals_release(). What ends a process is blocked
 * but in ppoll() with terminal_signals_mask().
 */
void terminal_signals_catch(const struct terminal_reset *rescue);
void terminal_signals_release(void);

/* The mask to wait with. */
const sigset_t *terminal_signals_mask(void);

/* SIGTSTP does what it does by default while we stop. */
void terminal_signals_stop(pid_t to);

/* SIGCONT came since the last call: somebody had stopped us who did not ask. */
int terminal_signals_continued(void);
