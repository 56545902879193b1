/*
 * Names and arguments of commands, for parsing, --help, the manual page and completions. The table
 * is cmd/cmd.c's.
 */
#pragma once

#include <stdbool.h>

/* Bits: which command takes an option. */
enum command_bit {
	COMMAND_RUN = 1,
	COMMAND_LIST = 2,
	COMMAND_ANNOTATE = 4,
	COMMAND_STACK = 8,
	COMMAND_ATTACH = 16,
	COMMAND_PREDICT = 32,
	COMMAND_IMPORT = 64,
	COMMAND_EXPORT = 128,
	COMMAND_CHECK = 256,
	COMMAND_DIFF = 512,
	COMMAND_EXPLORE = 1024,
	COMMAND_STUCK = 2048, /* no command: marks options that attach --stuck takes */
	COMMAND_SESSION = 4096,
	COMMAND_DOCUMENT = 8192,
	COMMAND_COMPARE = 16384,
	COMMAND_ADVISE = 32768,
	COMMAND_SWEEP = 65536,
	COMMAND_SCRUB = 1 << 17,
	COMMAND_BASELINE = 1 << 24,
	COMMAND_HISTORY = 1 << 25,
	COMMAND_CAUSAL = 1 << 26,
	COMMAND_TOP = 1 << 27,
	COMMAND_CALLS = 1 << 28,
	COMMAND_WATCH = 1 << 29,
	COMMAND_MERGE = 1 << 30,
};

struct command_usage {
	const char *name;
	enum command_bit bit;
	const char *arguments;            /* "PROG [PATTERN]" */
	const char *summary;              /* one line; --help shows it and `details` */
	const char *details;              /* may be NULL */
	int min_arguments, max_arguments; /* -1: any number; the first ends the options */
	bool launches;                    /* a command line follows `--` */
	bool is_hidden;                   /* for the build only */
};
