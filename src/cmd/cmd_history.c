/*
 * fathom history: profiles by commit. Adding and listing are here; history_show.c, history_bisect.c
 * have the rest.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cmd.h"
#include "core/annotation/quote.h"
#include "core/verdict/diff.h"
#include "history_actions.h"
#include "judge/measured_key.h"
#include "profile/profile.h"
#include "record/run_series.h"

/* Commits that log shows, and those that it looks at for what they are compared with. */
enum { SHOWN_MOST = 50, SEEN_MOST = 500 };

static bool copy_profile(const char *from, const char *to, struct err *err)
{
	struct profile *profile;
	bool ok;

	if (!profile_open(from, &profile, err))
		return false;
	ok = profile_save(profile, to, err);
	profile_close(profile);
	return ok;
}

/*
 * Compare @path, of HEAD, with those before it; of changed files also with HEAD itself.
 */
static bool compare_with_parents(struct history *history, const char *key, const char *path,
				 bool is_changed, struct err *err)
{
	struct git_commits commits;
	struct compared *pairs;
	bool failed = false;
	size_t *before;
	size_t n, i;

	if (!git_log("HEAD", GIT_ALL, SEEN_MOST, history->arena, &commits, err))
		return false;
	before = arena_array(history->arena, size_t, commits.n + 1);
	if (is_changed && store_has(&history->store, commits.list[0].id, key))
		n = 1;
	else
		n = store_baselines(&history->store, &commits, 0, key, before);
	pairs = arena_array(history->arena, struct compared, n + 1);
	for (i = 0; i < n; i++) {
		const struct git_commit *commit = &commits.list[before[i]];

		if (!history->options.quiet)
			message_note("against %s of %s, %s", commit->name, commit->date,
				     commit->title);
		pairs[i] = (struct compared){store_path(&history->store, commit->id, key), path,
					     n > 1 ? commit->name : NULL};
	}
	if (!n)
		message_note("%s is the first that was measured so: there is nothing to compare it "
			     "with",
			     commits.list[0].name);
	if (n && !cmd_diff_report(&history->options, pairs, n, &failed, err))
		return false;
	history->failed |= failed;
	return true;
}

/* Store @path as HEAD's, unless files are changed, and compare it. */
static bool history_take_profile(struct history *history, const char *path, const char *changed,
				 struct err *err)
{
	const char *key, *head, *kept;

	if (!measured_key(path, history->watched.build, history->arena, &key, err) ||
	    !git_resolve("HEAD", history->arena, &head, err))
		return false;
	if (!changed) {
		kept = store_path(&history->store, head, key);
		if (!store_prepare(&history->store, head, err) || !copy_profile(path, kept, err))
			return false;
		path = kept;
	}
	return compare_with_parents(history, key, path, changed != NULL, err);
}

static bool history_add(struct history *history, struct err *err)
{
	const char *changed;

	if (!git_changed(history->arena, &changed, err))
		return false;
	if (changed)
		return err_set(err, ERR_USAGE,
			       "%s is changed: what was measured may not be of the commit; commit, "
			       "measure, then add",
			       changed);
	return history_take_profile(history, history->options.arguments[0], NULL, err);
}

static bool run_program(struct history *history, const struct watched_program *program,
			const char *changed, struct err *err)
{
	struct options options;
	struct run_series series = {0};
	bool ok;

	if (!history_measure(history, program, &options, err) ||
	    !run_series_open(&options, history->arena, &series, err))
		return false;
	series.place = history->store.top;
	ok = run_series_measure(&series, &options, program->words, err) &&
	     history_take_profile(history, series.profile, changed, err);
	run_series_close(&series);
	return ok;
}

