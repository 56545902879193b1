/*
 * Setting the fields of struct options by the rows of the table. A wrong value is reported in a
 * line on standard error, with exit status 2.
 */
#pragma once

#include "options_table.h"

struct option_parsing {
	const struct command_usage *usage;
	struct options *options;
	int seen;            /* index of the first word that was not parsed yet */
	const char *unstuck; /* option seen that does not go with --stuck, or NULL */
};

/* The option of @row was given with the value @text, which is borrowed; NULL: it takes none. */
void option_setters_field(const struct option_parsing *parsing, const struct option_row *row,
			  char *text);

/* Say @text and where to look it up, and exit. */
_Noreturn void option_setters_fail(const struct option_parsing *parsing, const char *text);

/* Of SET_BY. */
void option_setters_function(const struct option_parsing *parsing, const char *text);
void option_setters_metrics(const struct option_parsing *parsing, const char *text);
void option_setters_output(const struct option_parsing *parsing, const char *text);
void option_setters_debuginfo_path(const struct option_parsing *parsing, const char *text);
void option_setters_seconds(const struct option_parsing *parsing, const char *text);
void option_setters_samples(const struct option_parsing *parsing, const char *text);
void option_setters_overhead(const struct option_parsing *parsing, const char *text);
void option_setters_correlation(const struct option_parsing *parsing, const char *text);
