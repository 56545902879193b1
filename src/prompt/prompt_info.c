/* The commands info and metric: lists, progress and overhead of the measurement. */
#include "prompt_info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/samples/samples.h"
#include "cli/message.h"
#include "prompt_commands.h"
#include "prompt_inspect.h"
#include "prompt_probe.h"
#include "core/metric.h"
#include "prompt_text.h"
#include "trace/counters.h"

/* Cells to load per function: the samples are only counted here. */
enum { COUNTED_CELLS = 1 << 22 };

static bool print_catalogue(struct prompt *prompt, const char *pattern, unsigned details,
			    struct err *err)
{
	const struct options *options = &prompt->options;
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.ambiguous = true,
		.features = details & CATALOGUE_FEATURES,
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.strings = options->strings,
		.names_left_out = true,
		.required = options->required,
		.n_required = options->n_required,
		.globals = options->globals,
		.debuginfo_path = options->debuginfo_path,
	};
	struct catalogue *catalogue;

	if (!prompt_needs_program(prompt, err) ||
	    !catalogue_build(prompt->interpreter ? prompt->interpreter : prompt->path, &request,
			     &catalogue, err))
		return false;
	catalogue_print(catalogue, details, stdout);
	catalogue_destroy(catalogue);
	return true;
}

static bool print_features(struct prompt *prompt, const char *pattern, struct err *err)
{
	if (!pattern)
		return err_set(err, ERR_USAGE, "of which function? as in info features parse");
	return print_catalogue(prompt, pattern, CATALOGUE_FEATURES, err);
}

static void print_metrics(const struct prompt *prompt)
{
	const uint64_t measured = prompt->options.metrics | METRIC_BIT(METRIC_TIME);

	for (enum metric metric = 0; metric < METRIC_TOTALS; metric++) {
		const struct metric_info *info = metric_info(metric);

		printf("%c %-13s %-6s %s\n", measured & METRIC_BIT(metric) ? '*' : ' ',
		       info->keyword, info->unit_text, info->meaning);
	}
	puts("* is measured. self. in front of a name: without what measured callees cost.");
}

static bool print_samples(struct prompt *prompt, struct err *err)
{
	const char *const *functions;
	size_t n;

	if (!prompt_needs_samples(prompt, err))
		return false;
	n = profile_functions(prompt->profile, &functions);
	for (size_t i = 0; i < n; i++) {
		struct samples *samples;

		if (!profile_load(prompt->profile, functions[i], COUNTED_CELLS, &samples, err))
			return false;
		text_print_safe(stdout, samples->function);
		printf(": %zu samples of %zu calls, %zu columns\n", samples->n_rows,
		       samples->n_calls, samples->n_columns);
		samples_destroy(samples);
	}
	return true;
}

static void print_function_overhead(const struct prompt *prompt, const struct program *program,
				    size_t index, FILE *out)
{
	const struct session *session = prompt_session(prompt);
	const struct function_account *account =
		session_function_account(session, program->image, index);
	const double share = session_function_share(session, program->image, index);
	char amount[METRIC_AMOUNT];

	if (program->catalogue->functions[index].unmeasurable)
		return;
	text_print_safe(out, program->catalogue->functions[index].name);
	fprintf(out, ": %lu calls, %lu stops, %s in them; measured %.3g %% of the time\n",
		account->calls, account->stops,
		metric_amount(METRIC_TIME, account->stopped_ns / 1e3, amount), share * 100);
}

static void print_live_overhead(const struct prompt *prompt, FILE *out)
{
	const struct account *account;
	struct program *const *programs;
	double overhead;
	size_t n;

	account = session_account(prompt_session(prompt));
	overhead = session_overhead(prompt_session(prompt));
	fprintf(out, "%lu stops", account->stops);
	if (isfinite(overhead))
		fprintf(out, "; measuring costs about %.3g %% of the program's time",
			overhead * 100);
	if (prompt->options.max_overhead > 0)
		fprintf(out, " (at most %.3g %%, but for functions that are stopped in)",
			prompt->options.max_overhead * 100);
	fprintf(out, "\nCalls are noticed by %s.\n", prompt->m->probes);
	n = programs_measured(prompt->m->programs, &programs);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < programs[i]->catalogue->n_functions; j++)
			print_function_overhead(prompt, programs[i], j, out);
}

