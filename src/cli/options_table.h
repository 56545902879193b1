/*
 * The table of options: which commands take each, its help and the field that it sets. Parsing
 * (options.c), --help, the manual page and shell completion are made from it.
 */
#pragma once

#include "options.h"

/* Groups of commands. */
enum {
	MODELLED = COMMAND_RUN | COMMAND_ATTACH, /* measure and print models */
	MEASURING = MODELLED | COMMAND_CHECK | COMMAND_COMPARE | COMMAND_SESSION |
		    COMMAND_BASELINE | COMMAND_HISTORY | COMMAND_SWEEP,
	COMPARING = COMMAND_CHECK | COMMAND_COMPARE | COMMAND_DIFF,
	MODELLING = MEASURING | COMMAND_LIST | COMMAND_ANNOTATE | COMMAND_MERGE | COMMAND_STACK |
		    COMMAND_PREDICT | COMMAND_DIFF,
	ALL = MODELLING | COMMAND_IMPORT | COMMAND_EXPORT | COMMAND_EXPLORE | COMMAND_STUCK |
	      COMMAND_SESSION | COMMAND_CAUSAL | COMMAND_TOP | COMMAND_CALLS | COMMAND_WATCH |
	      COMMAND_ADVISE | COMMAND_SCRUB,
};

/* What completion offers for an option's value. */
enum option_value {
	VALUE_NONE,
	VALUE_TEXT, /* anything: no completion */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_METRICS,
	VALUE_FUNCTION,
	VALUE_WORDS, /* one of `words` */
	/* Of arguments only. */
	VALUE_PROGRAM,
	VALUE_PID,
	VALUE_PROFILE,
	VALUE_COUNT,
};

/* How the value is parsed and stored. */
enum option_kind {
	SET_BY,       /* the row's function */
	SET_TRUE,     /* bool */
	SET_FALSE,    /* bool */
	SET_TEXT,     /* const char *; borrowed from the command line */
	SET_UNSIGNED, /* unsigned, from 0 to `most` */
	SET_SIZE,     /* size_t, likewise */
	SET_FRACTION, /* double, from 0 to 1 */
	SET_CHOICE,   /* an enum with constants in the order of `words` */
	SET_DOCUMENT, /* the field `document` to `most` */
	SHOW_HELP,
	SHOW_VERSION,
};

struct option_parsing;

struct option_row {
	unsigned commands; /* bits of enum command_bit */
	char letter;       /* 0: none */
	const char *name;
	/* name in the help; NULL: takes none; with VALUE_NONE it may be left out */
	const char *argument;
	const char *help;
	enum option_value value;
	const char *words; /* allowed values, separated by blanks; NULL: any */
	int group;         /* as in struct argp_option */
	enum option_kind kind;
	size_t offset; /* in struct options */
	unsigned long most;
	void (*set)(const struct option_parsing *parsing, const char *text); /* for SET_BY */
};

extern const struct option_row option_table[];
extern const size_t option_table_size;
