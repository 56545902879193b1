/* fathom check: do samples conform to annotations that were made before? */
#include <stdlib.h>
#include <string.h>

#include "annotation_file.h"
#include "base/mem.h"
#include "cmd.h"
#include "core/derived.h"
#include "message.h"
#include "model/check.h"
#include "output.h"
#include "profile/profile.h"
#include "report/json.h"
#include "report/junit.h"

/* As annotations are modelled from. */
enum { CHECK_CELLS = 64 << 20 };

enum { UNFOUND_MAX = 5 };

struct checking {
	const struct options *options;
	struct annotation_list annotations;
	struct profile *profile;
	struct check *check;
	bool *found; /* [annotations] there are samples of its function */
	size_t violated;
};

static struct check_options settings(const struct options *options)
{
	return (struct check_options){.alpha = options->alpha, .tolerance = options->tolerance};
}

static void check_samples(struct checking *checking, struct samples *samples)
{
	const struct check_options options = settings(checking->options);
	size_t i;

	for (i = 0; i < checking->annotations.n; i++) {
		const struct annotation *annotation = checking->annotations.list[i];

		if (checking->found[i] || strcmp(annotation->function, samples->function) != 0)
			continue;
		checking->found[i] = true;
		samples_derive_for(samples, annotation);
		check_add(checking->check, annotation, &checking->annotations, samples, &options);
	}
}

static bool check_all(struct checking *checking, struct err *err)
{
	const struct check_options options = settings(checking->options);
	const char *const *keys;
	size_t n = profile_functions(checking->profile, &keys);
	struct samples *samples;
	size_t i;

	checking->found = mem_alloc(checking->annotations.n + 1);
	for (i = 0; i < n; i++) {
		if (!profile_load(checking->profile, keys[i], CHECK_CELLS, &samples, err))
			return false;
		check_samples(checking, samples);
		samples_destroy(samples);
	}
	checking->violated = check_decide(checking->check, &options);
	return true;
}

static void say_unfound(const struct checking *checking)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < checking->annotations.n && !checking->options->quiet; i++)
		if (!checking->found[i] && n++ < UNFOUND_MAX)
			message_note("%s.%s was not checked: there are no samples of it",
				     checking->annotations.list[i]->function,
				     metric_info(checking->annotations.list[i]->metric)->keyword);
	if (n > UNFOUND_MAX)
		message_note("%zu more annotations were not checked: there are no samples either",
			     n - UNFOUND_MAX);
}

static void print_subject(const struct checking *checking, const struct check_subject *subject,
			  FILE *out)
{
	size_t violated;
	size_t n = check_count(checking->check, subject, &violated);

	fprintf(out, "%s.%s: ", subject->annotation->function,
		metric_info(subject->annotation->metric)->keyword);
	if (subject->missing)
		fprintf(out, "not checked: the samples do not have %s\n", subject->missing);
	else if (!n && subject->n_unknown == subject->n_samples && subject->n_samples)
		fprintf(out, "not checked: its formulas have no value for any of %zu samples\n",
			subject->n_samples);
	else if (!n)
		fprintf(out, "not checked: %zu samples are too few\n", subject->n_samples);
	else
		fprintf(out, "%s (%zu samples, %zu of %zu tests violated)\n",
			violated ? "VIOLATED" : "conforms", subject->n_samples, violated, n);
	check_print(checking->check, subject, checking->options->verbose, out);
	if (subject->n_far)
		fprintf(out, "  %zu calls, far away from all others, were left out\n",
			subject->n_far);
	if (subject->n_unknown && n)
		fprintf(out, "  of %zu calls a feature is not known, or the formula has no value\n",
			subject->n_unknown);
}

static bool print(const struct checking *checking, struct err *err)
{
	const struct options *options = checking->options;
	const char *inputs[] = {options->arguments[0], options->arguments[1]};
	struct output output;
	bool ok = true;
	size_t i;

	if (!output_open(options->report, inputs, 2, &output, err))
		return false;
	output_begin(&output);
	if (options->json)
		ok = json_check(checking->check, output.file, err);
	else if (options->junit)
		ok = junit_check(checking->check, output.file, err);
	else
		for (i = 0; i < checking->check->n_subjects; i++)
			print_subject(checking, &checking->check->subjects[i], output.file);
	return output_close(&output, err) && ok;
}

static bool check(struct checking *checking, struct err *err)
{
	const struct options *options = checking->options;

	if (!annotation_file_read(options->arguments[0], &checking->annotations, err) ||
	    !profile_open(options->arguments[1], &checking->profile, err) ||
	    !check_all(checking, err))
		return false;
	say_unfound(checking);
	if (!print(checking, err))
		return false;
	return checking->check->n_tests ||
	       err_set(err, ERR_NOT_FOUND, "nothing could be checked: %s has no samples for %s",
		       options->arguments[1], options->arguments[0]);
}

static int run(const struct options *options)
{
	struct checking checking = {.options = options, .check = check_create()};
	struct err err;
	bool ok = check(&checking, &err);

	check_destroy(checking.check);
	annotation_list_deinit(&checking.annotations);
	profile_close(checking.profile);
	free(checking.found);
	if (ok)
		return checking.violated ? EXIT_VIOLATED : EXIT_DONE;
	message_error("%s", err.text);
	return EXIT_UNUSABLE;
}

const struct command command_check = {
	.usage = {.name = "check",
		  .bit = COMMAND_CHECK,
		  .arguments = "ANNOTATIONS PROFILE",
		  .summary = "Do samples conform to annotations that were made before?",
		  .details = "Exit status 0: they do; 1: some do not; 2: nothing could be checked.",
		  .min_arguments = 2,
		  .max_arguments = 2},
	.run = run,
};
