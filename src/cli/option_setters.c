/*
 * Converts and checks option values: numbers and words by the kind of their field, others by a
 * function of their own. Finding the row of an option is options.c's part.
 */
#include "option_setters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/unit.h"
#include "core/annotation/quote_head.h"
#include "host.h"
#include "message.h"

void option_setters_fail(const struct option_parsing *parsing, const char *text)
{
	message_error("%s: see fathom %s --help", text, parsing->usage->name);
	exit(EXIT_UNUSABLE);
}

static unsigned long whole_number(const struct option_parsing *parsing, const char *text,
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

static double fraction(const struct option_parsing *parsing, const char *text)
{
	double number;

	if (!unit_parse(text, UNIT_SHARE, 1, &number) || !(number >= 0 && number <= 1)) {
		message_error("'%s' is not a number from 0 to 1, %% or times of it, as 5%% or "
			      "1.05x: see fathom %s --help",
			      text, parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return number;
}

/* Index of @text among the row's words. */
static unsigned choice(const struct option_parsing *parsing, const struct option_row *row,
		       const char *text)
{
	char *words = strdupa(row->words);
	char expected[128];
	unsigned i, n = 0;
	char *word;

	n = snprintf(expected, sizeof(expected), "--%s is", row->name);
	for (i = 0; (word = strsep(&words, " ")); i++) {
		if (!strcmp(text, word))
			return i;
		n += snprintf(expected + n, sizeof(expected) - n, "%s %s",
			      !i      ? ""
			      : words ? ","
				      : " or",
			      word);
	}
	option_setters_fail(parsing, expected);
}

void option_setters_field(const struct option_parsing *parsing, const struct option_row *row,
			  char *text)
{
	void *field = (char *)parsing->options + row->offset;

	switch (row->kind) {
	case SET_TRUE:
	case SET_FALSE:
		*(bool *)field = row->kind == SET_TRUE;
		break;
	case SET_TEXT:
		*(const char **)field = text;
		break;
	case SET_UNSIGNED:
		*(unsigned *)field = whole_number(parsing, text, row->most);
		break;
	case SET_SIZE:
		*(size_t *)field = whole_number(parsing, text, row->most);
		break;
	case SET_FRACTION:
		*(double *)field = fraction(parsing, text);
		break;
	case SET_CHOICE:
		*(unsigned *)field = choice(parsing, row, text);
		break;
	case SET_DOCUMENT:
		parsing->options->document = row->most;
		break;
	case SET_BY:
		row->set(parsing, text);
		break;
	case SHOW_HELP:
	case SHOW_VERSION:
		break;
	}
}

void option_setters_csv(const struct option_parsing *parsing, const char *text)
{
	parsing->options->csv = true;
	parsing->options->spreadsheet = text;
	if (text && strcmp(text, "spreadsheet") != 0)
		option_setters_fail(parsing, "--csv takes no value but spreadsheet");
}

/* A percentage, stored as a fraction. */
void option_setters_overhead(const struct option_parsing *parsing, const char *text)
{
	double share = 0;

	if (strcmp(text, "none") != 0 &&
	    (!unit_parse(text, UNIT_SHARE, 0.01, &share) || !(share > 0 && share <= 1e4))) {
		message_error("'%s' is neither none nor a percentage above 0: see fathom %s --help",
			      text, parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	parsing->options->max_overhead = share;
}

/* @plain_us: of a number without unit. */
static double duration(const struct option_parsing *parsing, const char *text, double plain_us)
{
	double us;

	if (!unit_parse(text, UNIT_TIME, plain_us, &us) || !(us >= 0 && us <= 1e14)) {
		message_error("'%s' is not a time, as 2 s or 500 ms: see fathom %s --help", text,
			      parsing->usage->name);
		exit(EXIT_UNUSABLE);
	}
	return us;
}

void option_setters_seconds(const struct option_parsing *parsing, const char *text)
{
	parsing->options->seconds = duration(parsing, text, 1e6) / 1e6;
	if (parsing->options->seconds == 0)
		option_setters_fail(parsing, "--for must be more than 0");
}

void option_setters_every(const struct option_parsing *parsing, const char *text)
{
	const double seconds = duration(parsing, text, 1e6) / 1e6;

	if (seconds < 1 || seconds > 86400)
		option_setters_fail(parsing, "--every is from a second to a day: shorter periods "
					     "have too few calls to judge");
	parsing->options->watch.every = seconds;
}

void option_setters_period(const struct option_parsing *parsing, const char *text)
{
	const double ms = duration(parsing, text, 1e3) / 1e3;

	if (ms > 86400000 || (ms > 0 && ms < 1))
		option_setters_fail(parsing, "--period is from 1 ms to a day, or 0");
	parsing->options->period_ms = (unsigned)ms;
}

void option_setters_samples(const struct option_parsing *parsing, const char *text)
{
	const bool all = !strcmp(text, "all");

	parsing->options->samples = all ? 0 : whole_number(parsing, text, 1000000000);
	if (!parsing->options->samples && !all)
		option_setters_fail(parsing, "--samples is a number above 0, or all");
}

void option_setters_correlation(const struct option_parsing *parsing, const char *text)
{
	parsing->options->correlation = fraction(parsing, text);
	if (parsing->options->correlation == 0)
		option_setters_fail(parsing, "--correlation must be more than 0");
}

void option_setters_output(const struct option_parsing *parsing, const char *text)
{
	if (!strcmp(text, "-"))
		option_setters_fail(parsing,
				    "-o wants a file, as a profile does not go to standard output");
	parsing->options->output = text;
}

void option_setters_debuginfo_path(const struct option_parsing *parsing, const char *text)
{
	parsing->options->debuginfo_path = host_debuginfo_path(parsing->options->arena, text);
}

static void add_build(struct options *options, const char *path, bool is_new)
{
	options->builds = mem_grow(options->builds, &options->builds_capacity,
				   options->n_builds + 1, sizeof(*options->builds));
	options->builds[options->n_builds++] =
		(struct build){arena_strdup(options->arena, path), is_new};
}

void option_setters_old(const struct option_parsing *parsing, const char *text)
{
	add_build(parsing->options, text, false);
}

void option_setters_new(const struct option_parsing *parsing, const char *text)
{
	add_build(parsing->options, text, true);
}

/* Words with commas between, each the end of a part's name; "fixed" alone is none of them. */
void option_setters_layout(const struct option_parsing *parsing, const char *text)
{
	const char *rest = text;
	unsigned parts = 0;

	while (strcmp(text, "fixed") != 0 && *rest) {
		const size_t length = strcspn(rest, ",");
		enum layout_part part;

		for (part = 0; part < LAYOUT_PARTS; part++) {
			const char *name = strchr(feature_layout_name(part), '.') + 1;

			if (strlen(name) == length && !strncmp(rest, name, length))
				break;
		}
		if (part == LAYOUT_PARTS) {
			message_error(
				"'%s' is not of stack, environment, heap and pages, with commas "
				"between, nor fixed: see fathom %s --help",
				text, parsing->usage->name);
			exit(EXIT_UNUSABLE);
		}
		parts |= 1u << part;
		rest += length + (rest[length] == ',');
	}
	parsing->options->layouts = parts;
}

/* "mem.at" is `mem`, and by site. */
static const char *take_sites(struct options *options, const char *list)
{
	static const char word[] = "mem.at";
	const size_t n = sizeof(word) - 1;
	const char *at = list;

	while ((at = strstr(at, word)) && ((at > list && at[-1] != ',') || (at[n] && at[n] != ',')))
		at += n;
	if (!at)
		return list;
	options->sites = true;
	return take_sites(
		options, arena_printf(options->arena, "%.*smem%s", (int)(at - list), list, at + n));
}

static void add_place(struct options *options, const char *place, size_t length)
{
	options->places = mem_grow(options->places, &options->places_capacity,
				   options->n_places + 1, sizeof(*options->places));
	options->places[options->n_places++] =
		arena_printf(options->arena, "%.*s", (int)length, place);
}

/* Of "time.server(handle),mem" the metrics: their places are added to the options'. */
static const char *take_places(struct options *options, const char *list)
{
	const char *const end = list + strlen(list);
	const char *ret = "", *place, *behind;

	for (const char *at = list; at < end; at = behind) {
		if (quote_head_metric(at, end, &place, &behind) == METRIC_COUNT || behind == place)
			place = behind = at + 1;
		else
			add_place(options, place, (size_t)(behind - place));
		ret = arena_printf(options->arena, "%s%.*s", ret, (int)(place - at), at);
	}
	return ret;
}

void option_setters_metrics(const struct option_parsing *parsing, const char *text)
{
	char wrong[64];

	text = take_places(parsing->options, text);
	text = take_sites(parsing->options, text);
	if (metric_parse_list(text, &parsing->options->metrics, wrong, sizeof(wrong)))
		return;
	message_error("there is no metric '%s': fathom run --help lists them%s", wrong,
		      metric_parse(wrong + strlen("self.") * !strncmp(wrong, "self.", 5)) ==
				      METRIC_COUNT
			      ? ""
			      : "; neither peak nor leaks is a sum");
	exit(EXIT_UNUSABLE);
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

/* One pattern a line; skips empty lines and those that start with #. */
static void take_list(const struct option_parsing *parsing, const char *path)
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

void option_setters_function(const struct option_parsing *parsing, const char *text)
{
	if (!strcmp(text, "@hot") && parsing->usage->bit & (COMMAND_RUN | COMMAND_ATTACH))
		parsing->options->hot = true;
	else if (*text == '@')
		take_list(parsing, text + 1);
	else if (text[strspn(text, " \t")])
		add_function(parsing->options, text);
	else
		option_setters_fail(parsing, "-f is without a name");
}

void option_setters_feature(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	if (!text[strspn(text, " \t")])
		option_setters_fail(parsing, "--feature is without an expression");
	options->required_list = mem_grow(options->required_list, &options->required_capacity,
					  options->n_required + 1, sizeof(*options->required_list));
	options->required_list[options->n_required++] =
		(struct required_feature){NULL, arena_strdup(options->arena, text)};
	options->required = options->required_list;
}

void option_setters_sample_by(const struct option_parsing *parsing, const char *text)
{
	char *expression = arena_strdup(parsing->options->arena, text);
	char *equals = strrchr(expression, '=');

	if (!equals || equals == expression)
		option_setters_fail(parsing, "--sample-by is like 'request->id=1%'");
	*equals = '\0';
	option_setters_feature(parsing, expression);
	parsing->options->sample_by = expression;
	parsing->options->sample_share = fraction(parsing, equals + 1);
	parsing->options->samples = 0;
}

static void add_text(struct arena *arena, const char ***list, size_t *n, const char *text)
{
	const char **longer = arena_array(arena, const char *, *n + 1);

	for (size_t i = 0; i < *n; i++)
		longer[i] = (*list)[i];
	longer[(*n)++] = text;
	*list = longer;
}

void option_setters_progress(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	add_text(options->arena, &options->causal.progress, &options->causal.n_progress, text);
}

void option_setters_scope(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	add_text(options->arena, &options->causal.scopes, &options->causal.n_scopes, text);
}

void option_setters_budget(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	add_text(options->arena, &options->budgets, &options->n_budgets, text);
}

void option_setters_pin(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	add_text(options->arena, &options->pinned, &options->n_pinned, text);
}

void option_setters_exclude(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	add_text(options->arena, &options->excluded, &options->n_excluded, text);
}

void option_setters_gate(const struct option_parsing *parsing, const char *text)
{
	struct options *options = parsing->options;

	if (strcmp(text, "growth") != 0 && strncmp(text, "cost=", 5) != 0)
		option_setters_fail(parsing, "--gate is growth or cost=10%@n=1e5");
	add_text(options->arena, &options->gates, &options->n_gates, text);
}
