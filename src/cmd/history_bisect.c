/*
 * The first commit that made a function worse, by builds in a worktree of their own. Commits that
 * cannot be built, or measured, are passed over; the good one is measured first, here and now.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "cmd.h"
#include "core/verdict/diff.h"
#include "history_actions.h"
#include "record/run_series.h"

/* So often is a commit measured that is neither worse nor not. */
enum { STEPS_MOST = 1000, TRIALS_MOST = 4 };

enum trial { TRIAL_GOOD, TRIAL_BAD, TRIAL_OPEN, TRIAL_SKIPPED };

struct bisection {
	struct history *history;
	struct options options; /* of measuring */
	char **program;
	char *folder; /* temporary; the worktree is in it */
	const char *tree;
	struct run_series good; /* its samples */
	const char **goods;     /* ids, NULL at the end */
	size_t n_goods;
	const char **skipped;
	size_t n_skipped;
};

/* Adds runs of @commit to those that @series has. */
static bool measure(struct bisection *bisection, const char *commit, struct run_series *series,
		    struct err *err)
{
	struct history *history = bisection->history;

	if (!git_worktree_move(bisection->tree, commit, history->arena, err) ||
	    (history->watched.build && !git_build(bisection->tree, history->watched.build, err)) ||
	    (!series->profile &&
	     !run_series_open(&bisection->options, history->arena, series, err)))
		return false;
	series->place = bisection->tree;
	return run_series_measure(series, &bisection->options, bisection->program, err);
}

/* In a line, or with what runs say if that decides nothing. */
static void say_verdict(const struct diff_subject *subject)
{
	char *text = NULL, *line, *rest;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (subject->verdict == DIFF_INCONCLUSIVE)
		diff_print(subject, false, memory);
	else
		diff_print_head(subject, memory);
	fclose(memory);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		message_note("%s", line);
	free(text);
}

/* Is the function worse in @series than in the good commit? */
static bool bisect_judge(struct bisection *bisection, const struct run_series *series,
			 bool by_turns, enum trial *ret, struct err *err)
{
	struct diff *diff = diff_create();
	size_t worse = 0;
	const struct compared pair = {bisection->good.profile, series->profile, NULL, by_turns};
	const bool ok = cmd_diff_profiles(&bisection->options, &pair, 1, diff, &worse, err);

	*ret = worse ? TRIAL_BAD : TRIAL_GOOD;
	for (size_t i = 0; ok && i < diff->n_subjects; i++) {
		if (diff->subjects[i].verdict == DIFF_INCONCLUSIVE && !worse)
			*ret = TRIAL_OPEN;
		if (!bisection->options.quiet)
			say_verdict(&diff->subjects[i]);
	}
	diff_destroy(diff);
	return ok;
}

/* What is inconclusive is measured again, by turns with the good one. */
static bool measure_until_clear(struct bisection *bisection, const char *commit,
				struct run_series *series, enum trial *ret, struct err *err)
{
	bool ok = true;

	*ret = TRIAL_OPEN;
	for (unsigned i = 0; ok && *ret == TRIAL_OPEN && i < TRIALS_MOST; i++)
		ok = (!i || measure(bisection, bisection->goods[0], &bisection->good, err)) &&
		     measure(bisection, commit, series, err) &&
		     bisect_judge(bisection, series, i > 0, ret, err);
	return ok && (*ret != TRIAL_OPEN ||
		      err_set(err, ERR_NOT_FOUND, "it is inconclusive, by %u runs of each",
			      TRIALS_MOST * bisection->options.runs));
}

static enum trial try_commit(struct bisection *bisection, const char *commit)
{
	struct run_series series = {0};
	enum trial trial;
	struct err err = {0};

	if (!bisection->options.quiet)
		message_note("trying %.12s", commit);
	if (!measure_until_clear(bisection, commit, &series, &trial, &err)) {
		message_note("%.12s is passed over%s%s", commit, *err.text ? ": " : "", err.text);
		trial = TRIAL_SKIPPED;
	}
	run_series_close(&series);
	return trial;
}

static bool is_skipped(const struct bisection *bisection, const char *commit)
{
	for (size_t i = 0; i < bisection->n_skipped; i++)
		if (!strcmp(bisection->skipped[i], commit))
			return true;
	return false;
}

