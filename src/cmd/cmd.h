/*
 * Commands: one a file, and one table (cmd/cmd.c) that joins names, help and code.
 *
 * Commands join the stages, print, and decide the exit status; nothing else does.
 */
#pragma once

#include "cli/options.h"

struct command {
	struct command_usage usage;
	int (*run)(const struct options *options); /* returns the exit status */
};

extern const struct command command_run;
extern const struct command command_attach;
extern const struct command command_list;
extern const struct command command_annotate;
extern const struct command command_check;
extern const struct command command_diff;
extern const struct command command_predict;
extern const struct command command_import;
extern const struct command command_export;
extern const struct command command_stack;
extern const struct command command_explore;
extern const struct command command_session; /* has options of its own: see prompt_main() */

struct document_commands;

/* cmd/cmd_document.c: the document that the options want. Returns the exit status. */
int cmd_document_print(const struct options *options, const struct document_commands *commands);

struct measurement;

/* A `finish`: print the annotations of what was measured, made of all samples in the profile. */
bool cmd_annotate_measured(struct measurement *m, struct err *err);

/* All commands, in the order of the help. */
extern const struct command *const command_table[];
extern const size_t command_table_size;

/* The command called @name, or NULL. */
const struct command *cmd_find(const char *name);

/* Parse the options in @argv, whose first word is the command's name, and run it. */
int cmd_main(const struct command *command, int argc, char **argv);

void cmd_print_all(void); /* the list that `fathom help` shows */
