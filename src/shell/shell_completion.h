/*
 * What can complete the word being typed, decided from the line and the command table alone. The
 * caller knows which functions, features and so on there are.
 */
#pragma once

#include <stddef.h>

#include "shell_table.h"

struct completion {
	enum shell_argument kind;
	const struct shell_command *command; /* NULL: the word is the command itself */
	size_t at;                           /* offset of the word in the line */
	const char *words;                   /* SHELL_A_WORD */
	size_t function_at,
		function_end; /* the word before, if it may be a function: [at, end); equal: none */
};

/* For the word of @line that ends at offset @cursor. */
struct completion shell_completion_find(const char *line, size_t cursor);

/*
 * Characters between words. Functions' names have parentheses and angle brackets, so only blanks
 * separate.
 */
#define COMPLETION_BREAKS " \t\n"
