/*
 * Probes: their commands, and the measurement that they request. prompt_condition.c checks their
 * conditions, prompt_call.c applies them to calls.
 */
#include "prompt_probe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/cxx_name.h"
#include "cli/message.h"
#include "prompt_commands.h"
#include "prompt_condition.h"
#include "record/replan.h"
#include "trace/session_halt.h"

/* The position behind the quoted text at @at, else behind one character. */
static const char *probe_step(const char *at)
{
	const char *end = strchr("'\"`", *at) ? strchr(at + 1, *at) : NULL;

	return end ? end + 1 : at + 1;
}

/* Find @word in @text outside quotes and brackets; NULL: not there. */
static const char *find_word(const char *text, const char *word)
{
	const size_t n = strlen(word);
	unsigned depth = 0;

	for (const char *at = text; *at; at = probe_step(at)) {
		depth += strchr("(<[", *at) != NULL;
		depth -= depth && strchr(")>]", *at);
		if (!depth && at > text && isspace((unsigned char)at[-1]) &&
		    !strncmp(at, word, n) && (!at[n] || isspace((unsigned char)at[n])))
			return at;
	}
	return NULL;
}

/* The text from @from to @to without surrounding blanks and quotes. */
static const char *probe_trim(struct arena *arena, const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	if (to - from > 1 && *from == to[-1] && strchr("'\"", *from)) {
		from++;
		to--;
	}
	return arena_printf(arena, "%.*s", (int)(to - from), from);
}

static bool probe_parse(struct prompt_probe *probe, const char *text, struct err *err)
{
	const char *end = text + strlen(text);
	const char *condition = find_word(text, "if");
	const char *stop = find_word(text, "stop");

	if (condition)
		probe->condition = probe_trim(probe->arena, condition + 2, end);
	if (stop && condition && stop > condition)
		stop = NULL; /* part of the condition */
	probe->stops = stop != NULL || probe->is_break;
	end = stop ? stop : condition ? condition : end;
	if (stop && condition && *probe_trim(probe->arena, stop + 4, condition))
		return err_set(err, ERR_USAGE, "between stop and if there is \"%.60s\"",
			       probe_trim(probe->arena, stop + 4, condition));
	if (stop && !condition && *probe_trim(probe->arena, stop + 4, text + strlen(text)))
		return err_set(err, ERR_USAGE, "what is \"%.60s\"? if CONDITION may follow stop",
			       probe_trim(probe->arena, stop + 4, text + strlen(text)));
	probe->pattern = probe_trim(probe->arena, text, end);
	if (!*probe->pattern)
		return err_set(err, ERR_USAGE,
			       "which function? as in probe parse stop if n > 1000; info functions "
			       "lists them");
	return true;
}

/* Its functions are known. */
static bool probe_check(struct prompt *prompt, struct prompt_probe *probe, struct err *err)
{
	struct condition_known known;

	if (!probe->condition)
		return true;
	known = prompt_known_names(prompt, probe->catalogue, probe->arena);
	return condition_parse(probe->condition, &known, probe->arena, &probe->parsed, err) &&
	       prompt_check_condition(prompt, probe, err);
}

/* Find the functions that the probe names, and check its condition. */
static bool probe_resolve(struct prompt *prompt, struct prompt_probe *probe, struct err *err)
{
	const struct program_source source = {
		.path = prompt->interpreter ? prompt->interpreter : prompt->path,
		.process = prompt->m ? prompt->m->attached : 0,
		.running = prompt->m != NULL && prompt->m->attached,
		.whole = true,
	};
	const struct program *program;

	probe->options = prompt->options;
	probe->options.functions = &probe->pattern;
	probe->options.n_functions = 1;
	probe->programs = programs_create(&probe->options);
	program = programs_find(probe->programs, &source);
	if (!program->catalogue)
		return err_set(err, program->why.code, "%s", program->why.text);
	probe->catalogue = program->catalogue;
	return probe_check(prompt, probe, err);
}

