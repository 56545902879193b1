/* The interactive session: a prompt like that of gdb. */
#pragma once

#include "cli/usage.h"
#include "cli/options.h"

/*
 * Run `fathom [OPTION...] [PROG|PID|PROFILE]`: @argv[0] is the program's name, @usage is that of
 * the command `session`. Takes -ex, -x and -batch, too. Returns the exit status.
 */
int prompt_main(const struct command_usage *usage, int argc, char **argv);

/* The same with parsed options, hence without -ex, -x and -batch. Returns the exit status. */
int prompt_converse(const struct options *options);
