/*
 * fathom diff: what changed between two profiles of the same functions? This file pairs the
 * functions; model/compare/diff_profiles.c compares each pair.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd.h"
#include "core/samples/derived_columns.h"
#include "core/samples/samples_named.h"
#include "core/verdict/diff_callees.h"
#include "cli/message.h"
#include "model/compare/diff_profiles.h"
#include "cli/output.h"
#include "results/findings_report.h"
#include "results/model_crew.h"
#include "results/pins.h"
#include "results/where.h"
#include "model/compare/diff_sides.h"
#include "model/compare/methods.h"
#include "profile/graph/profile_code.h"
#include "profile/profile.h"
#include "profile/profile_layout.h"
#include "report/json.h"

/* Per table, about 300 MB. Larger profiles are thinned to evenly spaced samples. */
enum { DIFF_CELLS = 32 << 20 };

/* A function in one of the profiles. */
struct side {
	struct profile *profile;
	const char *key;
	struct samples *samples; /* NULL: it is not there */
	const char *left_out;    /* why not: no call fulfils --where; NULL: it is not that */
};

struct differing {
	const struct options *options;
	struct arena *arena;
	struct profile *old, *new;
	bool by_turns;
	struct diff *diff;
	struct model_crew *crew;
	struct modelled before; /* of the old profile, until that of the new one comes */
	struct pins_seen seen;
	const char **left_out; /* [n_left_out] why --where left functions out, each reason once */
	size_t n_left_out, left_out_capacity;
};

static struct diff_options diff_settings(const struct options *options, bool by_turns)
{
	return (struct diff_options){.alpha = options->alpha,
				     .tolerance = options->tolerance,
				     .run_spread = options->run_spread,
				     .by_turns = by_turns};
}

static bool diff_is_asked_for(const struct differing *differing, const struct samples *samples)
{
	const struct options *options = differing->options;

	for (size_t i = 0; i < options->n_functions; i++)
		if (samples_named_by(samples, options->functions[i], differing->arena))
			return true;
	return options->n_functions == 0;
}

static void add_alone(struct differing *differing, const struct side *old, const struct side *new,
		      enum metric metric, bool in_new)
{
	const struct samples *samples = in_new ? new->samples : old->samples;
	const char *left_out = in_new ? old->left_out : new->left_out;
	struct diff_subject *subject = diff_add_subject(differing->diff, samples->function, metric);

	if (in_new)
		subject->n_new = samples->n_rows;
	else
		subject->n_old = samples->n_rows;
	subject->reason = left_out ? left_out
			  : in_new ? "it is only in the new profile"
				   : "it is only in the old profile";
}

static void compare_both(struct differing *differing, const struct modelled *old,
			 const struct modelled *new)
{
	const struct diff_options options = diff_settings(differing->options, differing->by_turns);

	for (size_t i = 0; i < old->n && i < new->n; i++) {
		derived_columns_add_for(old->samples, new->annotations[i]);
		derived_columns_add_for(new->samples, old->annotations[i]);
		if (differing->options->method)
			methods_add(differing->diff, differing->options->method, old->samples,
				    new->samples, old->annotations[i], new->annotations[i]);
		else
			diff_profiles_add(differing->diff, old->samples, new->samples,
					  old->annotations[i], new->annotations[i], &options);
	}
}

/* Models come in pairs, of the old profile and of the new one. */
static void diff_take(void *self, struct modelled *modelled)
{
	struct differing *differing = self;
	struct modelled *before = &differing->before;

	if (!before->samples) {
		*before = *modelled;
		return;
	}
	compare_both(differing, before, modelled);
	samples_destroy(before->samples);
	samples_destroy(modelled->samples);
	before->samples = NULL;
}

/* What runs differ by is chance here, no feature of the calls. */
static void diff_model(const struct differing *differing, const struct side *side, uint64_t metrics)
{
	profile_layout_forget(side->samples);
	derived_columns_add(side->samples);
	model_crew_add(differing->crew,
		       &(struct model_task){side->profile, side->key, side->samples, metrics});
}

/* That profile without samples lacks the function. Takes the samples. */
static void diff_compare_functions(struct differing *differing, const struct side *old_side,
				   const struct side *new_side)
{
	struct samples *old = old_side->samples, *new = new_side->samples;
	const bool is_wanted = diff_is_asked_for(differing, old ? old : new);
	uint64_t metrics = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_COUNT; metric++) {
		const bool in_old = old && samples_metric(old, metric);
		const bool in_new = new &&samples_metric(new, metric);

		if (!is_wanted || (differing->options->metrics &&
				   !(differing->options->metrics & METRIC_BIT(metric))))
			continue;
		if (in_old && in_new) {
			metrics |= METRIC_BIT(metric);
			diff_sides_places(differing->diff, old, new, metric);
		} else if ((in_old || in_new) && differing->options->method == METHOD_OUTLIERS)
			methods_add_total(differing->diff, old, new, metric);
		else if (in_old || in_new)
			add_alone(differing, old_side, new_side, metric, in_new);
	}
	if (metrics) {
		diff_model(differing, old_side, metrics);
		diff_model(differing, new_side, metrics);
		return;
	}
	samples_destroy(old);
	samples_destroy(new);
}

