/*
 * Documents that are made from the tables of commands, options, metrics and keys: the manual page,
 * and completion for shells. --help uses the same tables.
 */
#pragma once

#include <stdio.h>

#include "cli/options_table.h"

enum { DOCUMENT_ARGUMENTS = 8 };

struct document_argument {
	char name[32];  /* as the usage calls it: "PROG|PID" */
	unsigned kinds; /* bits 1 << enum option_value */
	bool repeats;   /* as often as one likes, and so does nothing behind it */
};

/*
 * The arguments of a command, from its usage: without those behind an inner `--`, where shells
 * complete a command line. Returns how many there are, DOCUMENT_ARGUMENTS at most.
 */
size_t document_arguments(const struct command_usage *usage,
			  struct document_argument ret[DOCUMENT_ARGUMENTS]);

/* Does a command line follow `--`? */
bool document_launches(const struct command_usage *usage);

/* Does option @i of the table belong to the command, as its first of that name? */
bool document_has_option(const struct command_usage *usage, size_t i);

bool document_has_letter(const struct option_row *row);

/* The commands for people, in the order of the help. */
struct document_commands {
	const struct command_usage *const *usages;
	size_t n;
};

/* completion.bash and completion.zsh, with a line "#:NAME" for each part that is generated. */
extern const char document_completion_bash[], document_completion_zsh[];

/* Print @text up to the next such line. Returns the rest. */
const char *document_print_to_mark(const char *text, FILE *out);

void document_man(const struct document_commands *commands, FILE *out);
void document_bash(const struct document_commands *commands, FILE *out);
void document_zsh(const struct document_commands *commands, FILE *out);
