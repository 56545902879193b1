/* Opens programs and profiles, and lets the rules decide. */
#include "selection.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "cli/message.h"
#include "core/catalogue/code_learn.h"
#include "core/samples/samples.h"
#include "dwarf/graph/code_graph_build.h"
#include "profile/graph/profile_code.h"
#include "profile/profile_history.h"
#include "results/annotation_file.h"

enum { CELLS_MAX = 200000 };

bool selection_prepare(struct options *options, struct err *err)
{
	static const char *const all[] = {"*"};
	struct code_rules rules;

	if (!options->select)
		return true;
	if (!code_rules_parse(options->select, options->arena, &rules, err))
		return false;
	if (code_rules_find(&rules, RULE_HOT)) {
		options->hot = true;
	} else if (!options->n_functions && !options->hot) {
		options->functions = arena_copy(options->arena, all, sizeof(all));
		options->n_functions = 1;
	}
	return true;
}

/* The function of @graph that @samples are of; static ones of one name are told by nothing. */
static size_t learned_node(const struct code_graph *graph, const struct samples *samples)
{
	size_t found = CODE_NONE;

	for (size_t i = 0; i < graph->n_functions && !samples->module; i++)
		if (samples->linkage && !strcmp(graph->nodes[i].linkage, samples->linkage)) {
			if (found != CODE_NONE)
				return CODE_NONE;
			found = i;
		}
	return found;
}

static bool learned_take(const struct code_graph *graph, const struct samples *samples,
			 struct learned *ret)
{
	const size_t at = samples_find_column(samples, COLUMN_METRIC, "time");
	double *times = mem_alloc((samples->n_rows + 1) * sizeof(*times));
	size_t n = 0;

	for (size_t i = 0; at < samples->n_columns && i < samples->n_rows; i++)
		if (samples->columns[at].absence[i] == PRESENT)
			times[n++] = samples->columns[at].numbers[i];
	numbers_sort(times, n);
	*ret = (struct learned){.node = learned_node(graph, samples),
				.calls = samples->n_calls,
				.samples = n,
				.median_us = n ? times[n / 2] : 0,
				.spread_us = n ? times[3 * n / 4] - times[n / 4] : 0,
				.resolution_us = samples_resolution(samples, METRIC_TIME)};
	free(times);
	return ret->node != CODE_NONE && n;
}

/* Is the last run of the same build? */
static bool profile_is_of(struct profile *profile, const char *build_id, struct arena *arena)
{
	struct past_run *runs;
	struct err ignored;
	size_t n;

	return build_id && profile_history(profile, 1, arena, &runs, &n, &ignored) && n &&
	       runs[0].run.build_id && !strcmp(runs[0].run.build_id, build_id);
}

/*
 * What changed since the build that the profile is of, by the code that it keeps, unless that is
 * known. *@ret_is_known: there is such a build, and it is another one.
 */
static bool learn_changes(const struct code_graph *graph, struct profile *profile, const char *file,
			  const struct options *options, struct arena *arena, bool *ret_is_known,
			  struct code_changes *ret, struct err *err)
{
	struct code_graph *old;
	struct err why;
	bool ok;

	if (*ret_is_known || profile_is_of(profile, graph->build_id, arena))
		return true;
	if (options->same_code != CODE_STRICT || !profile_code_load(profile, &old, &why))
		return err_set(err, ERR_USAGE,
			       "%s was measured of another build: add changed=OLD, with that "
			       "build, so that what changed since is measured",
			       file);
	ok = code_change_find(old, graph, arena, ret, &why) ||
	     err_set(err, why.code, "%s: %s", file, why.text);
	code_graph_destroy(old);
	*ret_is_known = ok;
	return ok;
}