static const char *find_key(const char *const *keys, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i], key))
			return keys[i];
	return NULL;
}

static size_t diff_plain_length(const char *key)
{
	return strcspn(key, "@");
}

/*
 * A rebuild may move a function, which changes its key behind the "@": without a function of the
 * same key, take one of the same name.
 */
static const char *find_namesake(const char *const *keys, size_t n, const char *key,
				 const char *const *others, size_t n_others)
{
	const size_t length = diff_plain_length(key);
	const char *found = find_key(keys, n, key);

	for (size_t i = 0; i < n && !found; i++)
		if (diff_plain_length(keys[i]) == length && !strncmp(keys[i], key, length) &&
		    !find_key(others, n_others, keys[i]))
			found = keys[i];
	return found;
}

/* Returns the reason that is kept. */
static const char *differing_leave_out(struct differing *differing, const char *why)
{
	const char *known = find_key(differing->left_out, differing->n_left_out, why);

	if (known)
		return known;
	differing->left_out = mem_grow(differing->left_out, &differing->left_out_capacity,
				       differing->n_left_out + 1, sizeof(*differing->left_out));
	known = arena_strdup(differing->diff->arena, why);
	differing->left_out[differing->n_left_out++] = known;
	return known;
}

/* A note each, or that all were left out. */
static bool differing_tell_left_out(const struct differing *differing, struct err *err)
{
	const struct diff *diff = differing->diff;

	if (differing->n_left_out && !diff->n_subjects && !diff->n_results)
		return err_set(err, ERR_NOT_FOUND, "nothing could be compared: %s",
			       differing->left_out[0]);
	for (size_t i = 0; i < differing->n_left_out && !differing->options->quiet; i++)
		message_note("%s", differing->left_out[i]);
	return true;
}

/* A side none of whose calls fulfils --where has no samples. */
static bool diff_load(struct differing *differing, struct side *side, struct err *err)
{
	const char *where = differing->options->where;

	if (!side->key)
		return true;
	if (!profile_load(side->profile, side->key, DIFF_CELLS, &side->samples, err))
		return false;
	if (diff_is_asked_for(differing, side->samples))
		pins_see(&differing->seen, differing->options, side->samples);
	if (!diff_is_asked_for(differing, side->samples) ||
	    where_select(side->samples, where, NULL, err))
		return true;
	if (err->code != ERR_NOT_FOUND)
		return false;
	side->left_out = differing_leave_out(differing, err->text);
	samples_destroy(side->samples);
	side->samples = NULL;
	return true;
}

static bool diff_compare_keys(struct differing *differing, const char *old_key, const char *new_key,
			      struct err *err)
{
	struct side old = {differing->old, old_key};
	struct side new = {differing->new, new_key};
	const bool ok = diff_load(differing, &old, err) && diff_load(differing, &new, err);

	if (ok && (old.samples || new.samples))
		diff_compare_functions(differing, &old, &new);
	if (ok)
		return true;
	samples_destroy(old.samples);
	samples_destroy(new.samples);
	return false;
}

static bool compare_functions(struct differing *differing, struct err *err)
{
	const char *const *old;
	const char *const *new;
	size_t n_old, n_new;
	bool *taken;

	if (!profile_subjects(differing->old, &old, &n_old, err) ||
	    !profile_subjects(differing->new, &new, &n_new, err))
		return false;
	taken = arena_array(differing->arena, bool, n_new + 1);
	for (size_t i = 0; i < n_old; i++) {
		const char *namesake = find_namesake(new, n_new, old[i], old, n_old);

		for (size_t j = 0; j < n_new && namesake; j++)
			taken[j] |= new[j] == namesake;
		if (!diff_compare_keys(differing, old[i], namesake, err))
			return false;
	}
	for (size_t j = 0; j < n_new; j++)
		if (!taken[j] && !diff_compare_keys(differing, NULL, new[j], err))
			return false;
	return true;
}

static void diff_take_call(void *self, const char *caller, const char *callee)
{
	diff_callees_add(self, caller, callee);
}

static bool compare_pair(struct differing *differing, const struct compared *pair, struct err *err)
{
	struct err ignored;
	bool ok;

	differing->by_turns = pair->by_turns;
	differing->diff->side =
		pair->name ? arena_strdup(differing->diff->arena, pair->name) : NULL;
	ok = profile_open(pair->old, &differing->old, err) &&
	     profile_open(pair->new, &differing->new, err);
	if (ok) {
		differing->crew = model_crew_create(differing->options, diff_take, differing);
		ok = compare_functions(differing, err);
		model_crew_finish(differing->crew);
		/* no graph: nothing is said of who calls whom */
		profile_code_visit_calls(differing->new, diff_take_call, differing->diff, &ignored);
	}
	profile_close(differing->old);
	profile_close(differing->new);
	differing->old = differing->new = NULL;
	return ok;
}

