/* Options by argp: the table, and what each option sets. */
#include "options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host.h"
#include "message.h"

enum {
	KEY_MAX_DEPTH = 256,
	KEY_MAX_FEATURES,
	KEY_GLOBALS,
	KEY_DEBUGINFO_PATH,
	KEY_MIN_R2,
	KEY_CORRELATION,
	KEY_FEATURES,
	KEY_FOR,
	KEY_FOLLOW_FORK,
	KEY_SAMPLES,
	KEY_PERIOD,
	KEY_MAX_OVERHEAD,
	KEY_COUNT_MAPPINGS,
	KEY_NO_BRANCHES,
	KEY_BRANCHES,
	KEY_JSON,
	KEY_CSV,
	KEY_JUNIT,
	KEY_ALPHA,
	KEY_TOLERANCE,
	KEY_COLOR,
	KEY_HELP,
	KEY_VERSION,
};

enum { STACK_DEPTH = 2, STACK_FEATURES = 16 };
enum {
	MODELLED = COMMAND_RUN | COMMAND_ATTACH, /* what they measure */
	MEASURING = MODELLED | COMMAND_CHECK,
	COMPARING = COMMAND_CHECK | COMMAND_DIFF,
	MODELLING = MEASURING | COMMAND_LIST | COMMAND_ANNOTATE | COMMAND_STACK | COMMAND_PREDICT |
		    COMMAND_DIFF,
	ALL = MODELLING | COMMAND_IMPORT | COMMAND_EXPORT,
};

static const struct option_row {
	unsigned commands;
	struct argp_option option;
} table[] = {
	{MODELLED | COMMAND_ANNOTATE | COMMAND_EXPORT | COMMAND_DIFF,
	 {"function", 'f', "NAME|PATTERN", 0,
	  "Function: plain, qualified or linkage name, glob; of a source file (parser.c:*) or "
	  "library (libz.so.1:inflate); or @FILE with one a line; may be repeated"}},
	{MEASURING | COMMAND_IMPORT,
	 {"output", 'o', "PROFILE", 0, "Add the samples to this profile"}},
	{COMMAND_EXPORT, {"output", 'o', "FILE", 0, "Write there"}},
	{COMMAND_EXPORT, {"csv", KEY_CSV, NULL, 0, "As a table, comma-separated"}},
	{MODELLING, {"report", 'r', "FILE", 0, "Write the results there, not to standard output"}},
	{MODELLED | COMMAND_ANNOTATE | COMMAND_PREDICT | COMMAND_DIFF,
	 {"metric", 'm', "LIST", 0,
	  "Metrics, with commas between: time (the default of run and attach), cpu, wait, hold, mem, "
	  "peak, pfaults, Pfaults, switches, instructions, cycles, cachemisses, branchmisses; with "
	  "self. before it: without what measured callees cost"}},
	{COMMAND_ATTACH,
	 {"for", KEY_FOR, "SECONDS", 0, "Measure that long (until Ctrl-C, or the process ends)"}},
	{MEASURING,
	 {"follow-fork", KEY_FOLLOW_FORK, NULL, 0,
	  "Measure the processes that it starts, too, whatever they execute"}},
	{MEASURING,
	 {"samples", KEY_SAMPLES, "N", 0,
	  "Keep so many calls of a function and period, chosen by chance (5000), or all"}},
	{MEASURING,
	 {"period", KEY_PERIOD, "MS", 0,
	  "Add samples to the profile so often (1000); 0: at the end"}},
	{MEASURING,
	 {"max-overhead", KEY_MAX_OVERHEAD, "PERCENT", 0,
	  "Let the program take so much longer at most, by measuring only for moments what is "
	  "called too often (5), or none: measure every call"}},
	{MEASURING,
	 {"count-mappings", KEY_COUNT_MAPPINGS, NULL, 0,
	  "Anonymous memory that mmap gives is mem and peak, too"}},
	{COMMAND_LIST,
	 {"features", KEY_FEATURES, NULL, 0, "Also list what could be read at each call"}},
	{COMMAND_LIST,
	 {"branches", KEY_BRANCHES, NULL, 0, "Also list the conditional branches and switches"}},
	{MODELLED,
	 {"branches", KEY_BRANCHES, NULL, 0,
	  "Note where conditional branches that a call comes to once lead, and which case switches "
	  "choose. Each is a stop more in a call, so that times are less exact"}},
	{MODELLED, {"no-branches", KEY_NO_BRANCHES, NULL, 0, "Do not (the default)"}},
	{MEASURING | COMMAND_LIST | COMMAND_STACK,
	 {"max-depth", KEY_MAX_DEPTH, "N", 0,
	  "Follow members and pointers so far (3; of stack: 2)"}},
	{MEASURING | COMMAND_LIST | COMMAND_STACK,
	 {"max-features", KEY_MAX_FEATURES, "N", 0,
	  "Features of one function (512; of stack: 16)"}},
	{MEASURING | COMMAND_LIST | COMMAND_STACK,
	 {"globals", KEY_GLOBALS, "WHICH", 0,
	  "Global variables as features: none, unit (the function's compilation unit sees them; the default but of stack) or all"}},
	{MEASURING | COMMAND_LIST | COMMAND_STACK,
	 {"debuginfo-path", KEY_DEBUGINFO_PATH, "PATH[:PATH]", 0,
	  "Look in these folders for separate debug files first (default: $DEBUGINFO_PATH)"}},
	{MODELLED | COMMAND_ANNOTATE | COMMAND_DIFF,
	 {"min-r2", KEY_MIN_R2, "R", 0, "Believe regressions from this R² on (0.75)"}},
	{MODELLED | COMMAND_ANNOTATE | COMMAND_DIFF,
	 {"correlation", KEY_CORRELATION, "R", 0,
	  "Features that are correlated as strongly are one, by the name that says most (0.9)"}},
	{ALL, {"color", KEY_COLOR, "WHEN", 0, "never, auto or always; nothing is coloured yet"}},
	{COMPARING,
	 {"alpha", KEY_ALPHA, "A", 0,
	  "The chance that anything is called violated or changed by accident, for all together (0.01)"}},
	{COMPARING,
	 {"tolerance", KEY_TOLERANCE, "T", 0,
	  "Relative differences up to this do not matter (0.1); of shares, absolute ones"}},
	{COMPARING, {"junit", KEY_JUNIT, NULL, 0, "Print the results as JUnit's XML"}},
	{MODELLING, {"json", KEY_JSON, NULL, 0, "Print the results as JSON"}},
	{ALL, {"quiet", 'q', NULL, 0, "Say nothing but results and errors"}},
	{ALL, {"verbose", 'v', NULL, 0, "Say more about what is done"}},
	/* argp's own help cannot be had without its two-line errors. */
	{ALL, {"help", KEY_HELP, NULL, 0, "Show this", -1}},
	{ALL, {"version", KEY_VERSION, NULL, 0, "Show the version", -1}},
};

