/*
 * The options of all commands: one table says which command takes which, and makes --help.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/metric.h"
#include "dwarf/catalogue_build.h"
#include "usage.h"

enum document {
	DOCUMENT_NONE,
	DOCUMENT_MAN,
	DOCUMENT_BASH,
	DOCUMENT_ZSH,
};

enum color { COLOR_NEVER, COLOR_AUTO, COLOR_ALWAYS };

struct options {
	const char **functions; /* patterns of -f */
	size_t n_functions;
	const char *output; /* -o: the profile */
	const char *report; /* -r: where results go; NULL: standard output */
	unsigned max_depth;
	size_t max_features;
	enum globals globals;
	double min_r2;
	double correlation;         /* features that are as strongly correlated are one */
	unsigned metrics;           /* bits 1 << enum metric; 0: all that there are */
	size_t samples;             /* of a function and period; 0: all */
	unsigned period_ms;         /* 0: until the end */
	double max_overhead;        /* as a part of the program's time; 0: no limit */
	bool mappings;              /* --count-mappings */
	double alpha, tolerance;    /* of check and diff */
	const char *debuginfo_path; /* as struct catalogue_request has it */
	double seconds;             /* --for; 0: no limit */
	bool follow_fork;
	const char *plots, *html; /* of export: the folder, the file; NULL: not asked for */
	const char *annotations;  /* of stack and attach: the file; NULL: none */
	bool features, branches, csv, junit, json, quiet, verbose, explore, stuck;
	enum document document; /* of document */
	enum color color;       /* of what people look at */
	char **arguments;       /* what is left, NULL-terminated */
	int n_arguments;
	char **program; /* the command line behind `--`, NULL-terminated; NULL: there is none */
	/* Private. */
	char **argument_list;
	size_t functions_capacity;
	struct arena *arena; /* of the patterns */
};

/*
 * Parse @argv, whose first word is the command. Prints and exits for --help and --version; a wrong
 * option is one line on standard error and exit status 2. The caller frees with options_deinit().
 */
void options_parse(const struct command_usage *usage, int argc, char **argv, struct options *ret);
void options_deinit(struct options *options);
