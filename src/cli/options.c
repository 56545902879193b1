/* Parses with argp. options_table.c has the options, option_setters.c sets their values. */
#include "options.h"

#include <argp.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "container_files.h"
#include "core/cxx_name.h"
#include "host.h"
#include "message.h"
#include "option_setters.h"

/* An option without a letter has this plus its index in the table as key. */
enum { NO_LETTER = 256 };

enum { DEPTH = 3, FEATURES = 512, STACK_DEPTH = 2, STACK_FEATURES = 16 };

/* Values that mean: not given, use the command's default. */
static const struct options unset = {
	.max_depth = UINT_MAX, .max_features = SIZE_MAX, .globals = (enum globals) - 1};

static void take_arguments(struct argp_state *state, const struct option_parsing *parsing)
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
		option_setters_fail(
			parsing, usage->bit == COMMAND_SESSION
					 ? "too many arguments: --args PROG ARG... gives them to "
					   "the program"
					 : "too many arguments");
	options->arguments[options->n_arguments++] = state->argv[state->next - 1];
}

static void take_program(struct argp_state *state, const struct option_parsing *parsing)
{
	parsing->options->program = state->argv + state->next - 1;
	state->next = state->argc;
}

static int key_of(size_t row)
{
	return option_table[row].letter ? option_table[row].letter : NO_LETTER + (int)row;
}

/* NULL: the command has no such option. */
static const struct option_row *find_row(const struct option_parsing *parsing, int key)
{
	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].commands & parsing->usage->bit && key_of(i) == key)
			return &option_table[i];
	return NULL;
}

static void option_show_help(const struct argp_state *state)
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

static void take_option(struct argp_state *state, const struct option_row *row, char *text)
{
	struct option_parsing *parsing = state->input;

	if (!(row->commands & COMMAND_STUCK))
		parsing->unstuck = row->name;
	if (row->kind == SHOW_HELP)
		option_show_help(state);
	if (row->kind == SHOW_VERSION)
		show_version();
	/* Before anything is measured. Of export, --html may go without its place. */
	if (row->value == VALUE_FILE && !*text && parsing->usage->bit != COMMAND_EXPORT)
		option_setters_fail(parsing, "the name of a file is empty");
	option_setters_field(parsing, row, text);
}

static error_t option_take(int key, char *text, struct argp_state *state)
{
	struct option_parsing *parsing = state->input;
	const struct option_row *row;

	if (key < ARGP_KEY_END)
		parsing->seen = state->next;
	if (key == ARGP_KEY_ARG) {
		if (state->quoted && parsing->usage->launches)
			take_program(state, parsing);
		else
			take_arguments(state, parsing);
		return 0;
	}
	row = find_row(parsing, key);
	if (!row)
		return ARGP_ERR_UNKNOWN;
	take_option(state, row, text);
	return 0;
}

static void select_options(enum command_bit command, struct argp_option *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < option_table_size; i++) {
		const struct option_row *row = &option_table[i];

		if (row->commands & command)
			ret[n++] = (struct argp_option){
				row->name,
				key_of(i),
				row->argument,
				row->argument && row->value == VALUE_NONE ? OPTION_ARG_OPTIONAL : 0,
				row->help,
				row->group};
	}
	ret[n] = (struct argp_option){0};
}

/* How many of the command's options begin with @name (@ret: one), else the nearest of them. */
static size_t option_match(const struct option_parsing *parsing, const char *name, size_t length,
			   const char **ret)
{
	size_t n = 0, least = length / 4 + 2;

	*ret = NULL;
	for (size_t i = 0; i < option_table_size; i++) {
		const struct option_row *row = &option_table[i];

		if (!(row->commands & parsing->usage->bit) || strncmp(row->name, name, length) != 0)
			continue;
		*ret = row->name;
		if (!row->name[length])
			return 1;
		n++;
	}
	for (size_t i = 0; !n && i < option_table_size; i++) {
		const struct option_row *row = &option_table[i];
		const char *typed = strndupa(name, length);
		const size_t distance = row->commands & parsing->usage->bit
						? cxx_name_distance(row->name, typed, least)
						: least;

		if (distance < least) {
			least = distance;
			*ret = row->name;
		}
	}
	return n;
}

