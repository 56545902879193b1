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
#include "options_table.h"

enum { STACK_DEPTH = 2, STACK_FEATURES = 16 };
struct parsing {
	const struct command_usage *usage;
	struct options *options;
	int seen;            /* index of the first word that was not parsed yet */
	const char *unstuck; /* an option that was given and does not go with --stuck; NULL: none */
	bool depth, features, globals; /* were given */
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

static enum color which_color(const struct parsing *parsing, const char *text)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_NEVER] = "never", [COLOR_ALWAYS] = "always"};
	enum color color;

	for (color = 0; color < sizeof(names) / sizeof(names[0]); color++)
		if (!strcmp(text, names[color]))
			return color;
	fail(parsing, "--color is never, auto or always");
	return COLOR_AUTO;
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
	case OPTION_MAX_DEPTH:
		options->max_depth = whole_number(parsing, text, 16);
		break;
	case OPTION_MAX_FEATURES:
		options->max_features = whole_number(parsing, text, 1900);
		break;
	case OPTION_GLOBALS:
		options->globals = which_globals(parsing, text);
		break;
	case OPTION_DEBUGINFO_PATH:
		options->debuginfo_path = host_debuginfo_path(options->arena, text);
		break;
	case OPTION_FOR:
		options->seconds = some_seconds(parsing, text);
		break;
	case OPTION_SAMPLES:
		options->samples =
			strcmp(text, "all") ? whole_number(parsing, text, 1000000000) : 0;
		if (!options->samples && strcmp(text, "all"))
			fail(parsing, "--samples is a number above 0, or all");
		break;
	case OPTION_PERIOD:
		options->period_ms = whole_number(parsing, text, 86400000);
		break;
	case OPTION_MAX_OVERHEAD:
		options->max_overhead = percentage(parsing, text);
		break;
	case OPTION_COUNT_MAPPINGS:
		options->mappings = true;
		break;
	case OPTION_NO_BRANCHES:
		options->branches = false;
		break;
	case OPTION_FOLLOW_FORK:
		options->follow_fork = true;
		break;
	case OPTION_FEATURES:
		options->features = true;
		break;
	case OPTION_BRANCHES:
		options->branches = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What results look like, and where they go. */
static error_t take_results(int key, char *text, const struct parsing *parsing)
{
	struct options *options = parsing->options;

	switch (key) {
	case OPTION_JUNIT:
		options->junit = true;
		break;
	case OPTION_CSV:
		options->csv = true;
		break;
	case OPTION_PLOTS:
		options->plots = text;
		break;
	case OPTION_HTML:
		options->html = text;
		break;
	case OPTION_ANNOTATIONS:
		options->annotations = text;
		break;
	case OPTION_STUCK:
		options->stuck = true;
		break;
	case OPTION_EXPLORE:
		options->explore = true;
		break;
	case OPTION_JSON:
		options->json = true;
		break;
	case OPTION_MAN:
		options->document = DOCUMENT_MAN;
		break;
	case OPTION_BASH:
		options->document = DOCUMENT_BASH;
		break;
	case OPTION_ZSH:
		options->document = DOCUMENT_ZSH;
		break;
	default:
		return take_measuring(key, text, parsing);
	}
	return 0;
}

/* Which options were given matters beside their values. */
static void note_given(int key, struct parsing *parsing)
{
	parsing->depth |= key == OPTION_MAX_DEPTH;
	parsing->features |= key == OPTION_MAX_FEATURES;
	parsing->globals |= key == OPTION_GLOBALS;
	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].option.key == key &&
		    option_table[i].commands & parsing->usage->bit &&
		    !(option_table[i].commands & COMMAND_STUCK))
			parsing->unstuck = option_table[i].option.name;
}

static error_t take(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	struct options *options = parsing->options;

	if (key < ARGP_KEY_END)
		parsing->seen = state->next;
	note_given(key, parsing);
	switch (key) {
	case 'f':
		take_function(parsing, text);
		break;
	case OPTION_COLOR:
		options->color = which_color(parsing, text);
		break;
	case 'o':
		if (parsing->usage->bit != COMMAND_EXPORT && !strcmp(text, "-"))
			fail(parsing,
			     "-o wants a file, as a profile does not go to standard output");
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
	case OPTION_MIN_R2:
		options->min_r2 = fraction(parsing, text);
		break;
	case OPTION_CORRELATION:
		options->correlation = fraction(parsing, text);
		if (options->correlation == 0)
			fail(parsing, "--correlation must be more than 0");
		break;
	case OPTION_ALPHA:
		options->alpha = fraction(parsing, text);
		break;
	case OPTION_TOLERANCE:
		options->tolerance = fraction(parsing, text);
		break;
	case OPTION_HELP:
		show_help(state);
		break;
	case OPTION_VERSION:
		show_version();
		break;
	case ARGP_KEY_ARG:
		if (state->quoted && parsing->usage->launches)
			take_program(state, parsing);
		else
			take_arguments(state, parsing);
		break;
	default:
		return take_results(key, text, parsing);
	}
	return 0;
}

static void select_options(enum command_bit command, struct argp_option *ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < option_table_size; i++)
		if (option_table[i].commands & command)
			ret[n++] = option_table[i].option;
	ret[n] = (struct argp_option){0};
}

static void refuse(const struct parsing *parsing, int argc, char **argv)
{
	const char *word = parsing->seen < argc ? argv[parsing->seen] : argv[argc - 1];

	message_error("option '%s' is unknown, ambiguous or lacks its value: see fathom %s --help",
		      word, parsing->usage->name);
	exit(EXIT_UNUSABLE);
}

/* --stuck makes another command of attach. */
static void check_stuck(const struct parsing *parsing)
{
	const struct options *options = parsing->options;

	if (options->stuck && parsing->unstuck) {
		message_error("--%s does not go with --stuck: see fathom attach --help",
			      parsing->unstuck);
		exit(EXIT_UNUSABLE);
	}
	if (parsing->usage->bit == COMMAND_ATTACH && options->annotations && !options->stuck)
		fail(parsing, "--annotations goes with --stuck");
}

/* What people look at is less than what models are made of. */
static void limit_values(const struct parsing *parsing)
{
	struct options *options = parsing->options;

	if (!parsing->depth)
		options->max_depth = STACK_DEPTH;
	if (!parsing->features)
		options->max_features = STACK_FEATURES;
	if (!parsing->globals)
		options->globals = GLOBALS_NONE;
}

void options_parse(const struct command_usage *usage, int argc, char **argv, struct options *ret)
{
	struct argp_option *options = mem_alloc((option_table_size + 1) * sizeof(*options));
	char doc[4096];
	char name[64];
	struct argp argp = {options, take, usage->arguments, doc};
	struct parsing parsing = {usage, ret, 1};
	const bool in_order = usage->max_arguments < 0 || usage->launches;
	unsigned flags = ARGP_NO_ERRS | ARGP_NO_HELP | (in_order ? ARGP_IN_ORDER : 0);

	*ret = (struct options){
		.max_depth = 3,
		.max_features = 512,
		.globals = GLOBALS_UNIT,
		.min_r2 = 0.75,
		.correlation = 0.9,
		.alpha = 0.01,
		.tolerance = 0.1,
		.samples = 5000,
		.period_ms = 1000,
		.max_overhead = 0.05,
		.metrics = usage->bit & (MODELLED | COMMAND_SESSION) ? 1u << METRIC_TIME : 0};
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
	check_stuck(&parsing);
	if (usage->bit == COMMAND_STACK || ret->stuck)
		limit_values(&parsing);
	free(options);
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
