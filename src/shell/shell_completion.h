/*
 * What can complete the word that is being typed: decided from the line alone, by the table. Which
 * functions, features and so on there are the caller knows.
 */
#pragma once

#include <stddef.h>

#include "shell_table.h"

struct completion {
	enum shell_argument kind;
	const struct shell_command *command; /* NULL: the word is the command itself */
	size_t at;                           /* where the word begins in the line */
	const char *words;                   /* of SHELL_A_WORD */
	size_t function_at,
		function_end; /* the word before, if it may be a function: [at, end); equal: none */
};

/* For the word of @line that ends at @cursor. */
struct completion shell_completion_find(const char *line, size_t cursor);

/*
 * Characters that part words for completion. A function's name has parentheses, blanks and angle
 * brackets, so only a blank does.
 */
#define COMPLETION_BREAKS " \t\n"
