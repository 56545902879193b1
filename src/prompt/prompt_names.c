/* Completion of commands, functions, features, metrics and probes; opening scripts. */
#include "prompt_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "prompt_call.h"
#include "prompt_state.h"

FILE *prompt_open_script(const char *path, struct err *err)
{
	struct stat status;
	FILE *file;

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		err_set(err, ERR_IO, "%s is a folder, and no file of commands", path);
		return NULL;
	}
	file = fopen(path, "re");
	if (!file)
		err_set_errno(err, ERR_IO, errno, "%s", path);
	return file;
}

static void offer_words(const char *words, line_offer *offer, void *to)
{
	char *copy = strdupa(words);
	char *word;

	while ((word = strsep(&copy, " ")))
		if (*word)
			offer(to, word);
}

/* The name without its parameters, as users type it. */
static const char *completion_plain(struct arena *arena, const char *name)
{
	unsigned depth = 0;
	const char *at = name;

	for (; *at; at++) {
		depth += *at == '<';
		depth -= depth && *at == '>';
		if (*at == '(' && !depth && at > name && at[1] != 'a')
			break;
	}
	return arena_printf(arena, "%.*s", (int)(at - name), name);
}

/* Read the functions of the program, once. */
static void read_names(struct prompt *prompt)
{
	struct catalogue *catalogue;
	struct err ignored;

	prompt->named = prompt->program;
	prompt->n_names = 0;
	if (!prompt_catalogue(prompt, NULL, &catalogue, &ignored))
		return;
	prompt->names = arena_array(prompt->arena, const char *, catalogue->n_functions + 1);
	for (size_t i = 0; i < catalogue->n_functions; i++)
		if (!catalogue->functions[i].unmeasurable)
			prompt->names[prompt->n_names++] =
				completion_plain(prompt->arena, catalogue->functions[i].name);
	catalogue_destroy(catalogue);
}

static void offer_functions(struct prompt *prompt, line_offer *offer, void *to)
{
	if (prompt->named != prompt->program)
		read_names(prompt);
	for (size_t i = 0; i < prompt->n_names; i++)
		offer(to, prompt->names[i]);
}

static void offer_metrics(line_offer *offer, void *to)
{
	for (enum metric metric = 0; metric < METRIC_MEASURED; metric++)
		offer(to, metric_info(metric)->keyword);
}

static void offer_features_of(const struct function *function, line_offer *offer, void *to)
{
	for (size_t i = 0; i < function->n_features; i++)
		offer(to, function->features[i].expression);
}

static void offer_measured(struct prompt *prompt, line_offer *offer, void *to)
{
	const char *const *keys;
	size_t n = prompt->profile && !prompt->m ? profile_functions(prompt->profile, &keys) : 0;
	struct arena *arena = arena_create();

	for (size_t i = 0; i < n; i++)
		offer(to, keys[i]);
	for (size_t i = 0; i < prompt->n_probes; i++)
		for (size_t j = 0; j < prompt->probes[i]->catalogue->n_functions; j++)
			offer(to, completion_plain(
					  arena, prompt->probes[i]->catalogue->functions[j].name));
	for (size_t i = 0; i < prompt->annotations.n; i++)
		offer(to, completion_plain(arena, prompt->annotations.list[i]->function));
	arena_destroy(arena);
}

/* Offer features of the function typed before, else of the current call. */
static void offer_features(struct prompt *prompt, const struct completion *found, const char *line,
			   line_offer *offer, void *to)
{
	const size_t n = found->function_end - found->function_at;
	const char *pattern = n ? strndupa(line + found->function_at, n) : NULL;
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = 1,
		.ambiguous = true,
		.features = true,
		.max_depth = prompt->options.max_depth,
		.max_features = prompt->options.max_features,
		.containers = prompt->options.containers,
		.strings = prompt->options.strings,
		.required = prompt->options.required,
		.n_required = prompt->options.n_required,
		.globals = prompt->options.globals,
		.debuginfo_path = prompt->options.debuginfo_path,
	};
	struct catalogue *catalogue;
	struct prompt_call call;
	struct err ignored;

	offer_metrics(offer, to);
	offer_words("predicted elapsed", offer, to);
	if (!pattern) {
		if (prompt_find_call(prompt, &call))
			offer_features_of(call.function, offer, to);
		return;
	}
	if (!prompt->program ||
	    !catalogue_build(prompt->interpreter ? prompt->interpreter : prompt->path, &request,
			     &catalogue, &ignored))
		return;
	for (size_t i = 0; i < catalogue->n_functions; i++)
		offer_features_of(&catalogue->functions[i], offer, to);
	catalogue_destroy(catalogue);
}

static void offer_probes(const struct prompt *prompt, line_offer *offer, void *to)
{
	char number[16];

	for (size_t i = 0; i < prompt->n_probes; i++) {
		snprintf(number, sizeof(number), "%u", prompt->probes[i]->number);
		offer(to, number);
	}
}

void prompt_offer(void *context, const struct completion *found, const char *line,
		  line_offer *offer, void *to)
{
	struct prompt *prompt = context;

	switch (found->kind) {
	case SHELL_A_COMMAND:
		for (size_t i = 0; i < SHELL_COMMAND_COUNT; i++)
			offer(to, shell_table[i].name);
		break;
	case SHELL_A_FUNCTION:
		offer_functions(prompt, offer, to);
		break;
	case SHELL_A_MEASURED:
		offer_measured(prompt, offer, to);
		break;
	case SHELL_A_FEATURE:
		offer_features(prompt, found, line, offer, to);
		break;
	case SHELL_A_METRIC:
		offer_metrics(offer, to);
		break;
	case SHELL_A_PROBE:
		offer_probes(prompt, offer, to);
		break;
	case SHELL_A_WORD:
		offer_words(found->words, offer, to);
		break;
	case SHELL_A_FILE:
	case SHELL_NOTHING:
		break;
	}
}
