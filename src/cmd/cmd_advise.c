/* fathom advise: which inputs would tell more. advise/advice.c finds what to say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/advice.h"
#include "advise/precision.h"
#include "base/arena.h"
#include "base/mem.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cmd.h"
#include "core/annotation/quote.h"
#include "core/samples/derived_columns.h"
#include "dwarf/catalogue_build.h"
#include "profile/profile_history.h"
#include "model/study_build.h"
#include "report/json.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"

enum { RUNS_MOST = 100 };

struct advising_profile {
	const struct options *options;
	struct profile *profile;
	struct arena *arena;
	struct run_commands commands;
	double duration;
	FILE *out;
	size_t n;                  /* costs */
	struct json_advised *list; /* of them, for JSON */
	size_t capacity;
};

static bool has_enumerations(const struct samples *samples)
{
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE &&
		    samples->columns[i].type == FEATURE_ENUM)
			return true;
	return false;
}

/* Debug information that says what else enumerations have, of the build that ran; NULL: none. */
static struct catalogue *find_catalogue(const struct advising_profile *advising,
					const struct samples *samples)
{
	const size_t n = advising->commands.n;
	const struct run *run = n ? &advising->commands.runs[n - 1].run : NULL;
	const struct options *options = advising->options;
	const struct catalogue_request request = {.patterns =
							  (const char *const *)&samples->linkage,
						  .n_patterns = 1,
						  .ambiguous = true,
						  .features = true,
						  .max_depth = options->max_depth,
						  .max_features = options->max_features,
						  .globals = options->globals,
						  .containers = options->containers,
						  .without_sites = true};
	struct catalogue *catalogue;
	struct err ignored;

	if (!run || !run->executable || !run->build_id || samples->module ||
	    !has_enumerations(samples) ||
	    !catalogue_build(run->executable, &request, &catalogue, &ignored))
		return NULL;
	if (catalogue->n_modules && catalogue->modules[0].build_id &&
	    !strcmp(catalogue->modules[0].build_id, run->build_id))
		return catalogue;
	catalogue_destroy(catalogue);
	return NULL;
}

static const struct function *advised_function(const struct catalogue *catalogue,
					       const struct samples *samples)
{
	for (size_t i = 0; catalogue && i < catalogue->n_functions; i++)
		if (catalogue->functions[i].line == samples->line &&
		    !strcmp(catalogue->functions[i].linkage, samples->linkage))
			return &catalogue->functions[i];
	return NULL;
}

/* Of time, unless others are asked for, or it was not measured. */
static unsigned advised_metrics(const struct advising_profile *advising,
				const struct samples *samples)
{
	const unsigned metrics = selected_functions_metrics(samples, advising->options);

	return !advising->options->metrics && metrics & 1u << METRIC_TIME ? 1u << METRIC_TIME
									  : metrics;
}

static void advise_print(struct advising_profile *advising, const struct json_advised *advised)
{
	const struct annotation *annotation = advised->annotation;

	if (advising->n)
		fputc('\n', advising->out);
	quote_print_head(annotation->function, annotation->metric, advising->out);
	if (annotation->metric == METRIC_TIME && isfinite(advised->share))
		fprintf(advising->out, ": %.3g %% of the run", 100 * advised->share);
	fprintf(advising->out, "\n");
	for (size_t i = 0; i < advised->n; i++) {
		fputs("  ", advising->out);
		quote_print(advised->sentences[i], QUOTE_COMMENT, advising->out);
		fputc('\n', advising->out);
	}
	if (!advised->n)
		fprintf(advising->out, "  nothing to advise: all that was read varied\n");
}

/* Which cost it is; the models are gone when it is printed. */
static const struct annotation *keep_head(const struct advising_profile *advising,
					  const struct annotation *annotation)
{
	struct annotation *head = arena_new(advising->arena, struct annotation);

	head->function = arena_strdup(advising->arena, annotation->function);
	head->metric = annotation->metric;
	return head;
}