bool cmd_diff_profiles(const struct options *options, const struct compared *pairs, size_t n,
		       struct diff *ret, size_t *ret_worse, struct err *err)
{
	const struct diff_options settings = diff_settings(options, false);
	struct differing differing = {.options = options, .arena = arena_create(), .diff = ret};
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = compare_pair(&differing, &pairs[i], err);
	ok = ok && pins_check(&differing.seen, options, err);
	if (ok && options->method)
		*ret_worse = methods_decide(ret, options->method);
	else
		*ret_worse = ok ? diff_profiles_decide(ret, &settings) : 0;
	ok = ok && differing_tell_left_out(&differing, err);
	free(differing.left_out);
	arena_destroy(differing.arena);
	return ok;
}

static bool print_reports(const struct options *options, const struct diff *diff, FILE *out,
			  bool *printed, struct err *err)
{
	struct findings *findings = findings_of_diff(options->program ? "compare" : "diff", diff,
						     options->method, options->fail_inconclusive);
	const bool ok = findings_report_print(findings, options, out, printed, err);

	findings_destroy(findings);
	return ok;
}

static bool diff_print_result(const struct options *options, const struct diff *diff,
			      const struct compared *pairs, size_t n, struct err *err)
{
	const char **inputs = mem_alloc((2 * n + 1) * sizeof(*inputs));
	struct output output;
	bool ok, printed = false;

	for (size_t i = 0; i < n; i++) {
		inputs[2 * i] = pairs[i].old;
		inputs[2 * i + 1] = pairs[i].new;
	}
	ok = output_open(options->report, inputs, 2 * n, &output, err);
	free(inputs);
	if (!ok)
		return false;
	output_begin(&output);
	if (findings_report_wanted(options))
		ok = print_reports(options, diff, output.file, &printed, err);
	if (ok && !printed && options->json)
		ok = json_diff(diff, output.file, err);
	for (size_t i = 0; ok && !printed && !options->json && i < diff->n_results; i++)
		method_print(&diff->results[i], options->method, output.file);
	for (size_t i = 0; ok && !printed && !options->json && i < diff->n_subjects; i++)
		diff_print(&diff->subjects[i], options->verbose, output.file);
	if (ok && !printed && !options->json)
		diff_print_suites(diff, output.file);
	return output_close(&output, err) && ok;
}

static bool has_compared(const struct diff *diff)
{
	for (size_t i = 0; i < diff->n_subjects; i++)
		if (diff->subjects[i].n_tests)
			return true;
	return diff->n_results > 0;
}

/* Something was compared, but its runs may differ by what was found. */
static bool diff_is_open(const struct diff *diff)
{
	for (size_t i = 0; i < diff->n_subjects; i++)
		if (diff->subjects[i].verdict == DIFF_INCONCLUSIVE && !diff->subjects[i].reason)
			return true;
	return false;
}

bool cmd_diff_report(const struct options *options, const struct compared *pairs, size_t n,
		     bool *ret_failed, struct err *err)
{
	struct diff *diff = diff_create();
	size_t worse;
	bool ok = cmd_diff_profiles(options, pairs, n, diff, &worse, err) &&
		  diff_print_result(options, diff, pairs, n, err);

	*ret_failed = ok && (worse || (options->fail_inconclusive && diff_is_open(diff)));
	if (ok && !has_compared(diff))
		ok = err_set(
			err, ERR_NOT_FOUND,
			"nothing could be compared: %s and %s have no function and metric with "
			"enough samples in common",
			pairs[0].old, pairs[0].new);
	diff_destroy(diff);
	return ok;
}

static int cmd_diff_run(const struct options *options)
{
	const struct compared pair = {options->arguments[0], options->arguments[1], NULL};
	struct err err;
	bool failed;

	if (cmd_diff_report(options, &pair, 1, &failed, &err))
		return failed ? EXIT_VIOLATED : EXIT_DONE;
	return message_status(false, &err);
}

const struct command command_diff = {
	.usage =
		{.name = "diff",
		 .bit = COMMAND_DIFF,
		 .arguments = "OLD NEW",
		 .summary = "What changed between two profiles of the same functions?",
		 .details =
			 "The functions, or only the calls that were made of them: a function is "
			 "worse or better if calls "
			 "with the same features cost something else, beyond --tolerance, "
			 "beyond chance, and beyond what runs of one program differ by. -v "
			 "tells of every test. Exit status 0: nothing got worse; 1: something did; "
			 "2: nothing could be compared.",
		 .min_arguments = 2,
		 .max_arguments = 2},
	.run = cmd_diff_run,
	.confined = true,
};