static void prompt_probe_destroy(struct prompt_probe *probe)
{
	programs_destroy(probe->programs);
	arena_destroy(probe->arena);
	free(probe);
}

/* Collect the patterns of enabled probes, each once. */
static void list_patterns(struct prompt *prompt)
{
	struct options *options = &prompt->options;

	options->functions = arena_array(prompt->arena, const char *, prompt->n_probes + 1);
	options->n_functions = 0;
	for (size_t i = 0; i < prompt->n_probes; i++) {
		const struct prompt_probe *probe = prompt->probes[i];
		size_t j = 0;

		while (j < options->n_functions &&
		       strcmp(options->functions[j], probe->pattern) != 0)
			j++;
		if (probe->is_enabled && j == options->n_functions)
			options->functions[options->n_functions++] =
				arena_strdup(prompt->arena, probe->pattern);
	}
}

static void forget_plans(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_plans; i++)
		free(prompt->plans[i].masks);
	prompt->n_plans = 0;
}

/* Measure what the probes name now; on failure keep the old patterns. */
static bool replan(struct prompt *prompt, struct err *err)
{
	const struct options before = prompt->options;

	list_patterns(prompt);
	prompt_forget_look(prompt);
	if (prompt->m && !replan_first(prompt->m, err)) {
		prompt->options.functions = before.functions;
		prompt->options.n_functions = before.n_functions;
		return false;
	}
	forget_plans(prompt);
	prompt_apply_probes(prompt);
	return true;
}

static bool probe_is_of(const struct prompt_probe *probe, const struct catalogue *catalogue,
			unsigned image, unsigned index, struct arena *arena)
{
	const struct function *function = &catalogue->functions[index];

	/* The process may know the program by another path than the probe does. */
	if (image == 0 &&
	    catalogue_find_same(probe->catalogue, catalogue, index) < probe->catalogue->n_functions)
		return true;
	return cxx_name_matches(function->name, function->linkage,
				cxx_name_canonical(arena, probe->pattern));
}

static const struct catalogue *probe_catalogue_of(const struct prompt *prompt, unsigned image)
{
	struct program *const *programs;
	const size_t n = programs_measured(prompt->m->programs, &programs);

	return image < n ? programs[image]->catalogue : NULL;
}

static void make_plan(struct prompt *prompt, unsigned image)
{
	struct prompt_plan *plan = &prompt->plans[image];
	const struct catalogue *catalogue = probe_catalogue_of(prompt, image);
	struct arena *arena = arena_create();

	plan->catalogue = catalogue;
	plan->masks = mem_alloc((catalogue->n_functions + 1) * sizeof(*plan->masks));
	for (size_t i = 0; i < catalogue->n_functions; i++)
		for (size_t j = 0; j < prompt->n_probes; j++)
			if (prompt->probes[j]->is_enabled &&
			    probe_is_of(prompt->probes[j], catalogue, image, i, arena))
				plan->masks[i] |= UINT64_C(1) << j;
	arena_destroy(arena);
}

uint64_t prompt_probes_of(struct prompt *prompt, unsigned image, unsigned function)
{
	if (image >= prompt->n_plans) {
		prompt->plans = mem_grow(prompt->plans, &prompt->plans_capacity, image + 1,
					 sizeof(*prompt->plans));
		while (prompt->n_plans <= image)
			prompt->plans[prompt->n_plans++] = (struct prompt_plan){.masks = NULL};
	}
	if (prompt->plans[image].catalogue != probe_catalogue_of(prompt, image)) {
		free(prompt->plans[image].masks);
		make_plan(prompt, image);
	}
	return prompt->plans[image].masks[function];
}

/* The same code may have another path: the build tells. */
static bool has_line(const struct prompt_probe *probe, const struct catalogue *catalogue,
		     const struct function *function)
{
	const char *mine = probe->catalogue->modules[0].build_id;
	const char *its = catalogue->modules[0].build_id;

	return !function->module && mine && its && !strcmp(mine, its) &&
	       catalogue_contains(function, probe->line_addr);
}

