/* fathom list: list the measurable functions of a program, and their features. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd.h"
#include "dwarf/catalogue_build.h"
#include "dwarf/graph/code_graph_build.h"
#include "cli/host.h"
#include "cli/message.h"
#include "cli/output.h"
#include "inspect/top_shares.h"
#include "profile/profile_history.h"
#include "record/default_profile.h"
#include "report/json.h"
#include "select/selection.h"

enum { SAMPLE_MS = 1000, TEND_MS = 10 };

struct listed_function {
	const struct catalogue *catalogue;
	size_t index;
	uint64_t size; /* of its code */
	double share;  /* of the time; NAN: not known */
	bool is_own;
};

/* Where shares are from: a profile, or samples. */
struct list_shares {
	struct profile *profile;
	struct top_shares *top;
	struct hot_function *functions;
	size_t n_functions;
	double n_samples;
	struct code_graph *graph; /* of --levels; NULL: not asked for */
};

/* With one that is asked for (--feature), too: else its errors were not told. */
static bool lists_features(const struct options *options)
{
	return options->features || options->n_required;
}

static struct listed_function list_entry(const struct catalogue *catalogue, size_t index)
{
	const struct function *function = &catalogue->functions[index];
	struct listed_function ret = {
		catalogue, index, 0, NAN,
		catalogue_is_own(function->module ? catalogue->modules[function->module].path
						  : NULL,
				 function->file)};

	for (size_t i = 0; i < function->n_ranges; i++)
		ret.size += function->ranges[i].high_addr - function->ranges[i].low_addr;
	return ret;
}

static int list_compare_names(const void *a, const void *b)
{
	const struct listed_function *x = a, *y = b;

	if (x->is_own != y->is_own)
		return x->is_own ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static int list_compare_sizes(const void *a, const void *b)
{
	const struct listed_function *x = a, *y = b;

	if (x->is_own != y->is_own || x->size == y->size)
		return list_compare_names(a, b);
	return x->size < y->size ? 1 : -1;
}

static int list_compare_shares(const void *a, const void *b)
{
	const struct listed_function *x = a, *y = b;

	if (isnan(x->share) || isnan(y->share))
		return isnan(x->share) != isnan(y->share) ? (isnan(x->share) ? 1 : -1)
							  : list_compare_names(a, b);
	return x->share != y->share ? (x->share < y->share ? 1 : -1) : list_compare_names(a, b);
}

static const char *list_key(const struct function *function)
{
	return function->linkage && *function->linkage ? function->linkage : function->name;
}

/* As the default profile has it, of this very build; or as samples of the process do. */
static void list_find_shares(const struct list_shares *shares, struct listed_function *entry)
{
	const struct function *function = &entry->catalogue->functions[entry->index];
	struct err ignored;

	if (shares->profile &&
	    (!profile_function_share(shares->profile, list_key(function), &entry->share, &ignored)))
		entry->share = NAN;
	for (size_t i = 0; i < shares->n_functions; i++)
		if (!strcmp(shares->functions[i].name, function->name) &&
		    (!shares->functions[i].line || shares->functions[i].line == function->line))
			entry->share = (double)shares->functions[i].samples / shares->n_samples;
}

/* Of libraries, or of what has no code, nothing. */
static void print_level(const struct code_graph *graph, const struct function *function,
			struct arena *arena, FILE *out)
{
	const size_t node = code_graph_of(graph, function);

	if (node != CODE_NONE)
		fprintf(out, "%s: ", code_graph_words(&graph->nodes[node], arena));
}

/* The program's own first; what cannot be measured, unless a pattern asks for it, is counted. */
static void print_sorted(const struct catalogue *catalogue, const struct options *options,
			 const struct list_shares *shares, unsigned details, FILE *out)
{
	const bool whole = options->verbose || options->n_arguments > 1 || options->n_functions;
	struct listed_function *list = mem_alloc((catalogue->n_functions + 1) * sizeof(*list));
	size_t hidden = 0;

	for (size_t i = 0; i < catalogue->n_functions; i++) {
		list[i] = list_entry(catalogue, i);
		list_find_shares(shares, &list[i]);
	}
	qsort(list, catalogue->n_functions, sizeof(*list),
	      options->list_sort == LIST_BY_SIZE    ? list_compare_sizes
	      : options->list_sort == LIST_BY_SHARE ? list_compare_shares
						    : list_compare_names);
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		if (!isnan(list[i].share))
			fprintf(out, "%5.1f %% ", 100 * list[i].share);
		if (whole || !isnan(list[i].share) ||
		    !catalogue->functions[list[i].index].unmeasurable) {
			if (shares->graph)
				print_level(shares->graph, &catalogue->functions[list[i].index],
					    shares->graph->arena, out);
			catalogue_print_function(catalogue, list[i].index, details, out);
		} else {
			hidden++;
		}
	}
	free(list);
	if (hidden && !options->quiet)
		fprintf(out, "%zu more %s: -v lists them, with the reasons\n", hidden,
			options->select ? "are left out, or cannot be measured"
					: "cannot be measured, most of them inlined");
}