/* The next commit to try; *@ret NULL: there is none but the bad one. */
static bool find_next(struct bisection *bisection, const char *bad, const char **ret,
		      struct err *err)
{
	const char **candidates;
	size_t i;

	if (!git_candidates(bad, bisection->goods, bisection->history->arena, &candidates, err))
		return false;
	for (i = 0; candidates[i]; i++)
		if (strcmp(candidates[i], bad) != 0 && !is_skipped(bisection, candidates[i]))
			break;
	*ret = candidates[i];
	return true;
}

static bool bisect_narrow(struct bisection *bisection, const char **bad, struct err *err)
{
	const char *next;
	unsigned step;

	for (step = 0; step < STEPS_MOST; step++) {
		if (!find_next(bisection, *bad, &next, err))
			return false;
		if (!next)
			return true;
		switch (try_commit(bisection, next)) {
		case TRIAL_BAD:
			*bad = next;
			break;
		case TRIAL_GOOD:
			bisection->goods[bisection->n_goods++] = next;
			break;
		case TRIAL_OPEN:
		case TRIAL_SKIPPED:
			bisection->skipped[bisection->n_skipped++] = next;
			break;
		}
	}
	return err_set(err, ERR_UNSUPPORTED, "there are too many commits between");
}

static bool print_found(const struct bisection *bisection, const char *bad, struct err *err)
{
	struct git_commits commits;

	if (!git_log(bad, GIT_ALL, 1, bisection->history->arena, &commits, err))
		return false;
	printf("%s %s | %s\n", commits.list[0].id, commits.list[0].date, commits.list[0].title);
	if (bisection->n_skipped)
		message_note("or one of the %zu that were passed over", bisection->n_skipped);
	return true;
}

static bool bisect(struct bisection *bisection, const char *bad, struct err *err)
{
	if (!measure(bisection, bisection->goods[0], &bisection->good, err))
		return err_add(err, "%.12s", bisection->goods[0]);
	if (try_commit(bisection, bad) != TRIAL_BAD)
		return err_set(err, ERR_NOT_FOUND,
			       "%s is not worse in %.12s than in %.12s: more --runs may tell",
			       bisection->options.functions[0], bad, bisection->goods[0]);
	return bisect_narrow(bisection, &bad, err) && print_found(bisection, bad, err);
}

/* The program that .fathom/config lists first. */
static bool choose_program(struct bisection *bisection, struct err *err)
{
	struct history *history = bisection->history;
	struct options *options = &bisection->options;

	if (!history->watched.n)
		return err_set(err, ERR_NOT_FOUND,
			       "%s/config does not say what to build and measure: see fathom "
			       "history --help",
			       history->store.folder);
	if (!history_measure(history, &history->watched.programs[0], options, err))
		return false;
	options->functions = arena_array(history->arena, const char *, 1);
	options->functions[0] = options->arguments[0];
	options->n_functions = 1;
	bisection->program = history->watched.programs[0].words;
	return true;
}

static bool bisect_in_worktree(struct bisection *bisection, const char *good, const char *bad,
			       struct err *err)
{
	struct arena *arena = bisection->history->arena;
	const char *place = getenv("TMPDIR");
	bool ok;

	bisection->folder =
		arena_printf(arena, "%s/fathom-bisect-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(bisection->folder))
		return err_set_errno(err, ERR_IO, errno, "%s cannot be made", bisection->folder);
	bisection->tree = arena_printf(arena, "%s/tree", bisection->folder);
	bisection->goods = arena_array(arena, const char *, STEPS_MOST + 2);
	bisection->skipped = arena_array(arena, const char *, STEPS_MOST + 1);
	bisection->goods[bisection->n_goods++] = good;
	ok = git_worktree_add(bisection->tree, good, arena, err) && bisect(bisection, bad, err);
	run_series_close(&bisection->good);
	git_worktree_remove(bisection->tree, arena);
	rmdir(bisection->folder);
	return ok;
}

bool history_bisect(struct history *history, struct err *err)
{
	struct bisection bisection = {.history = history, .options = history->options};
	char **words = history->options.arguments;
	const char *good, *bad;

	return choose_program(&bisection, err) &&
	       git_resolve(words[1], history->arena, &good, err) &&
	       git_resolve(history->options.n_arguments == 3 ? words[2] : "HEAD", history->arena,
			   &bad, err) &&
	       bisect_in_worktree(&bisection, good, bad, err);
}