static bool learn(const struct code_graph *graph, const char *file, const struct options *options,
		  struct arena *arena, bool *changes_known, struct code_changes *changes,
		  const char **reasons, struct err *err)
{
	struct learned *learned;
	struct profile *profile;
	const char *const *keys;
	size_t n, kept = 0;
	bool ok;

	if (!profile_open(file, &profile, err))
		return false;
	ok = learn_changes(graph, profile, file, options, arena, changes_known, changes, err);
	n = profile_functions(profile, &keys);
	learned = arena_array(arena, struct learned, n + 1);
	for (size_t i = 0; ok && i < n; i++) {
		struct samples *samples;

		ok = profile_load(profile, keys[i], CELLS_MAX, &samples, err);
		if (!ok)
			break;
		kept += learned_take(graph, samples, &learned[kept]);
		samples_destroy(samples);
	}
	profile_close(profile);
	if (ok)
		code_learn_apply(graph, learned, kept,
				 (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid(), arena, reasons);
	return ok;
}

/* Of an older build, or of the profile of one. */
static bool old_graph(const char *old, const struct options *options, struct code_graph **ret,
		      struct err *err)
{
	struct profile *profile;
	bool ok;

	if (!annotation_file_is_profile(old))
		return code_graph_build(old, options->debuginfo_path, options->same_code, ret, err);
	if (options->same_code != CODE_STRICT)
		return err_set(err, ERR_USAGE,
			       "%s: a profile knows only whether code is strictly the same: give "
			       "the older build, or leave --same-code out",
			       old);
	if (!profile_open(old, &profile, err))
		return false;
	ok = profile_code_load(profile, ret, err);
	profile_close(profile);
	return ok;
}

/* *@ret_old: the older build's, which the caller owns. */
static bool changes_find(const char *old, const struct options *options,
			 const struct code_graph *graph, struct arena *arena,
			 struct code_graph **ret_old, struct code_changes *ret, struct err *err)
{
	struct err why;

	if (!old_graph(old, options, ret_old, err))
		return false;
	if (code_change_find(*ret_old, graph, arena, ret, &why))
		return true;
	code_graph_destroy(*ret_old);
	return err_set(err, why.code, "%s: %s", old, why.text);
}

static void list_make(const struct code_graph *graph, const char **reasons, struct arena *arena,
		      struct selection *ret)
{
	struct left_out *list = arena_array(arena, struct left_out, graph->n_functions);

	*ret = (struct selection){list, 0};
	for (size_t i = 0; i < graph->n_functions; i++)
		if (reasons[i])
			list[ret->n++] = (struct left_out){graph->nodes[i].addr, reasons[i]};
}

static bool rules_make(const struct options *options, const struct code_rules *rules,
		       const struct code_graph *graph, struct arena *arena, struct selection *ret,
		       struct err *err)
{
	const struct code_rule *changed = code_rules_find(rules, RULE_CHANGED);
	const char **reasons = arena_array(arena, const char *, graph->n_functions);
	bool changes_known = changed;
	struct code_changes changes;
	struct code_graph *old;

	if (changed && !changes_find(changed->file, options, graph, arena, &old, &changes, err))
		return false;
	if (changed)
		code_graph_destroy(old);
	for (size_t i = 0; i < rules->n; i++)
		if (rules->list[i].kind == RULE_LEARN &&
		    !learn(graph, rules->list[i].file, options, arena, &changes_known, &changes,
			   reasons, err))
			return false;
	code_rules_apply(rules, graph, changes_known ? &changes : NULL, arena, reasons);
	list_make(graph, reasons, arena, ret);
	return true;
}

bool selection_make(const struct options *options, const char *path, struct arena *arena,
		    struct selection *ret, struct err *err)
{
	struct code_graph *graph;
	struct code_rules rules;
	bool ok;

	*ret = (struct selection){.n = 0};
	if (!options->select)
		return true;
	if (!code_rules_parse(options->select, arena, &rules, err) ||
	    !code_graph_build(path, options->debuginfo_path, options->same_code, &graph, err))
		return false;
	ok = rules_make(options, &rules, graph, arena, ret, err);
	code_graph_destroy(graph);
	return ok;
}

void selection_keep(const struct options *options, const char *path,
		    const struct selection *selection, struct profile *profile)
{
	struct code_graph *graph;
	struct err ignored;
	bool is_kept;

	if (!profile_code_is_kept(profile, &is_kept, &ignored) || (is_kept && !options->select) ||
	    !code_graph_build(path, options->debuginfo_path, CODE_STRICT, &graph, &ignored))
		return;
	profile_code_keep(profile, graph, selection->list, selection->n, &ignored);
	code_graph_destroy(graph);
}

/* Of clones of a function, as the debug information names it. */
static const char *pattern_of_node(const struct code_node *node, struct arena *arena)
{
	const size_t n = strcspn(node->linkage, ".");

	return n ? arena_printf(arena, "%.*s", (int)n, node->linkage) : node->linkage;
}

/* The name of a new one's function in the old one; NULL: it is the same, or there is none. */
static const char *renamed_from(const struct code_graph *old, const struct code_graph *new,
				const struct code_changes *changes, size_t at)
{
	const size_t before = changes->old[at];

	return before != CODE_NONE && strcmp(old->nodes[before].linkage, new->nodes[at].linkage)
		       ? old->nodes[before].name
		       : NULL;
}

static const char *changed_words(const struct code_graph *old, const struct code_graph *new,
				 const struct code_changes *changes, const char **patterns,
				 size_t n, struct arena *arena)
{
	enum { NAMED = 8 };
	const char *words =
		arena_printf(arena, "functions whose code changed: %zu, new: %zu, gone: %zu; ",
			     changes->n_changed, changes->n_new, changes->n_gone);
	size_t renamed = 0;

	for (size_t i = 0; i < new->n_functions &&renamed < NAMED; i++) {
		const char *before = renamed_from(old, new, changes, i);

		if (before)
			words = arena_printf(arena, "%s%s%s, once %s", words,
					     renamed++ ? "; " : "renamed: ", new->nodes[i].name,
					     before);
	}
	words = renamed ? arena_printf(arena, "%s; ", words) : words;
	for (size_t i = 0; i < n && i < NAMED; i++)
		words = arena_printf(arena, "%s%s%s", words, i ? ", " : "measuring ", patterns[i]);
	if (n > NAMED)
		words = arena_printf(arena, "%s and %zu more", words, n - NAMED);
	return n ? words : arena_printf(arena, "%snothing that both have differs", words);
}

static void changed_add(const char **patterns, size_t *n, const char *pattern)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(patterns[i], pattern))
			return;
	patterns[(*n)++] = pattern;
}

