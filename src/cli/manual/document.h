/*
 * Documents made from the tables of commands, options, metrics and keys: the manual page and shell
 * completion. --help uses the same tables.
 */
#pragma once

#include <stdio.h>

#include "cli/options_table.h"

enum { DOCUMENT_ARGUMENTS = 8 };

struct document_argument {
	char name[32];  /* as in the usage: "PROG|PID" */
	unsigned kinds; /* bits 1 << enum option_value */
	bool repeats;   /* any number of times, as the last one */
};

/*
 * The arguments in a command's usage, without those behind an inner `--`, where shells complete a
 * command line. Returns how many, at most DOCUMENT_ARGUMENTS.
 */
size_t document_arguments(const struct command_usage *usage,
			  struct document_argument ret[DOCUMENT_ARGUMENTS]);

/* Does a command line follow `--`? */
bool document_launches(const struct command_usage *usage);

/* Does the command take option @i of the table, and no earlier one of the same name? */
bool document_has_option(const struct command_usage *usage, size_t i);

bool document_has_letter(const struct option_row *row);

/* The commands that are not hidden, in the order of the help. */
struct document_commands {
	const struct command_usage *const *usages;
	size_t n;
};

/* completion.bash and completion.zsh, with a line "#:NAME" for each part that is generated. */
extern const char document_completion_bash[], document_completion_zsh[];

/* Print @text up to the next such line. Returns what follows it. */
const char *document_print_to_mark(const char *text, FILE *out);

void document_man(const struct document_commands *commands, FILE *out);
void document_bash(const struct document_commands *commands, FILE *out);
void document_zsh(const struct document_commands *commands, FILE *out);
