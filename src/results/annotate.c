/* Models and prints the selected functions. Formats are those of core/annotation/, report/. */
#include "annotate.h"
#include "conclusions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "selected_functions.h"
#include "compositions.h"
#include "core/annotation/annotation.h"
#include "core/annotation/namesakes.h"
#include "core/samples/call_parts.h"
#include "core/samples/derived_columns.h"
#include "cli/message.h"
#include "cli/interrupt.h"
#include "model_crew.h"
#include "model/study_build.h"
#include "profile/profile_history.h"
#include "core/figure/figure.h"
#include "core/annotation/quote_head.h"
#include "report/json.h"

struct annotations {
	const struct options *options;
	struct profile *profile;
	struct model_crew *crew;
	struct output *output;
	struct compositions *compositions; /* NULL: not asked for */
	struct annotation **list;
	size_t n, capacity;
	size_t n_printed; /* the first ones */
};

/* Models are made on other processors: what calls spent where is said first. */
static void say_parts(const struct annotations *annotations, const struct samples *samples)
{
	char parts[CALL_PARTS_TEXT];
	size_t n;

	if (!annotations->options->quiet && call_parts_text(samples, parts, &n))
		message_note("%s.time = %s", samples->function, parts);
}

static bool model_metrics(void *self, const char *key, struct samples *samples, struct err *err)
{
	const struct annotations *annotations = self;

	say_parts(self, samples);
	derived_columns_add(samples);
	model_crew_add(
		annotations->crew,
		&(struct model_task){annotations->profile, key, samples,
				     selected_functions_metrics(samples, annotations->options)});
	return !interrupt_is_pending() || err_set(err, ERR_USAGE, "interrupted");
}

/* What a curve through the calls says, and where it contradicts the formula. */
static void add_curve(const struct annotations *annotations, const struct samples *samples,
		      struct annotation *annotation)
{
	struct model_options options = selected_functions_options(annotations->options);
	struct study *study;
	struct arena *arena = annotation->arena;
	struct smooth *curve = arena_new(arena, struct smooth);
	const char **notes = arena_array(arena, const char *, annotation->n_notes + 1);
	const char *misfit;

	options.curve = options.curve ? options.curve : SMOOTH_KERNEL;
	study = study_build(samples, annotation->metric, &options, annotation);
	if (options.over && !study_has(study, options.over)) {
		message_note("%s: no curve over %s, which is none of its features",
			     quote_head(arena, annotation->function, annotation->metric),
			     options.over);
	} else if (figure_smooth(study, study_main_feature(study), arena, curve, &misfit)) {
		annotation->curve = curve;
		memcpy(notes, annotation->notes, annotation->n_notes * sizeof(*notes));
		notes[annotation->n_notes] = misfit;
		annotation->notes = notes;
		annotation->n_notes += misfit != NULL;
	} else if (annotations->options->curve && !annotations->options->quiet) {
		message_note("%s: no curve: too few calls, or they have names, not numbers",
			     quote_head(arena, annotation->function, annotation->metric));
	}
	study->annotation = NULL; /* the caller's */
	study_destroy(study);
}

static void print_to(struct annotations *annotations, size_t end)
{
	FILE *out = annotations->output->file;

	if (!annotations->n_printed)
		output_begin(annotations->output);
	for (; annotations->n_printed < end; annotations->n_printed++) {
		if (annotations->n_printed)
			fputc('\n', out);
		annotation_print(annotations->list[annotations->n_printed], out);
	}
}

/*
 * The most important function comes first, and nobody waits for the others: up to one whose name
 * depends on them. A file appears when it is whole.
 */
static void print_early(struct annotations *annotations)
{
	size_t end = annotations->n_printed;

	if (annotations->options->json || annotations->output->path || annotations->compositions)
		return;
	while (end < annotations->n &&
	       !profile_has_namesakes(annotations->profile, annotations->list[end]->function))
		end++;
	if (end == annotations->n_printed)
		return;
	if (!annotations->options->quiet)
		message_progress_end();
	print_to(annotations, end);
	fflush(annotations->output->file);
}

static void take_annotations(void *self, struct modelled *modelled)
{
	struct annotations *annotations = self;

	for (size_t i = 0; i < modelled->n; i++) {
		if (annotations->options->curve ||
		    (annotations->options->json &&
		     annotation_is_unexplained(modelled->annotations[i])))
			add_curve(annotations, modelled->samples, modelled->annotations[i]);
		annotations->list = mem_grow(annotations->list, &annotations->capacity,
					     annotations->n + 1, sizeof(*annotations->list));
		annotations->list[annotations->n++] = modelled->annotations[i];
	}
	print_early(annotations);
	if (annotations->compositions)
		compositions_add(annotations->compositions, modelled->samples, modelled->n);
	else
		samples_destroy(modelled->samples);
}

static bool annotate_print_json(const struct annotations *annotations, struct profile *profile,
				FILE *out, struct err *err)
{
	struct json_models models = {.annotations =
					     (const struct annotation *const *)annotations->list,
				     .n = annotations->n};
	struct arena *arena = arena_create();
	const bool ok = profile_probes(profile, arena, &models.probes, &models.n_probes, err) &&
			json_annotations(&models, out, err);

	arena_destroy(arena);
	return ok;
}

static bool print_annotations(struct annotations *annotations, struct err *err)
{
	namesakes_tell_apart(annotations->list, annotations->n);
	if (annotations->compositions)
		compositions_make(annotations->compositions, annotations->list);
	if (!annotations->options->json) {
		print_to(annotations, annotations->n);
		return true;
	}
	output_begin(annotations->output);
	return annotate_print_json(annotations, annotations->profile, annotations->output->file,
				   err);
}

/* Always false. */
static bool fail_cut(const struct options *options, struct err *err)
{
	const char *path = options->output ? options->output : options->arguments[0];

	return err_set(err, ERR_USAGE,
		       "interrupted: the models that were made are kept, and all samples are safe "
		       "in %s: fathom annotate %s goes on",
		       path, path);
}

bool annotate_profile(struct profile *profile, const struct options *options,
		      const struct chosen_filter *filter, struct output *output, struct err *err)
{
	const struct chosen chosen = {profile, options, filter, 0, true};
	struct annotations annotations = {.options = options, .profile = profile, .output = output};
	bool ok, is_cut;

	annotations.compositions = options->compose ? compositions_create(options) : NULL;
	annotations.crew = model_crew_create(options, take_annotations, &annotations);
	ok = selected_functions_visit(&chosen, model_metrics, &annotations, err);
	model_crew_finish(annotations.crew);
	is_cut = interrupt_is_pending();
	ok |= is_cut && annotations.n;
	if (ok && annotations.n == 0)
		ok = selected_functions_refuse(profile, options, "the profile", err);
	ok = ok && print_annotations(&annotations, err);
	if (ok && !options->quiet && !options->json) {
		fflush(output->file);
		conclusions_say(annotations.list, annotations.n, is_cut, profile, options);
	}
	if (is_cut && (ok || !annotations.n))
		ok = fail_cut(options, err);
	for (size_t i = 0; i < annotations.n; i++)
		annotation_destroy(annotations.list[i]);
	free(annotations.list);
	compositions_destroy(annotations.compositions);
	return ok;
}
