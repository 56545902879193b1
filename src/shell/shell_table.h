/*
 * The table of the session's commands: names, abbreviations, arguments, help, and what completes
 * arguments. Prompt, help and completion are made from it; what the commands do is the prompt's
 * matter (src/prompt*.c).
 *
 * A name may be abbreviated to any beginning that no other name has; some have short names beside,
 * for fingers that know gdb.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum shell_command_id {
	SHELL_FILE,
	SHELL_ATTACH,
	SHELL_DETACH,
	SHELL_RUN,
	SHELL_START,
	SHELL_CONTINUE,
	SHELL_INTERRUPT,
	SHELL_FINISH,
	SHELL_KILL,
	SHELL_PROBE,
	SHELL_TPROBE,
	SHELL_DELETE,
	SHELL_ENABLE,
	SHELL_DISABLE,
	SHELL_IGNORE,
	SHELL_METRIC,
	SHELL_INFO,
	SHELL_BACKTRACE,
	SHELL_THREAD,
	SHELL_PRINT,
	SHELL_LIST,
	SHELL_ANNOTATE,
	SHELL_EXPLORE,
	SHELL_PLOT,
	SHELL_CHECK,
	SHELL_PREDICT,
	SHELL_LOAD,
	SHELL_SAVE,
	SHELL_SOURCE,
	SHELL_SHELL,
	SHELL_HELP,
	SHELL_QUIT,
	SHELL_COMMAND_COUNT,
};

/* What an argument of a command is one of. */
enum shell_argument {
	SHELL_NOTHING,
	SHELL_A_COMMAND,
	SHELL_A_FUNCTION, /* of the program */
	SHELL_A_MEASURED, /* function: it has samples, or an annotation */
	SHELL_A_FEATURE,  /* of the function that is looked at */
	SHELL_A_METRIC,
	SHELL_A_PROBE, /* its number */
	SHELL_A_FILE,
	SHELL_A_WORD, /* one of `words` */
};

/* What an empty line does after the command. */
enum shell_repeat {
	SHELL_REPEAT,  /* the same again */
	SHELL_GO_ON,   /* the command without its arguments: it goes on */
	SHELL_REFRAIN, /* nothing: what it does is not for an accident */
};

enum { SHELL_ARGUMENTS = 2 };

struct shell_command {
	enum shell_command_id id;
	const char *name;
	const char *shorts;                         /* with blanks between; NULL: none */
	const char *arguments;                      /* "FUNCTION [stop] [if CONDITION]" */
	const char *summary;                        /* a line */
	const char *details;                        /* NULL: the summary says it all */
	enum shell_argument takes[SHELL_ARGUMENTS]; /* the last one is that of all that follow */
	const char *words;                          /* of SHELL_A_WORD, with blanks between */
	enum shell_repeat repeat;
	bool takes_line; /* what follows is one text */
};

/* All of them, in the order in which help shows them. */
extern const struct shell_command shell_table[SHELL_COMMAND_COUNT];

/*
 * The command that @word names, perhaps abbreviated. ERR_USAGE: it names none, and which is the
 * nearest; or several, and which.
 */
bool shell_find(const char *word, const struct shell_command **ret, struct err *err);

/*
 * The one of @words (with blanks between) that @word is a beginning of, into @ret[@size]. Errors as
 * above; @what it should be.
 */
bool shell_find_word(const char *word, const char *words, const char *what, char *ret, size_t size,
		     struct err *err);

/* The list of commands, a line each; and the help of one. */
void shell_find_print_all(FILE *out);
void shell_find_print_help(const struct shell_command *command, FILE *out);