/* What probes that stop need to see of the calls of a function. */
static struct session_watch find_watch(struct prompt *prompt, const struct catalogue *catalogue,
				       unsigned index, uint64_t mask)
{
	const struct function *function = &catalogue->functions[index];
	struct session_watch watch = {.ends = false};
	struct read_plan *filters = NULL;
	uint64_t lines[PROMPT_PROBES_MAX];
	bool filtered = true;

	for (size_t i = 0; i < prompt->n_probes; i++) {
		const struct prompt_probe *probe = prompt->probes[i];

		if (!(mask >> i & 1) || !probe->stops)
			continue;
		if (probe->line_addr) {
			if (has_line(probe, catalogue, function))
				lines[watch.n_lines++] = probe->line_addr;
			continue;
		}
		if (!prompt_is_at_entry(probe, function)) {
			watch.ends = true;
			continue;
		}
		watch.beginnings = true;
		if (!filters)
			filters = arena_array(prompt->arena, struct read_plan, PROMPT_PROBES_MAX);
		filtered &=
			prompt_filter(probe, function, prompt->arena, &filters[watch.n_filters++]);
	}
	if (filtered && !watch.ends)
		watch.filters = filters;
	watch.lines = arena_copy(prompt->arena, lines, watch.n_lines * sizeof(*lines));
	return watch;
}

void prompt_apply_probes(struct prompt *prompt)
{
	struct program *const *programs;
	size_t n, i, j;

	if (!prompt->m)
		return;
	n = programs_measured(prompt->m->programs, &programs);
	for (i = 0; i < n; i++)
		for (j = 0; j < programs[i]->catalogue->n_functions; j++) {
			const struct session_watch watch = find_watch(
				prompt, programs[i]->catalogue, j, prompt_probes_of(prompt, i, j));

			session_watch(prompt_session(prompt), i, j, &watch);
		}
}

static void say_probe(const struct prompt_probe *probe)
{
	size_t n = 0, measurable = 0, first = 0;

	for (; n < probe->catalogue->n_functions; n++)
		if (!probe->catalogue->functions[n].unmeasurable && !measurable++)
			first = n;
	printf("Probe %u: ", probe->number);
	if (probe->line_addr) {
		text_print_safe(stdout, probe->line);
		fputs(" in ", stdout);
	}
	text_print_safe(stdout, probe->catalogue->functions[first].name);
	if (probe->line_addr) {
		puts(", stops there");
		return;
	}
	if (measurable > 1)
		printf(" and %zu more", measurable - 1);
	else if (probe->catalogue->functions[first].file) {
		fputs(" at ", stdout);
		text_print_safe(stdout, probe->catalogue->functions[first].file);
		printf(":%u", probe->catalogue->functions[first].line);
	}
	if (probe->stops)
		fputs(prompt_is_at_entry(probe, &probe->catalogue->functions[first])
			      ? ", stops before it runs"
			      : ", stops",
		      stdout);
	putchar('\n');
}

/* Which of its functions a pad cannot decide about. */
static void say_by_stops(const struct prompt *prompt, const struct prompt_probe *probe)
{
	struct arena *arena = arena_create();
	const struct function *found = NULL;
	struct read_plan ignored;

	for (size_t i = 0; i < probe->catalogue->n_functions && !found; i++) {
		const struct function *function = &probe->catalogue->functions[i];

		if (!function->unmeasurable && !prompt_filter(probe, function, arena, &ignored))
			found = function;
	}
	if (found && probe->stops && !probe->line_addr && probe->parsed &&
	    (prompt->options.probes == PROBES_PADS || prompt->options.probes == PROBES_AUTO))
		message_note("every call of %s is a stop: pads cannot decide which are meant",
			     found->name);
	arena_destroy(arena);
}

