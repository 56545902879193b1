/*
 * The commands, one per file, and the table (cmd/cmd.c) that gives each its name, help and code.
 *
 * Only commands join the stages, print results and choose the exit status.
 */
#pragma once

#include "cli/options.h"

struct command {
	struct command_usage usage;
	int (*run)(const struct options *options); /* returns the exit status */
	bool confined; /* it only reads files, and writes those that its options name */
};

extern const struct command command_run;
extern const struct command command_attach;
extern const struct command command_list;
extern const struct command command_calls;
extern const struct command command_advise;
extern const struct command command_annotate;
extern const struct command command_check;
extern const struct command command_diff;
extern const struct command command_compare;
extern const struct command command_baseline;
extern const struct command command_history;
extern const struct command command_merge;
extern const struct command command_causal;
extern const struct command command_predict;
extern const struct command command_import;
extern const struct command command_scrub;
extern const struct command command_export;
extern const struct command command_stack;
extern const struct command command_sweep;
extern const struct command command_top;
extern const struct command command_watch;
extern const struct command command_explore;
extern const struct command command_session; /* prompt_main() parses its own options */

struct document_commands;

/* Prints the document that @options selects; returns the exit status (cmd/cmd_document.c). */
int cmd_document_print(const struct options *options, const struct document_commands *commands);

struct diff;

/* Two profiles, by paths; `name` tells several comparisons apart, NULL: there is one. */
struct compared {
	const char *old, *new, *name;
	bool by_turns; /* their runs were */
};

/* Compare all functions of @n pairs of profiles. ERR_IO, ERR_FORMAT. */
bool cmd_diff_profiles(const struct options *options, const struct compared *pairs, size_t n,
		       struct diff *ret, size_t *ret_worse, struct err *err);

/*
 * The same, and print it; @ret_failed: that is exit status 1. Also ERR_NOT_FOUND: nothing could be.
 */
bool cmd_diff_report(const struct options *options, const struct compared *pairs, size_t n,
		     bool *ret_failed, struct err *err);

struct measurement;

/*
 * What run and attach do without -o and -f: keep the default profile, choose functions. ERR_USAGE:
 * --no-models, without a profile for the samples; --adapt of nothing.
 */
bool cmd_annotate_prepare(struct options *options, struct err *err);

/*
 * A `finish`: print annotations of the functions that @m measured, made from all their samples in
 * the profile; nothing with --no-models. Errors: those of annotate_profile().
 */
bool cmd_annotate_measured(struct measurement *m, struct err *err);

/*
 * run --with: @measure the client beside a session of the server, and merge both. ERR_USAGE: some
 * option is missing, or no server is named; ERR_TARGET: its measurement ends before the client's
 * begins.
 */
bool cmd_run_with(const struct options *options,
		  bool (*measure)(struct options *options, struct err *err), struct err *err);

/* Merges the profiles that are the arguments, and prints what came of it (cmd/cmd_merge.c). */
bool cmd_merge_profiles(const struct options *options, struct err *err);

/* All commands, in the order that help lists them. */
extern const struct command *const command_table[];
extern const size_t command_table_size;

/* The command called @name, or NULL. */
const struct command *cmd_find(const char *name);

/* Parse @argv (argv[0]: the command's name), run the command, return its exit status. */
int cmd_main(const struct command *command, int argc, char **argv);

void cmd_print_all(void); /* what `fathom help` prints */