static bool history_run(struct history *history, struct err *err)
{
	const struct watched *watched = &history->watched;
	const char *changed;

	if (!watched->n)
		return err_set(err, ERR_NOT_FOUND,
			       "%s/config does not say what to measure: lines such as program = "
			       "./NAME, argument = 300, function = work, and build = make",
			       history->store.folder);
	if (!git_changed(history->arena, &changed, err))
		return false;
	if (changed)
		message_note("%s is changed: this is not stored", changed);
	if (watched->build && !git_build(history->store.top, watched->build, err))
		return false;
	for (size_t i = 0; i < watched->n; i++)
		if (!run_program(history, &watched->programs[i], changed, err))
			return false;
	return true;
}

/* What became of functions, by verdict: "worse: work.time 2.93 times, parse.time 1.2 times". */
static void print_verdict(const struct diff *diff, enum diff_verdict verdict, const char *word,
			  const char **separator)
{
	const char *before = "";

	for (size_t i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];

		if (subject->verdict != verdict ||
		    (verdict == DIFF_INCONCLUSIVE && subject->reason))
			continue;
		if (!*before)
			printf("%s%s: ", *separator, word);
		fputs(before, stdout);
		quote_print_head(subject->function, subject->metric, stdout);
		printf(" %.3g times", diff_change(subject));
		before = ", ";
		*separator = "; ";
	}
}

/* Functions that only one of both has. */
static void print_alone(const struct diff *diff, bool in_new, const char *word,
			const char **separator)
{
	const char *before = "";

	for (size_t i = 0; i < diff->n_subjects; i++) {
		const struct diff_subject *subject = &diff->subjects[i];

		if (subject->old || subject->new || (subject->n_new > 0) != in_new)
			continue;
		printf("%s%s%s", *before ? "" : *separator, *before ? "" : word,
		       *before ? before : ": ");
		quote_print_head(subject->function, subject->metric, stdout);
		before = ", ";
		*separator = "; ";
	}
}

static bool print_outcome(struct history *history, const char *old, const char *new,
			  const char **separator, struct err *err)
{
	struct diff *diff = diff_create();
	const char *at_first = *separator;
	size_t worse, i, same = 0;
	const bool ok = cmd_diff_profiles(&history->options, &(struct compared){old, new, NULL}, 1,
					  diff, &worse, err);

	if (ok) {
		print_verdict(diff, DIFF_WORSE, "worse", separator);
		print_verdict(diff, DIFF_BETTER, "better", separator);
		print_verdict(diff, DIFF_INCONCLUSIVE, "inconclusive", separator);
		print_alone(diff, true, "new", separator);
		print_alone(diff, false, "gone", separator);
		for (i = 0; i < diff->n_subjects; i++)
			same += diff->subjects[i].verdict == DIFF_CONFORMS;
		if (*separator == at_first) {
			printf("%s%zu unchanged", *separator, same);
			*separator = "; ";
		}
	}
	diff_destroy(diff);
	return ok;
}

static bool print_key(struct history *history, const struct git_commits *commits, size_t at,
		      const char *key, const char **separator, struct err *err)
{
	const char *new = store_path(&history->store, commits->list[at].id, key);
	size_t *before = arena_array(history->arena, size_t, commits->n + 1);
	const size_t n = store_baselines(&history->store, commits, at, key, before);

	for (size_t i = 0; i < n; i++) {
		const struct git_commit *other = &commits->list[before[i]];

		if (n > 1) {
			printf("%sagainst %s: ", *separator, other->name);
			*separator = "";
		}
		if (!print_outcome(history, store_path(&history->store, other->id, key), new,
				   separator, err))
			return false;
	}
	if (!n) {
		printf("%sfirst of %s", *separator, key);
		*separator = "; ";
	}
	return true;
}

/* A line. */
static bool print_commit(struct history *history, const struct git_commits *commits, size_t at,
			 struct err *err)
{
	const struct git_commit *commit = &commits->list[at];
	const char **keys = store_keys(&history->store, commit->id);
	const char *separator = "";
	bool ok = true;
	size_t i;

