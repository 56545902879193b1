/*
 * Sets the fields of struct options by rows of the table. A wrong value ends the process with a
 * line on standard error and exit status 2.
 */
#pragma once

#include "options_table.h"

struct option_parsing {
	const struct command_usage *usage;
	struct options *options;
	int seen;            /* index of the first word not parsed yet */
	const char *unstuck; /* an option that excludes --stuck; NULL: none */
};

/* Set the field of @row from @text (borrowed), NULL for an option without a value. */
void option_setters_field(const struct option_parsing *parsing, const struct option_row *row,
			  char *text);

/* Print @text and where to look it up, and exit. */
_Noreturn void option_setters_fail(const struct option_parsing *parsing, const char *text);

/* For SET_BY. */
void option_setters_feature(const struct option_parsing *parsing, const char *text);
void option_setters_function(const struct option_parsing *parsing, const char *text);
void option_setters_layout(const struct option_parsing *parsing, const char *text);
void option_setters_new(const struct option_parsing *parsing, const char *text);
void option_setters_old(const struct option_parsing *parsing, const char *text);
void option_setters_metrics(const struct option_parsing *parsing, const char *text);
void option_setters_output(const struct option_parsing *parsing, const char *text);
void option_setters_debuginfo_path(const struct option_parsing *parsing, const char *text);
void option_setters_seconds(const struct option_parsing *parsing, const char *text);
void option_setters_every(const struct option_parsing *parsing, const char *text);
void option_setters_period(const struct option_parsing *parsing, const char *text);
void option_setters_sample_by(const struct option_parsing *parsing, const char *text);
void option_setters_samples(const struct option_parsing *parsing, const char *text);
void option_setters_progress(const struct option_parsing *parsing, const char *text);
void option_setters_scope(const struct option_parsing *parsing, const char *text);
void option_setters_budget(const struct option_parsing *parsing, const char *text);
void option_setters_gate(const struct option_parsing *parsing, const char *text);
/* @text may be NULL. */
void option_setters_csv(const struct option_parsing *parsing, const char *text);
void option_setters_overhead(const struct option_parsing *parsing, const char *text);
void option_setters_pin(const struct option_parsing *parsing, const char *text);
void option_setters_exclude(const struct option_parsing *parsing, const char *text);
void option_setters_correlation(const struct option_parsing *parsing, const char *text);