bool selection_changed(const struct options *options, const char *old, const char *new,
		       struct arena *arena, const char ***ret, size_t *ret_n,
		       const char **ret_words, struct err *err)
{
	struct code_changes changes;
	struct code_graph *graph, *before;
	bool *marks;
	size_t n = 0;

	if (!code_graph_build(new, options->debuginfo_path, options->same_code, &graph, err))
		return false;
	if (!changes_find(old, options, graph, arena, &before, &changes, err)) {
		code_graph_destroy(graph);
		return false;
	}
	marks = arena_array(arena, bool, graph->n_functions);
	*ret = arena_array(arena, const char *, graph->n_functions);
	code_change_mark(graph, &changes, marks);
	for (size_t i = 0; i < graph->n_functions; i++)
		if (marks[i] && (changes.of[i] == CODE_CHANGED || changes.of[i] == CODE_SAME) &&
		    !renamed_from(before, graph, &changes, i) &&
		    (!strcmp(graph->nodes[i].linkage, "main") ||
		     !code_change_is_helper(graph->nodes[i].linkage)))
			changed_add(*ret, &n, pattern_of_node(&graph->nodes[i], arena));
	*ret_n = n;
	*ret_words = changed_words(before, graph, &changes, *ret, n, arena);
	code_graph_destroy(before);
	code_graph_destroy(graph);
	return true;
}