	printf("%s %s ", commit->name, commit->date);
	for (i = 0; ok && keys[i]; i++)
		ok = print_key(history, commits, at, keys[i], &separator, err);
	if (!i)
		fputs("not measured", stdout);
	fputs(" | ", stdout);
	text_print_safe(stdout, commit->title);
	putchar('\n');
	return ok;
}

static bool history_log(struct history *history, struct err *err)
{
	const struct options *options = &history->options;
	struct git_commits commits;

	if (!git_log(options->n_arguments ? options->arguments[0] : "HEAD", GIT_ALL, SEEN_MOST,
		     history->arena, &commits, err))
		return false;
	for (size_t i = 0; i < commits.n && i < SHOWN_MOST; i++)
		if (!print_commit(history, &commits, i, err))
			return false;
	return true;
}

static const struct {
	const char *name, *arguments;
	int least, most;
	bool compares; /* it prints what diff does */
	bool (*act)(struct history *history, struct err *err);
} actions[] = {
	{"add", "PROFILE", 1, 1, true, history_add},
	{"log", "[REVISION]", 0, 1, false, history_log},
	{"show", "FUNCTION [REVISION]", 1, 2, false, history_show},
	{"run", "", 0, 0, true, history_run},
	{"bisect", "FUNCTION GOOD [BAD]", 2, 3, false, history_bisect},
};

static bool history_act(struct history *history, struct err *err)
{
	struct options *options = &history->options;
	const char *name = options->arguments[0];

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		const int n = options->n_arguments - 1;

		if (strcmp(name, actions[i].name) != 0)
			continue;
		if (n < actions[i].least || n > actions[i].most)
			return err_set(err, ERR_USAGE, "fathom history %s %s is meant", name,
				       actions[i].arguments);
		if (!actions[i].compares && (options->json || options->report))
			return err_set(err, ERR_USAGE,
				       "--json and -r go with add and run: redirect what %s prints",
				       name);
		options->arguments++;
		options->n_arguments--;
		return store_open(history->arena, &history->store, err) &&
		       watched_read(
			       arena_printf(history->arena, "%s/config", history->store.folder),
			       history->arena, &history->watched, err) &&
		       history_measure_metrics(history, err) && actions[i].act(history, err);
	}
	return err_set(err, ERR_USAGE,
		       "fathom history has no action %s: add, log, show, run, bisect", name);
}

static int cmd_history_run(const struct options *options)
{
	struct history history = {.options = *options, .arena = options->arena};
	struct err err;

	if (history_act(&history, &err))
		return history.failed ? EXIT_VIOLATED : EXIT_DONE;
	fflush(stdout);
	return message_status(false, &err);
}

const struct command command_history = {
	.usage = {.name = "history",
		  .bit = COMMAND_HISTORY,
		  .arguments = "add|log|show|run|bisect [ARG...]",
		  .summary = "Costs from commit to commit of the git repository one stands in",
		  .details =
			  "add PROFILE keeps a profile as the commit's, in .fathom/, and compares "
			  "it with the commits before; a changed tree is refused. run builds and "
			  "measures what .fathom/config lists and does the same; a changed tree "
			  "is measured and not kept. Lines of config: build = COMMAND, program = "
			  "PATH, and for each program argument = WORD, function = NAME (both "
			  "repeated), metrics = LIST, runs = N. log has a line for each commit: "
			  "what got worse, better, is new or gone. show FUNCTION is its course, "
			  "with the commits at which it changed; of courses without a change, one "
			  "in 1 / --alpha is said to have one. bisect FUNCTION GOOD [BAD] builds "
			  "and measures commits between, in a worktree of its own, until it has "
			  "the one that made FUNCTION worse. Compared are only samples of the "
			  "same program, arguments, metrics, processor and build command; a merge "
			  "with all of its parents. Exit status 1: something got worse (add, "
			  "run).",
		  .min_arguments = 1,
		  .max_arguments = 4},
	.run = cmd_history_run,
};