enum { ROWS = sizeof(table) / sizeof(table[0]) };

struct parsing {
	const struct command_usage *usage;
	struct options *options;
	int seen; /* index of the first word that was not parsed yet */
};

static void fail(const struct parsing *parsing, const char *text)
{
	message_error("%s: see fathom %s --help", text, parsing->usage->name);
	exit(EXIT_UNUSABLE);
}

static unsigned long whole_number(const struct parsing *parsing, const char *text,
				  unsigned long most)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || number > most) {
		message_error("'%s' is not a number from 0 to %lu: see fathom %s --help", text,
			      most, parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return number;
}

static double fraction(const struct parsing *parsing, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= 0 && number <= 1)) {
		message_error("'%s' is not a number from 0 to 1: see fathom %s --help", text,
			      parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return number;
}

/* A part of 1. */
static double percentage(const struct parsing *parsing, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (!strcmp(text, "none"))
		return 0;
	if (end != text && *end == '%')
		end++;
	if (end == text || *end || !(number > 0 && number <= 1e6)) {
		message_error("'%s' is neither none nor a percentage above 0: see fathom %s --help",
			      text, parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return number / 100;
}

static double some_seconds(const struct parsing *parsing, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds <= 1e8)) {
		message_error("'%s' is not a number of seconds: see fathom %s --help", text,
			      parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return seconds;
}

static unsigned metric_list(const char *text)
{
	char *copy = strdupa(text);
	unsigned metrics = 0;
	char *word;

	while ((word = strsep(&copy, ","))) {
		enum metric metric = metric_parse(word);

		if (metric == METRIC_COUNT) {
			message_error("there is no metric '%s': fathom run --help lists them%s",
				      word,
				      strcmp(word, "self.peak") ? "" : "; a peak is not a sum");
			exit(EXIT_UNUSABLE);
		}
		metrics |= 1u << metric;
	}
	return metrics;
}

static enum globals which_globals(const struct parsing *parsing, const char *text)
{
	static const char *const names[] = {
		[GLOBALS_NONE] = "none", [GLOBALS_UNIT] = "unit", [GLOBALS_ALL] = "all"};
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(text, names[i]))
			return i;
	fail(parsing, "--globals is none, unit or all");
	return GLOBALS_NONE;
}

static void take_arguments(struct argp_state *state, const struct parsing *parsing)
{
	struct options *options = parsing->options;
	const struct command_usage *usage = parsing->usage;

	if (usage->max_arguments < 0) {
		/* The first argument is a program: what follows belongs to it. */
		options->arguments = state->argv + state->next - 1;
		options->n_arguments = state->argc - state->next + 1;
		state->next = state->argc;
		return;
	}
	if (options->n_arguments == usage->max_arguments)
		fail(parsing, "too many arguments");
	options->arguments[options->n_arguments++] = state->argv[state->next - 1];
}

static void take_program(struct argp_state *state, const struct parsing *parsing)
{
	parsing->options->program = state->argv + state->next - 1;
	state->next = state->argc;
}

static void add_function(struct options *options, const char *pattern)
{
	options->functions = mem_grow(options->functions, &options->functions_capacity,
				      options->n_functions + 1, sizeof(*options->functions));
	options->functions[options->n_functions++] = arena_strdup(options->arena, pattern);
}

static void list_fail(const char *path, const char *why)
{
	message_error("cannot read the list of functions '%s': %s", path, why);
	exit(EXIT_UNUSABLE);
}

/* A pattern a line; empty lines and those that start with # are left out. */
static void take_list(const struct parsing *parsing, const char *path)
{
	const size_t before = parsing->options->n_functions;
	FILE *list = fopen(path, "re");
	size_t capacity = 0;
	char *line = NULL;
	ssize_t n;

	if (!list)
		list_fail(path, strerror(errno));
	while ((n = getline(&line, &capacity, list)) > 0) {
		if (strlen(line) < (size_t)n)
			list_fail(path, "it is not a text file");
		line[strcspn(line, "\r\n")] = '\0';
		if (line[strspn(line, " \t")] && *line != '#')
			add_function(parsing->options, line);
	}
	if (ferror(list))
		list_fail(path, strerror(errno));
	if (parsing->options->n_functions == before)
		list_fail(path, "it names none");
	free(line);
	fclose(list);
}

static void take_function(const struct parsing *parsing, const char *text)
{
	if (*text == '@')
		take_list(parsing, text + 1);
	else if (text[strspn(text, " \t")])
		add_function(parsing->options, text);
	else
		fail(parsing, "-f is without a name");
}

static void show_help(const struct argp_state *state)
{
	argp_help(state->root_argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
		  state->name);
	exit(EXIT_DONE);
}

static void show_version(void)
{
	puts("fathom " FATHOM_VERSION);
	exit(EXIT_DONE);
}

/* What is measured, and how. */
static error_t take_measuring(int key, char *text, const struct parsing *parsing)
{
	struct options *options = parsing->options;

	switch (key) {
	case KEY_MAX_DEPTH:
		options->max_depth = whole_number(parsing, text, 16);
		break;
	case KEY_MAX_FEATURES:
		options->max_features = whole_number(parsing, text, 1900);
		break;
	case KEY_GLOBALS:
		options->globals = which_globals(parsing, text);
		break;
	case KEY_DEBUGINFO_PATH:
		options->debuginfo_path = host_debuginfo_path(options->arena, text);
		break;
	case KEY_FOR:
		options->seconds = some_seconds(parsing, text);
		break;
	case KEY_SAMPLES:
		options->samples =
			strcmp(text, "all") ? whole_number(parsing, text, 1000000000) : 0;
		if (!options->samples && strcmp(text, "all"))
			fail(parsing, "--samples is a number above 0, or all");
		break;
	case KEY_PERIOD:
		options->period_ms = whole_number(parsing, text, 86400000);
		break;
	case KEY_MAX_OVERHEAD:
		options->max_overhead = percentage(parsing, text);
		break;
	case KEY_COUNT_MAPPINGS:
		options->mappings = true;
		break;
	case KEY_NO_BRANCHES:
		options->branches = false;
		break;
	case KEY_FOLLOW_FORK:
		options->follow_fork = true;
		break;
	case KEY_FEATURES:
		options->features = true;
		break;
	case KEY_BRANCHES:
		options->branches = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t take(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	struct options *options = parsing->options;

	if (key < ARGP_KEY_END)
		parsing->seen = state->next;
	switch (key) {
	case 'f':
		take_function(parsing, text);
		break;
	case KEY_COLOR:
		if (strcmp(text, "never") && strcmp(text, "auto") && strcmp(text, "always"))
			fail(parsing, "--color is never, auto or always");
		break;
	case 'o':
		options->output = text;
		break;
	case 'r':
		options->report = text;
		break;
	case 'm':
		options->metrics = metric_list(text);
		break;
	case 'q':
		options->quiet = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	case KEY_MIN_R2:
		options->min_r2 = fraction(parsing, text);
		break;
	case KEY_CORRELATION:
		options->correlation = fraction(parsing, text);
		if (options->correlation == 0)
			fail(parsing, "--correlation must be more than 0");
		break;
	case KEY_ALPHA:
		options->alpha = fraction(parsing, text);
		break;
	case KEY_TOLERANCE:
		options->tolerance = fraction(parsing, text);
		break;
	case KEY_JUNIT:
		options->junit = true;
		break;
	case KEY_CSV:
		options->csv = true;
		break;
	case KEY_JSON:
		options->json = true;
		break;
	case KEY_HELP:
		show_help(state);
		break;
	case KEY_VERSION:
		show_version();
		break;
	case ARGP_KEY_ARG:
		if (state->quoted && parsing->usage->launches)
			take_program(state, parsing);
		else
			take_arguments(state, parsing);
		break;
	default:
		return take_measuring(key, text, parsing);
	}
	return 0;
}

static void select_options(enum command_bit command, struct argp_option ret[ROWS + 1])
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (table[i].commands & command)
			ret[n++] = table[i].option;
	ret[n] = (struct argp_option){0};
}

static void refuse(const struct parsing *parsing, int argc, char **argv)
{
	const char *word = parsing->seen < argc ? argv[parsing->seen] : argv[argc - 1];

	message_error("option '%s' is unknown, ambiguous or lacks its value: see fathom %s --help",
		      word, parsing->usage->name);
	exit(EXIT_UNUSABLE);
}

void options_parse(const struct command_usage *usage, int argc, char **argv, struct options *ret)
{
	struct argp_option options[ROWS + 1];
	char doc[4096];
	char name[64];
	struct argp argp = {options, take, usage->arguments, doc};
	struct parsing parsing = {usage, ret, 1};
	const bool in_order = usage->max_arguments < 0 || usage->launches;
	unsigned flags = ARGP_NO_ERRS | ARGP_NO_HELP | (in_order ? ARGP_IN_ORDER : 0);

	*ret = (struct options){.max_depth = 3,
				.max_features = 512,
				.globals = GLOBALS_UNIT,
				.min_r2 = 0.75,
				.correlation = 0.9,
				.alpha = 0.01,
				.tolerance = 0.1,
				.samples = 5000,
				.period_ms = 1000,
				.max_overhead = 0.05,
				.metrics = usage->bit & MODELLED ? 1u << METRIC_TIME : 0};
	if (usage->bit == COMMAND_STACK) {
		ret->max_depth = STACK_DEPTH;
		ret->max_features = STACK_FEATURES;
		ret->globals = GLOBALS_NONE;
	}
	ret->arena = arena_create();
	ret->debuginfo_path = host_debuginfo_path(ret->arena, getenv("DEBUGINFO_PATH"));
	ret->arguments = ret->argument_list = mem_alloc((argc + 1) * sizeof(*ret->arguments));
	select_options(usage->bit, options);
	snprintf(doc, sizeof(doc), "%s%s%s%s", usage->summary,
		 usage->summary[strlen(usage->summary) - 1] == '?' ? "" : ".",
		 usage->details ? "\v" : "", usage->details ? usage->details : "");
	snprintf(name, sizeof(name), "fathom %s", usage->name);
	argv[0] = name;
	if (argp_parse(&argp, argc, argv, flags, NULL, &parsing))
		refuse(&parsing, argc, argv);
	if (ret->n_arguments >= usage->min_arguments)
		return;
	message_error("missing: fathom %s [OPTION...] %s", usage->name, usage->arguments);
	exit(EXIT_UNUSABLE);
}

void options_deinit(struct options *options)
{
	free(options->functions);
	arena_destroy(options->arena);
	free(options->argument_list);
}
