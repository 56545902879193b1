/*
 * The table of the prompt's commands: names, abbreviations, arguments, help, and what completes
 * arguments. shell_find.c, completion and help use it; prompt/ carries the commands out.
 *
 * Any unambiguous beginning of a name abbreviates it; some commands have gdb's short names, too.
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
	SHELL_BREAK,
	SHELL_TBREAK,
	SHELL_CONDITION,
	SHELL_COMMANDS,
	SHELL_PROBE,
	SHELL_TPROBE,
	SHELL_DELETE,
	SHELL_ENABLE,
	SHELL_DISABLE,
	SHELL_IGNORE,
	SHELL_METRIC,
	SHELL_SET,
	SHELL_SHOW,
	SHELL_FEATURE,
	SHELL_INFO,
	SHELL_BACKTRACE,
	SHELL_THREAD,
	SHELL_FRAME,
	SHELL_UP,
	SHELL_DOWN,
	SHELL_PRINT,
	SHELL_EXAMINE,
	SHELL_WHATIS,
	SHELL_PTYPE,
	SHELL_DISPLAY,
	SHELL_UNDISPLAY,
	SHELL_LIST,
	SHELL_ANNOTATE,
	SHELL_EXPLORE,
	SHELL_PLOT,
	SHELL_CHECK,
	SHELL_PREDICT,
	SHELL_LOAD,
	SHELL_SAVE,
	SHELL_SOURCE,
	SHELL_DEFINE,
	SHELL_ALIAS,
	SHELL_SHELL,
	SHELL_HELP,
	SHELL_APROPOS,
	SHELL_QUIT,
	SHELL_COMMAND_COUNT,
};

/* What an argument is. */
enum shell_argument {
	SHELL_NOTHING,
	SHELL_A_COMMAND,
	SHELL_A_FUNCTION, /* of the program */
	SHELL_A_MEASURED, /* a function with samples or an annotation */
	SHELL_A_FEATURE,  /* of the current function */
	SHELL_A_METRIC,
	SHELL_A_PROBE, /* its number */
	SHELL_A_FILE,
	SHELL_A_WORD, /* one of `words` */
};

/* What an empty line does after this command. */
enum shell_repeat {
	SHELL_REPEAT,  /* repeats it */
	SHELL_GO_ON,   /* repeats it without arguments, to continue */
	SHELL_REFRAIN, /* nothing: too dangerous to repeat by mistake */
};

enum { SHELL_ARGUMENTS = 2 };

/* What set and show know. */
#define SHELL_SETTINGS "args confirm listsize pagination probes"

struct shell_command {
	enum shell_command_id id;
	const char *name;
	const char *shorts;                         /* separated by blanks; NULL: none */
	const char *arguments;                      /* "FUNCTION [stop] [if CONDITION]" */
	const char *summary;                        /* a line */
	const char *details;                        /* NULL: the summary is enough */
	enum shell_argument takes[SHELL_ARGUMENTS]; /* the last one also holds for further ones */
	const char *words;                          /* SHELL_A_WORD: separated by blanks */
	enum shell_repeat repeat;
	bool takes_line; /* the rest of the line is one text */
};

/* [SHELL_COMMAND_COUNT] in the order of help. */
extern const struct shell_command shell_table[SHELL_COMMAND_COUNT];

/*
 * The command named by @word, perhaps abbreviated. ERR_USAGE: unknown (the text names the nearest),
 * or ambiguous (it names them). Of what gdb has and we have not, it says what there is.
 */
bool shell_find(const char *word, const struct shell_command **ret, struct err *err);

/*
 * The one of @words (separated by blanks) that @word abbreviates, copied to @ret[@size]. Errors as
 * above; @what names the kind of word.
 */
bool shell_find_word(const char *word, const char *words, const char *what, char *ret, size_t size,
		     struct err *err);

/* Print the commands whose help has @word (NULL: all), one per line; or the help of one. */
size_t shell_find_print_all(const char *word, FILE *out);
void shell_find_print_help(const struct shell_command *command, FILE *out);