static bool probe_add_new(struct prompt *prompt, struct prompt_probe *probe, struct err *err)
{
	prompt->probes = mem_grow(prompt->probes, &prompt->probes_capacity, prompt->n_probes + 1,
				  sizeof(*prompt->probes));
	prompt->probes[prompt->n_probes++] = probe;
	if (!replan(prompt, err)) {
		prompt->n_probes--;
		return false;
	}
	probe->number = ++prompt->last_number;
	say_probe(probe);
	say_by_stops(prompt, probe);
	return true;
}

/* Can the condition of a break be decided where calls begin? */
static bool check_break(const struct prompt_probe *probe, struct err *err)
{
	for (size_t i = 0; probe->is_break && i < probe->catalogue->n_functions; i++)
		if (!probe->catalogue->functions[i].unmeasurable &&
		    !prompt_is_at_entry(probe, &probe->catalogue->functions[i]))
			return err_set(err, ERR_USAGE,
				       "%.80s is not known where a call begins: probe %.80s stop "
				       "if ... stops where it is",
				       probe->condition, probe->pattern);
	return true;
}

/* Of a line, the calls of the function that has it are measured. */
static bool probe_place(struct prompt *prompt, struct prompt_probe *probe, struct err *err)
{
	const char *function;
	uint64_t addr;

	if (!prompt_find_line(prompt, probe->pattern, probe->arena, &function, &addr, err))
		return false;
	if (!function)
		return true;
	if (!probe->is_break)
		message_note("%s is in %s, whose calls are measured; break stops at the line",
			     probe->pattern, function);
	else
		probe->line_addr = addr;
	probe->line = probe->pattern;
	probe->pattern = function;
	return true;
}

static bool probe_make(struct prompt *prompt, const char *text, struct prompt_probe like,
		       struct err *err)
{
	struct prompt_probe *probe;

	if (!prompt_needs_program(prompt, err))
		return false;
	if (prompt->n_probes == PROMPT_PROBES_MAX)
		return err_set(err, ERR_USAGE, "there are %d probes already: delete some first",
			       PROMPT_PROBES_MAX);
	probe = mem_alloc(sizeof(*probe));
	probe->arena = arena_create();
	probe->is_enabled = true;
	probe->is_temporary = like.is_temporary;
	probe->is_break = like.is_break;
	if (probe_parse(probe, text, err) && probe_place(prompt, probe, err) &&
	    probe_resolve(prompt, probe, err) && check_break(probe, err) &&
	    probe_add_new(prompt, probe, err))
		return true;
	prompt_probe_destroy(probe);
	return false;
}

bool prompt_probe(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return probe_make(prompt, arguments->text, (struct prompt_probe){.number = 0}, err);
}

bool prompt_tprobe(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return probe_make(prompt, arguments->text, (struct prompt_probe){.is_temporary = true},
			  err);
}

bool prompt_break(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return probe_make(prompt, arguments->text, (struct prompt_probe){.is_break = true}, err);
}

bool prompt_tbreak(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return probe_make(prompt, arguments->text,
			  (struct prompt_probe){.is_break = true, .is_temporary = true}, err);
}

static bool probe_find(const struct prompt *prompt, const char *text, size_t *ret, struct err *err)
{
	char *end;
	const unsigned long number = strtoul(text, &end, 10);

	for (size_t i = 0; i < prompt->n_probes; i++)
		if (end != text && !*end && prompt->probes[i]->number == number) {
			*ret = i;
			return true;
		}
	return err_set(err, ERR_NOT_FOUND, "there is no probe %.40s: info probes lists them", text);
}

/* The probes that the arguments name, or all: bit i is probes[i]. */
static bool find_all(const struct prompt *prompt, const struct prompt_arguments *arguments,
		     uint64_t *ret, struct err *err)
{
	size_t at;

	*ret = arguments->n ? 0 : ~UINT64_C(0);
	for (size_t i = 0; i < arguments->n; i++) {
		if (!probe_find(prompt, arguments->words[i].text, &at, err))
			return false;
		*ret |= UINT64_C(1) << at;
	}
	return true;
}