/* Arguments before it are passed over by getopt, and taken when all options were. */
static int refused_at(const struct option_parsing *parsing, int argc, char **argv)
{
	int at = parsing->seen;

	while (at < argc - 1 && argv[at][0] != '-')
		at++;
	return at < argc ? at : argc - 1;
}

static void option_refuse(const struct option_parsing *parsing, int argc, char **argv)
{
	const char *word = argv[refused_at(parsing, argc, argv)];
	const char *name = !strncmp(word, "--", 2) ? word + 2 : NULL, *found = NULL;
	const size_t n = name ? option_match(parsing, name, strcspn(name, "="), &found) : 0;

	if (n == 1)
		message_error("option '%s' lacks its value, or takes none: see fathom %s --help",
			      word, parsing->usage->name);
	else if (n)
		message_error(
			"option '%s' may be any of several, such as --%s: see fathom %s --help",
			word, found, parsing->usage->name);
	else if (found)
		message_error("there is no option '%s': did you mean --%s?", word, found);
	else
		message_error(
			"there is no option '%s', or it lacks its value: see fathom %s --help",
			word, parsing->usage->name);
	exit(EXIT_UNUSABLE);
}

/* With --stuck, attach takes other options. */
static void check_stuck(const struct option_parsing *parsing)
{
	const struct options *options = parsing->options;

	if (options->stuck && parsing->unstuck) {
		message_error("--%s does not go with --stuck: see fathom attach --help",
			      parsing->unstuck);
		exit(EXIT_UNUSABLE);
	}
	if (parsing->usage->bit == COMMAND_ATTACH && options->annotations && !options->stuck)
		option_setters_fail(parsing, "--annotations goes with --stuck");
}

/* Probes that cannot be lifted for a while keep no budget. */
static void check_hardware(const struct option_parsing *parsing)
{
	struct options *options = parsing->options;

	if (options->probes != PROBES_HARDWARE)
		return;
	if (!(parsing->usage->bit & (COMMAND_RUN | COMMAND_ATTACH)))
		option_setters_fail(parsing, "--probes hardware is for run and attach");
	if (!options->n_functions || options->hot)
		option_setters_fail(parsing, "--probes hardware has four addresses: name the "
					     "functions, with -f");
	options->max_overhead = 0;
}

/* Stacks are for people: fewer features than models need. */
static void set_defaults(struct options *options, bool is_stack)
{
	if (options->max_depth == unset.max_depth)
		options->max_depth = is_stack ? STACK_DEPTH : DEPTH;
	if (options->max_features == unset.max_features)
		options->max_features = is_stack ? STACK_FEATURES : FEATURES;
	if (options->globals == unset.globals)
		options->globals = is_stack ? GLOBALS_NONE : GLOBALS_UNIT;
}

/* Metrics of places are those of FUNCTION.PLACE, of each function that is named, or of all. */
static void name_places(struct options *options)
{
	const char **functions = options->functions;
	const size_t n = options->n_functions;

	options->functions = NULL;
	options->n_functions = options->functions_capacity = 0;
	for (size_t i = 0; i < (n ? n : 1); i++)
		for (size_t j = 0; j < options->n_places; j++) {
			options->functions =
				mem_grow(options->functions, &options->functions_capacity,
					 options->n_functions + 1, sizeof(*options->functions));
			options->functions[options->n_functions++] = arena_printf(
				options->arena, "%s%s", n ? functions[i] : "*", options->places[j]);
		}
	free(functions);
}

