/* The command of --on-change. */
#pragma once

#include "watch_lines.h"

/*
 * Run the shell's @command, which reads @change as JSON from standard input; FATHOM_STATE,
 * FATHOM_FUNCTION and FATHOM_PIDS are in its environment. It is not waited for.
 */
void watch_command_run(const char *command, const struct watch_change *change);