/* The probe as it is but for the condition; the old one is back if the new one cannot be. */
bool prompt_condition(struct prompt *prompt, const struct prompt_arguments *arguments,
		      struct err *err)
{
	struct prompt_probe *probe, before;
	size_t at;

	if (!arguments->n)
		return err_set(err, ERR_USAGE, "of which probe? as in condition 1 n > 1000");
	if (!probe_find(prompt, arguments->words[0].text, &at, err))
		return false;
	probe = prompt->probes[at];
	before = *probe;
	probe->parsed = NULL;
	probe->condition = arguments->n > 1
				   ? probe_trim(probe->arena,
						strstr(arguments->text, arguments->words[0].text) +
							strlen(arguments->words[0].text),
						arguments->text + strlen(arguments->text))
				   : NULL;
	if (probe_check(prompt, probe, err) && check_break(probe, err) && replan(prompt, err))
		return true;
	*probe = before;
	return false;
}

static void take_out(struct prompt *prompt, size_t at)
{
	prompt_probe_destroy(prompt->probes[at]);
	prompt->n_probes--;
	for (size_t i = at; i < prompt->n_probes; i++)
		prompt->probes[i] = prompt->probes[i + 1];
}

bool prompt_delete(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	uint64_t mask;

	if (!find_all(prompt, arguments, &mask, err))
		return false;
	if (!arguments->n && prompt->n_probes &&
	    !prompt_ask(prompt, "Delete all probes? (y or n) "))
		return true;
	for (size_t i = prompt->n_probes; i-- > 0;)
		if (mask >> i & 1)
			take_out(prompt, i);
	return replan(prompt, err);
}

void prompt_remove_probe(struct prompt *prompt, struct prompt_probe *probe)
{
	struct err ignored;

	for (size_t i = 0; i < prompt->n_probes; i++)
		if (prompt->probes[i] == probe) {
			take_out(prompt, i);
			break;
		}
	replan(prompt, &ignored);
}

static bool set_enabled(struct prompt *prompt, const struct prompt_arguments *arguments,
			bool is_enabled, struct err *err)
{
	uint64_t mask;

	if (!find_all(prompt, arguments, &mask, err))
		return false;
	for (size_t i = 0; i < prompt->n_probes; i++)
		if (mask >> i & 1)
			prompt->probes[i]->is_enabled = is_enabled;
	return replan(prompt, err);
}

bool prompt_enable(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return set_enabled(prompt, arguments, true, err);
}

bool prompt_disable(struct prompt *prompt, const struct prompt_arguments *arguments,
		    struct err *err)
{
	return set_enabled(prompt, arguments, false, err);
}

bool prompt_ignore(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	unsigned long n;
	size_t at;
	char *end;

	if (arguments->n != 2)
		return err_set(err, ERR_USAGE, "which probe, and how often? as in ignore 1 10");
	if (!probe_find(prompt, arguments->words[0].text, &at, err))
		return false;
	n = strtoul(arguments->words[1].text, &end, 10);
	if (*end || !isdigit((unsigned char)*arguments->words[1].text))
		return err_set(err, ERR_USAGE, "\"%.40s\" is not a number of times",
			       arguments->words[1].text);
	if (!prompt->probes[at]->stops)
		return err_set(err, ERR_USAGE, "probe %u does not stop anyway",
			       prompt->probes[at]->number);
	prompt->probes[at]->ignore = n;
	printf("Probe %u does not stop for the next %lu calls.\n", prompt->probes[at]->number, n);
	return true;
}

void prompt_destroy_probes(struct prompt *prompt)
{
	for (size_t i = 0; i < prompt->n_probes; i++)
		prompt_probe_destroy(prompt->probes[i]);
	prompt->n_probes = 0;
	forget_plans(prompt);
	list_patterns(prompt);
}
