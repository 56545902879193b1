/*
 * The table of options: which command takes which, and what its help says. Parsing (options.c), --help, the manual page and shell completion are made
 * from it.
 */
#ifndef FATHOM_OPTIONS_TABLE_H
#define FATHOM_OPTIONS_TABLE_H

#include <argp.h>

#include "options.h"

/* Keys of options without a letter. */
enum option_key {
	OPTION_MAX_DEPTH = 256,
	OPTION_MAX_FEATURES,
	OPTION_GLOBALS,
	OPTION_DEBUGINFO_PATH,
	OPTION_MIN_R2,
	OPTION_CORRELATION,
	OPTION_FEATURES,
	OPTION_FOR,
	OPTION_FOLLOW_FORK,
	OPTION_SAMPLES,
	OPTION_PERIOD,
	OPTION_MAX_OVERHEAD,
	OPTION_COUNT_MAPPINGS,
	OPTION_NO_BRANCHES,
	OPTION_BRANCHES,
	OPTION_EXPLORE,
	OPTION_ANNOTATIONS,
	OPTION_STUCK,
	OPTION_PLOTS,
	OPTION_HTML,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_JUNIT,
	OPTION_ALPHA,
	OPTION_TOLERANCE,
	OPTION_COLOR,
	OPTION_MAN,
	OPTION_BASH,
	OPTION_ZSH,
	OPTION_HELP,
	OPTION_VERSION,
};

/* Groups of commands. */
enum {
	MODELLED = COMMAND_RUN | COMMAND_ATTACH, /* what they measure */
	MEASURING = MODELLED | COMMAND_CHECK | COMMAND_SESSION,
	COMPARING = COMMAND_CHECK | COMMAND_DIFF,
	MODELLING = MEASURING | COMMAND_LIST | COMMAND_ANNOTATE | COMMAND_STACK | COMMAND_PREDICT |
		    COMMAND_DIFF,
	ALL = MODELLING | COMMAND_IMPORT | COMMAND_EXPORT | COMMAND_EXPLORE | COMMAND_STUCK |
	      COMMAND_SESSION,
};

/* What completion offers for an option's value. */
enum option_value {
	VALUE_NONE,
	VALUE_TEXT, /* anything: nothing is offered */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_METRICS,
	VALUE_FUNCTION,
	VALUE_WORDS, /* one of `words` */
	/* Of arguments. */
	VALUE_PROGRAM,
	VALUE_PID,
	VALUE_PROFILE,
	VALUE_COUNT,
};

struct option_row {
	unsigned commands; /* bits of enum command_bit */
	struct argp_option option;
	enum option_value value;
	const char *words; /* of VALUE_WORDS, with blanks between */
};

extern const struct option_row option_table[];
extern const size_t option_table_size;

#endif