static void read_containers(struct options *options)
{
	struct err err;

	if (container_files_read(options->containers_file, &options->containers, &err))
		return;
	message_error("%s", err.text);
	exit(EXIT_UNUSABLE);
}

/*
 * Of export, --html and --plots may leave their place to -o: an option right behind them is no
 * place, which argp would take it for.
 */
static void leave_places(int argc, char **argv)
{
	static char html[] = "--html=", plots[] = "--plots=";

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *next = i + 1 < argc ? argv[i + 1] : "-o";

		if (*next != '-' || !next[1])
			continue;
		if (!strcmp(argv[i], "--html"))
			argv[i] = html;
		else if (!strcmp(argv[i], "--plots"))
			argv[i] = plots;
	}
}

void options_parse(const struct command_usage *usage, int argc, char **argv, struct options *ret)
{
	struct argp_option *options = mem_alloc((option_table_size + 1) * sizeof(*options));
	char doc[4096];
	char name[64];
	struct argp argp = {options, option_take, usage->arguments, doc};
	struct option_parsing parsing = {usage, ret, 1};
	const bool in_order = usage->max_arguments < 0 || usage->launches;
	unsigned flags = ARGP_NO_ERRS | ARGP_NO_HELP | (in_order ? ARGP_IN_ORDER : 0);

	*ret = (struct options){.max_depth = unset.max_depth,
				.max_features = unset.max_features,
				.globals = unset.globals,
				.color = COLOR_AUTO,
				.min_r2 = 0.75,
				.correlation = 0.9,
				.alpha = 0.01,
				.tolerance = 0.1,
				.layouts = (1u << LAYOUT_PARTS) - 1,
				.run_spread = 0.08,
				.runs = usage->bit & COMMAND_CHECK                          ? 1
					: usage->bit & (COMMAND_BASELINE | COMMAND_HISTORY) ? 5
											    : 20,
				.precision = 0.02,
				.samples = 5000,
				.period_ms = 1000,
				.watch.every = 60,
				.max_overhead = 0.05,
				.probes = PROBES_AUTO,
				.metrics = usage->bit & COMMAND_COMPARE ? METRICS_JUDGED
					   : usage->bit & (MODELLED | COMMAND_SESSION)
						   ? METRIC_BIT(METRIC_TIME)
						   : 0};
	ret->arena = arena_create();
	ret->debuginfo_path = host_debuginfo_path(ret->arena, getenv("DEBUGINFO_PATH"));
	ret->arguments = ret->argument_list = mem_alloc((argc + 1) * sizeof(*ret->arguments));
	select_options(usage->bit, options);
	snprintf(doc, sizeof(doc), "%s%s%s%s", usage->summary,
		 usage->summary[strlen(usage->summary) - 1] == '?' ? "" : ".",
		 usage->details ? "\v" : "", usage->details ? usage->details : "");
	snprintf(name, sizeof(name), "fathom %s", usage->name);
	argv[0] = name;
	if (usage->bit == COMMAND_EXPORT)
		leave_places(argc, argv);
	if (argp_parse(&argp, argc, argv, flags, NULL, &parsing))
		option_refuse(&parsing, argc, argv);
	check_stuck(&parsing);
	check_hardware(&parsing);
	set_defaults(ret, usage->bit == COMMAND_STACK || ret->stuck);
	if (ret->n_places && !(usage->bit & MEASURING))
		name_places(ret);
	if (!ret->raw && (usage->bit & (MEASURING | COMMAND_LIST | COMMAND_STACK)))
		read_containers(ret);
	free(options);
	if (ret->n_arguments >= usage->min_arguments)
		return;
	message_error("missing: fathom %s [OPTION...] %s", usage->name, usage->arguments);
	exit(EXIT_UNUSABLE);
}

void options_deinit(struct options *options)
{
	free(options->functions);
	free(options->places);
	container_table_destroy(options->containers);
	free(options->required_list);
	free(options->builds);
	arena_destroy(options->arena);
	free(options->argument_list);
}