/* Prints it at once; JSON is printed as a whole. */
static void advise_metric(struct advising_profile *advising, const struct advice_facts *facts,
			  double share)
{
	const struct annotation *annotation = facts->study->annotation;
	struct precision precision;
	struct json_advised advised = {.annotation = annotation, .share = share, .precision = NAN};

	if (precision_find(facts->study, &precision))
		advised.precision = precision.relative;
	advised.sentences = advice_find(facts, advising->arena, &advised.n);
	if (!advising->options->json)
		advise_print(advising, &advised);
	advising->n++;
	if (!advising->options->json)
		return;
	advising->list =
		mem_grow(advising->list, &advising->capacity, advising->n, sizeof(*advising->list));
	advised.annotation = keep_head(advising, annotation);
	advising->list[advising->n - 1] = advised;
}

static bool advise_function(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct advising_profile *advising = self;
	const struct model_options options = selected_functions_options(advising->options);
	const double share =
		selected_functions_share(advising->profile, advising->duration, samples, key);
	struct annotation *annotations[METRIC_COUNT];
	struct catalogue *catalogue = find_catalogue(advising, samples);
	size_t n;

	(void)err;
	derived_columns_add(samples);
	n = kept_models_build(advising->profile, key, samples, advised_metrics(advising, samples),
			      &options, annotations);
	for (size_t i = 0; i < n; i++) {
		struct study *study =
			study_build(samples, annotations[i]->metric, &options, annotations[i]);
		const struct advice_facts facts = {study, advised_function(catalogue, samples),
						   advising->commands, i == 0};

		advise_metric(advising, &facts, share);
		study_destroy(study);
	}
	catalogue_destroy(catalogue);
	samples_destroy(samples);
	return true;
}

static bool advise_profile(struct advising_profile *advising, struct err *err)
{
	const struct chosen chosen = {.profile = advising->profile,
				      .options = advising->options,
				      .by_cost = true,
				      .without_sites = true};
	struct past_run *runs;

	if (!profile_history(advising->profile, RUNS_MOST, advising->arena, &runs,
			     &advising->commands.n, err) ||
	    !profile_duration(advising->profile, &advising->duration, err))
		return false;
	advising->commands.runs = runs;
	return selected_functions_visit(&chosen, advise_function, advising, err) &&
	       (advising->n || selected_functions_refuse(advising->profile, advising->options,
							 advising->options->arguments[0], err));
}

static bool advise(const struct options *options, struct err *err)
{
	struct advising_profile advising = {.options = options, .arena = arena_create()};
	const char *inputs[] = {options->arguments[0]};
	struct output output;
	bool ok = profile_open(options->arguments[0], &advising.profile, err);

	if (ok && output_open(options->report, inputs, 1, &output, err)) {
		advising.out = output.file;
		output_begin(&output);
		ok = advise_profile(&advising, err) &&
		     (!options->json || json_advice(advising.list, advising.n, output.file, err));
		ok = output_close(&output, err) && ok;
	} else {
		ok = false;
	}
	profile_close(advising.profile);
	free(advising.list);
	arena_destroy(advising.arena);
	return ok;
}

static int cmd_advise_run(const struct options *options)
{
	struct err err;

	return message_status(advise(options, &err), &err);
}

const struct command command_advise = {
	.usage = {.name = "advise",
		  .bit = COMMAND_ADVISE,
		  .arguments = "PROFILE",
		  .summary = "Which inputs would tell more of what costs depend on",
		  .details =
			  "Of each function: what never varied, enumerators and branches that no "
			  "call had (branches with run --branches), gaps, values that went "
			  "together, how precisely a typical call's cost is known, which value "
			  "halves that, and a command line for it where one of its numbers was "
			  "followed in the earlier runs.",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = cmd_advise_run,
	.confined = true,
};