void prompt_note_overhead(struct prompt *prompt)
{
	size_t size;
	FILE *out;

	free(prompt->last_overhead);
	prompt->last_overhead = NULL;
	out = open_memstream(&prompt->last_overhead, &size);
	if (!out)
		return;
	print_live_overhead(prompt, out);
	fclose(out);
}

static void print_overhead(const struct prompt *prompt)
{
	if (prompt->m)
		print_live_overhead(prompt, stdout);
	else if (prompt->last_overhead)
		printf("The last process, which is gone: %s", prompt->last_overhead);
	else
		puts("No process was measured yet.");
}

static const char *rest_of(struct prompt *prompt, const struct prompt_arguments *arguments)
{
	return arguments->n > 1
		       ? shell_words_rest(arguments->text, arguments->words[1].at, prompt->spare)
		       : NULL;
}

static bool info_functions(struct prompt *prompt, const struct prompt_arguments *arguments,
			   struct err *err)
{
	const char *part = rest_of(prompt, arguments);

	/* As in gdb, any part of a name will do. */
	if (part && *part && !strpbrk(part, "*?[:(<. "))
		part = arena_printf(prompt->spare, "*%s*", part);
	return print_catalogue(prompt, part, 0, err);
}

static bool info_features(struct prompt *prompt, const struct prompt_arguments *arguments,
			  struct err *err)
{
	return print_features(prompt, rest_of(prompt, arguments), err);
}

static void print_probes(const struct prompt *prompt, FILE *out)
{
	if (!prompt->n_probes)
		fputs("There are no probes: probe FUNCTION makes one.\n", out);
	for (size_t i = 0; i < prompt->n_probes; i++) {
		const struct prompt_probe *probe = prompt->probes[i];

		fprintf(out, "%-3u %-8s ", probe->number,
			!probe->is_enabled    ? "disabled"
			: probe->is_temporary ? "once"
					      : "enabled");
		text_print_safe(out, probe->pattern);
		if (probe->line_addr)
			fprintf(out, " at %s", probe->line);
		fprintf(out, "%s%s",
			probe->is_break ? " break"
			: probe->stops  ? " stop"
					: "",
			probe->condition ? " if " : "");
		text_print_safe(out, probe->condition ? probe->condition : "");
		fprintf(out, "   %lu calls looked at", probe->calls);
		if (probe->condition)
			fprintf(out, ", for %lu it held", probe->matched);
		if (probe->ignore)
			fprintf(out, ", %lu more ignored", probe->ignore);
		fputc('\n', out);
	}
}

static bool info_probes(struct prompt *prompt, const struct prompt_arguments *arguments,
			struct err *err)
{
	(void)arguments;
	(void)err;
	print_probes(prompt, stdout);
	return true;
}

static bool info_threads(struct prompt *prompt, const struct prompt_arguments *arguments,
			 struct err *err)
{
	(void)arguments;
	return prompt_print_threads(prompt, stdout, err);
}

static bool info_samples(struct prompt *prompt, const struct prompt_arguments *arguments,
			 struct err *err)
{
	(void)arguments;
	return print_samples(prompt, err);
}

static bool info_overhead(struct prompt *prompt, const struct prompt_arguments *arguments,
			  struct err *err)
{
	(void)arguments;
	(void)err;
	print_overhead(prompt);
	return true;
}

static bool info_metrics(struct prompt *prompt, const struct prompt_arguments *arguments,
			 struct err *err)
{
	(void)arguments;
	(void)err;
	print_metrics(prompt);
	return true;
}

static bool info_display(struct prompt *prompt, const struct prompt_arguments *arguments,
			 struct err *err)
{
	(void)arguments;
	(void)err;
	for (size_t i = 0; i < prompt->n_displays; i++)
		if (prompt->displays[i])
			prompt_say("%zu: %s", i + 1, prompt->displays[i]);
	return true;
}

