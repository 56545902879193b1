/* Which file of a baseline is a program's, and what is measured to compare with it. */
#include "baseline.h"

#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/required_features.h"
#include "core/annotation/namesakes.h"
#include "profile/profile_history.h"
#include "trace/counters.h"

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *baseline_path(const char *folder, const char *program, struct arena *arena)
{
	return arena_printf(arena, "%s/%s.ann", folder, name_of(program));
}

bool baseline_find(const char *folder, const char *program, struct arena *arena, const char **ret,
		   struct err *err)
{
	const char *path = baseline_path(folder, program, arena);

	if (access(path, F_OK) != 0)
		return err_set(err, ERR_NOT_FOUND,
			       "there is no %s: fathom baseline update %s -f NAME -- %s makes it",
			       path, folder, program);
	*ret = path;
	return true;
}

/* The first word of a command line, which may be quoted. */
static const char *command_word(const char *command, struct arena *arena)
{
	const bool quoted = *command == '\'';
	char *word = arena_strdup(arena, command + quoted);

	word[strcspn(word, quoted ? "'" : " ")] = '\0';
	return word;
}

bool baseline_program(const char *path, struct arena *arena, const char **ret, struct err *err)
{
	struct profile *profile;
	struct past_run *runs;
	size_t n;
	bool ok;

	if (!profile_open(path, &profile, err))
		return false;
	ok = profile_history(profile, 1, arena, &runs, &n, err);
	profile_close(profile);
	if (!ok)
		return false;
	if (n && runs[0].run.command && *runs[0].run.command && runs[0].run.executable) {
		*ret = name_of(command_word(runs[0].run.command, arena));
	} else if (n && runs[0].run.executable && *name_of(runs[0].run.executable)) {
		*ret = name_of(runs[0].run.executable); /* it was scrubbed */
	} else {
		char *name = arena_strdup(arena, name_of(path));

		name[strcspn(name, ".")] = '\0';
		*ret = name;
	}
	return true;
}

bool baseline_find_for(const char *folder, const char *profile, struct arena *arena,
		       const char **ret, struct err *err)
{
	const char *program;

	return baseline_program(profile, arena, &program, err) &&
	       baseline_find(folder, program, arena, ret, err);
}

/* Measure each annotated function: its name becomes a pattern, once. */
static void list_functions(const struct annotation_list *annotations, struct options *options)
{
	size_t i, j;

	options->functions = arena_array(options->arena, const char *, annotations->n + 1);
	options->n_functions = 0;
	for (i = 0; i < annotations->n; i++) {
		const char *function =
			namesakes_pattern(annotations->list[i]->function, options->arena);

		for (j = 0; j < options->n_functions; j++)
			if (!strcmp(options->functions[j], function))
				break;
		if (j == options->n_functions)
			options->functions[options->n_functions++] = function;
	}
}

/* Leave out metrics that this machine lacks; their annotations are not checked. */
static bool list_metrics(const struct annotation_list *annotations, struct options *options,
			 struct err *err)
{
	const char *note;
	uint64_t missing = 0;
	enum metric metric;

	options->metrics = 0;
	for (size_t i = 0; i < annotations->n; i++) {
		metric = annotations->list[i]->metric;
		if (counters_check(METRIC_BIT(metric), &note, err))
			options->metrics |= METRIC_BIT(metric);
		else
			missing |= METRIC_BIT(metric);
	}
	if (!options->metrics)
		return false; /* @err: why the last one is missing */
	for (metric = 0; metric < METRIC_COUNT; metric++)
		if (missing & METRIC_BIT(metric) && !options->quiet &&
		    !counters_check(METRIC_BIT(metric), &note, err))
			message_note("%s", err->text);
	return true;
}

bool baseline_choose(const struct annotation_list *annotations, struct options *options,
		     struct err *err)
{
	list_functions(annotations, options);
	required_features_add(annotations, ~0u, options->arena, &options->required,
			      &options->n_required);
	return list_metrics(annotations, options, err);
}
