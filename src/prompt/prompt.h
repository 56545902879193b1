/*
 * The session: a prompt in the manner of gdb.
 */
#pragma once

#include "cli/usage.h"
#include "cli/options.h"

/*
 * Run `fathom` with arguments that are no command's: @argv[0] is the program's name, @usage that of
 * the command `session`. Returns the exit status.
 */
int prompt_main(const struct command_usage *usage, int argc, char **argv);

/*
 * The same with options that are parsed already, without -ex and the like, which are none of the
 * table.
 */
int prompt_converse(const struct options *options);