static const struct {
	const char *word;
	prompt_command *tell;
} topics[] = {
	{"functions", info_functions},    {"features", info_features},
	{"probes", info_probes},          {"breakpoints", info_probes},
	{"threads", info_threads},        {"samples", info_samples},
	{"overhead", info_overhead},      {"metrics", info_metrics},
	{"args", prompt_info_args},       {"locals", prompt_info_locals},
	{"frame", prompt_info_frame},     {"registers", prompt_info_registers},
	{"source", prompt_info_source},   {"line", prompt_info_line},
	{"symbol", prompt_info_symbol},   {"sharedlibrary", prompt_info_files},
	{"signals", prompt_info_signals}, {"display", info_display},
};

bool prompt_info(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	char what[16];

	if (!shell_find_word(arguments->n ? arguments->words[0].text : "",
			     shell_table[SHELL_INFO].words, "what info tells about", what,
			     sizeof(what), err))
		return false;
	for (size_t i = 0; i < sizeof(topics) / sizeof(*topics); i++)
		if (!strcmp(topics[i].word, what))
			return topics[i].tell(prompt, arguments, err);
	return false;
}

static bool parse_metrics(struct prompt *prompt, const struct prompt_arguments *arguments,
			  uint64_t *ret, struct err *err)
{
	char *text = arena_strdup(prompt->spare, arguments->text);
	char *word;

	*ret = 0;
	while ((word = strsep(&text, ", \t"))) {
		const enum metric metric = metric_parse_measured(word);

		if (!*word)
			continue;
		if (metric == METRIC_COUNT)
			return err_set(err, ERR_USAGE,
				       "there is no metric \"%.40s\": info metrics lists them",
				       word);
		*ret |= METRIC_BIT(metric);
	}
	return true;
}

bool prompt_metric(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *note;
	uint64_t metrics;

	if (!arguments->n) {
		for (enum metric metric = 0; metric < METRIC_MEASURED; metric++)
			if ((prompt->options.metrics | METRIC_BIT(METRIC_TIME)) &
			    METRIC_BIT(metric))
				printf("%s\n", metric_info(metric)->keyword);
		return true;
	}
	if (!parse_metrics(prompt, arguments, &metrics, err) ||
	    !counters_check(metrics, &note, err))
		return false;
	if (note)
		message_note("%s", note);
	if (prompt->m)
		message_note("this process is measured as before; the next one with these metrics");
	prompt->options.metrics = metrics;
	return true;
}

/* The functions called @pattern that can have the feature @expression, with its name there. */
static bool find_required(struct prompt *prompt, const char *pattern, const char *expression,
			  struct err *err)
{
	struct options *options = &prompt->options;
	const struct required_feature wanted = {NULL, expression};
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.ambiguous = true,
		.features = true,
		.required = &wanted,
		.n_required = 1,
		.without_sites = true,
		.debuginfo_path = options->debuginfo_path,
	};
	struct required_feature *all;
	struct catalogue *catalogue;

	if (!prompt_needs_program(prompt, err) ||
	    !catalogue_build(prompt->interpreter ? prompt->interpreter : prompt->path, &request,
			     &catalogue, err))
		return false;
	all = arena_array(prompt->arena, struct required_feature,
			  options->n_required + catalogue->n_functions);
	if (options->n_required)
		memcpy(all, options->required, options->n_required * sizeof(*all));
	for (size_t i = 0; i < catalogue->n_functions; i++)
		all[options->n_required++] = (struct required_feature){
			arena_strdup(prompt->arena, catalogue->functions[i].name),
			arena_strdup(prompt->arena, expression)};
	options->required = all;
	for (size_t i = 0; i < catalogue->n_notes; i++)
		message_note("%s", catalogue->notes[i]);
	catalogue_destroy(catalogue);
	return true;
}

bool prompt_feature(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	if (arguments->n < 2)
		return err_set(err, ERR_USAGE,
			       "of which function, and which? as in feature parse text[0]");
	if (!find_required(prompt, arguments->words[0].text,
			   shell_words_rest(arguments->text, arguments->words[1].at, prompt->spare),
			   err))
		return false;
	if (prompt->m)
		message_note("this process is measured as before; the next one with this feature");
	return true;
}