static bool list_print(const struct catalogue *catalogue, const struct options *options,
		       const struct list_shares *shares, struct output *output, struct err *err)
{
	const unsigned details = (lists_features(options) ? CATALOGUE_FEATURES : 0) |
				 (options->branches ? CATALOGUE_BRANCHES : 0) |
				 (options->loops ? CATALOGUE_LOOPS : 0) |
				 (options->verbose ? CATALOGUE_WHOLE | CATALOGUE_SITES : 0);

	output_begin(output);
	if (options->json)
		return json_catalogue(catalogue, lists_features(options), shares->graph,
				      output->file, err);
	print_sorted(catalogue, options, shares, details, output->file);
	return true;
}

static bool list_sample(const char *pid_text, const struct options *options,
			struct list_shares *shares, struct err *err)
{
	const int64_t end_ms = clock_now_ms() + SAMPLE_MS;
	const char *why;
	pid_t pid;

	if (!host_parse_pid(pid_text, &pid, err) ||
	    !top_shares_open(pid, options->debuginfo_path, &shares->top, &why, err))
		return false;
	while (clock_now_ms() < end_ms && top_shares_tend(shares->top))
		poll(NULL, 0, TEND_MS);
	shares->n_functions = top_shares_functions(shares->top, &shares->functions);
	shares->n_samples = (double)top_shares_samples(shares->top);
	return shares->n_functions ||
	       err_set(err, ERR_NOT_FOUND,
		       "process %s spent no time in its own code for %.1f s: without --sort=share "
		       "all is listed",
		       pid_text, SAMPLE_MS / 1e3);
}

/* A process is sampled; of a program the default profile knows, if it is of this build. */
static bool list_shares_open(const struct options *options, bool is_process,
			     const struct catalogue *catalogue, struct list_shares *ret,
			     struct err *err)
{
	struct arena *arena = arena_create();
	struct past_run *runs;
	struct err ignored;
	size_t n;
	bool ok;

	*ret = (struct list_shares){.n_samples = 1};
	if (options->list_sort != LIST_BY_SHARE || is_process) {
		arena_destroy(arena);
		return !is_process || options->list_sort != LIST_BY_SHARE ||
		       list_sample(options->arguments[0], options, ret, err);
	}
	ok = profile_open(DEFAULT_PROFILE, &ret->profile, &ignored) &&
	     profile_history(ret->profile, 1, arena, &runs, &n, &ignored) && n &&
	     runs[0].run.build_id && catalogue->modules[0].build_id &&
	     !strcmp(runs[0].run.build_id, catalogue->modules[0].build_id);
	arena_destroy(arena);
	return ok || err_set(err, ERR_NOT_FOUND,
			     "shares are known of a profile, or a process: fathom run -- %s makes "
			     "%s here, or give a PID",
			     options->arguments[0], DEFAULT_PROFILE);
}

static void list_shares_close(struct list_shares *shares)
{
	profile_close(shares->profile);
	top_shares_close(shares->top);
	free(shares->functions);
	code_graph_destroy(shares->graph);
}

/* What is asked for behind the program, and by -f; none of them: everything. */
static const char **listed_patterns(const struct options *options, struct arena *arena,
				    size_t *ret_n)
{
	const size_t n = (size_t)options->n_arguments - 1;
	const char **ret = arena_array(arena, const char *, n + options->n_functions);

	for (size_t i = 0; i < n; i++)
		ret[i] = options->arguments[i + 1];
	for (size_t i = 0; i < options->n_functions; i++)
		ret[n + i] = options->functions[i];
	*ret_n = n + options->n_functions;
	return ret;
}

static bool list(const struct options *options, const char *path, bool is_process,
		 struct arena *arena, struct err *err)
{
	struct selection selection;
	struct catalogue_request request = {
		.ambiguous = true,
		.features = lists_features(options),
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.strings = options->strings,
		.names_left_out = true,
		.globals = options->globals,
		.required = options->required,
		.n_required = options->n_required,
		.inlined = true,
		.loops = options->loops,
		.without_sites = !options->verbose && !options->json,
		.debuginfo_path = options->debuginfo_path,
	};
	struct catalogue *catalogue;
	struct list_shares shares;
	struct output output;
	bool ok;

	if (!selection_make(options, path, arena, &selection, err))
		return false;
	request.patterns = listed_patterns(options, arena, &request.n_patterns);
	request.left_out = selection.list;
	request.n_left_out = selection.n;
	if (!catalogue_build(path, &request, &catalogue, err))
		return false;
	ok = list_shares_open(options, is_process, catalogue, &shares, err) &&
	     (!options->levels ||
	      code_graph_build(path, options->debuginfo_path, CODE_STRICT, &shares.graph, err)) &&
	     output_open(options->report, &path, 1, &output, err);
	if (ok) {
		ok = list_print(catalogue, options, &shares, &output, err);
		ok = output_close(&output, err) && ok;
	}
	list_shares_close(&shares);
	for (size_t i = 0; i < catalogue->n_notes && !options->quiet; i++)
		message_note("%s", catalogue->notes[i]);
	catalogue_destroy(catalogue);
	return ok;
}

static int cmd_list_run(const struct options *options)
{
	struct arena *arena = arena_create();
	const char *name = options->arguments[0];
	const char *path = host_find_program(arena, name);
	struct err err;
	bool ok;

	const bool is_process = !path && (path = host_process_program(arena, name));
	ok = list(options, path ? path : name, is_process, arena, &err);
	arena_destroy(arena);
	return message_status(ok, &err);
}

const struct command command_list = {
	.usage = {.name = "list",
		  .bit = COMMAND_LIST,
		  .arguments = "PROG|PID [PATTERN...]",
		  .summary = "List functions, and where or why not they can be measured",
		  .details =
			  "PATTERN is a plain, qualified or linkage name, or a glob, with a source "
			  "file (parser.c:*) or a "
			  "library (libz.so.1:inflate) before it if need be. With --features, each "
			  "function's "
			  "features follow it, with the place that each is read from: of a large "
			  "program that is "
			  "a lot, and takes minutes, so give a PATTERN then. Functions of the "
			  "program's own sources come first; without a PATTERN those that cannot "
			  "be measured are only counted. With -v, they are listed, and each "
			  "function's pads follow: which of its entry and exits (and branches, "
			  "with --branches) a jump can reach instead of an int3, and why others "
			  "not. There a call that a pad began ends by a stop, or the reverse.",
		  .min_arguments = 1,
		  .max_arguments = 4096},
	.run = cmd_list_run,
};
