/* fathom calls: who calls a function, and whom it calls, as the machine code has it. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/host.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cmd.h"
#include "core/catalogue/code_text.h"
#include "core/cxx_name.h"
#include "dwarf/graph/code_graph_build.h"
#include "dwarf/graph/code_skeleton.h"
#include "profile/graph/profile_code.h"
#include "results/annotation_file.h"

enum { NAMES_SHOWN = 8 };

static bool calls_unknown(const struct code_graph *graph, const char *pattern, struct err *err)
{
	const char *nearest = NULL;
	size_t distance = SIZE_MAX;

	for (size_t i = 0; i < graph->n_functions; i++)
		if (cxx_name_is_nearer(graph->nodes[i].name, pattern, &distance))
			nearest = graph->nodes[i].name;
	return err_set(err, ERR_NOT_FOUND, "the program has no function %s%s%s", pattern,
		       nearest ? "; perhaps you mean " : ": fathom list shows their names",
		       nearest ? nearest : "");
}

static bool calls_doubtful(const struct code_graph *graph, const char *pattern, const size_t *found,
			   size_t n, struct err *err)
{
	const char *names = "";

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
		names = arena_printf(graph->arena, "%s%s%s", names, i ? ", " : "",
				     graph->nodes[found[i]].name);
	return err_set(err, ERR_USAGE, "%s may be %s%s: give more of the name", pattern, names,
		       n > NAMES_SHOWN ? ", ..." : "");
}

/* Several functions of one name, of several files, are shown all; so are those of a glob. */
static bool calls_find(const struct code_graph *graph, const char *pattern, size_t *found,
		       size_t *ret_n, struct err *err)
{
	const char *canonical = cxx_name_canonical(graph->arena, pattern);
	size_t n = 0, exact = 0;
	bool is_one_name = true;

	for (size_t i = 0; i < graph->n_functions; i++) {
		const struct code_node *node = &graph->nodes[i];

		if (!cxx_name_matches(node->name, node->linkage, canonical))
			continue;
		if (!strcmp(node->name, canonical) || !strcmp(node->linkage, pattern)) {
			n = exact ? n : 0;
			exact++;
		} else if (exact) {
			continue;
		}
		found[n++] = i;
	}
	for (size_t i = 1; i < n; i++)
		is_one_name &= !strcmp(graph->nodes[found[i]].name, graph->nodes[found[0]].name);
	*ret_n = n;
	if (!n)
		return calls_unknown(graph, pattern, err);
	return is_one_name || cxx_name_is_glob(pattern) ||
	       calls_doubtful(graph, pattern, found, n, err);
}

static bool calls_skeleton(const struct code_graph *graph, const struct options *options,
			   const char *path, size_t node, FILE *out, struct err *err)
{
	struct skeleton skeleton;

	if (!code_skeleton_find(path, options->debuginfo_path, graph, node, graph->arena, &skeleton,
				err))
		return false;
	skeleton_print(&skeleton, out);
	return true;
}

static bool calls_print(const struct code_graph *graph, const struct options *options,
			const char *path, struct err *err)
{
	const char *pattern = options->n_arguments > 1 ? options->arguments[1] : "main";
	size_t *found = mem_alloc((graph->n_functions + 1) * sizeof(*found));
	struct output output;
	size_t n;
	bool ok = calls_find(graph, pattern, found, &n, err) &&
		  output_open(options->report, &path, 1, &output, err);

	if (ok) {
		output_begin(&output);
		if (options->dot)
			code_text_dot(graph, found, n, options->max_depth, output.file);
		for (size_t i = 0; i < n && !options->dot && !options->skeleton; i++)
			code_text_print(graph, found[i], options->max_depth, output.file);
		for (size_t i = 0; i < n && ok && options->skeleton; i++)
			ok = calls_skeleton(graph, options, path, found[i], output.file, err);
		ok = output_close(&output, err) && ok;
	}
	free(found);
	return ok;
}

static bool calls_of_profile(const char *path, struct code_graph **ret, struct err *err)
{
	struct profile *profile;
	bool ok;

	if (!profile_open(path, &profile, err))
		return false;
	ok = profile_code_load(profile, ret, err);
	profile_close(profile);
	return ok;
}

static int cmd_calls_run(const struct options *options)
{
	struct arena *arena = arena_create();
	const char *name = options->arguments[0];
	const char *path = host_find_program(arena, name);
	struct code_graph *graph = NULL;
	struct err err;
	bool ok;

	path = path ? path : host_process_program(arena, name);
	path = path ? path : name;
	ok = (!options->skeleton || !annotation_file_is_profile(path) ||
	      err_set(&err, ERR_USAGE,
		      "--skeleton is of a program, not of a profile: name that")) &&
	     (annotation_file_is_profile(path) ? calls_of_profile(path, &graph, &err)
					       : code_graph_build(path, options->debuginfo_path,
								  CODE_STRICT, &graph, &err)) &&
	     calls_print(graph, options, path, &err);
	code_graph_destroy(graph);
	arena_destroy(arena);
	return message_status(ok, &err);
}

const struct command command_calls = {
	.usage =
		{.name = "calls",
		 .bit = COMMAND_CALLS,
		 .arguments = "PROG|PID|PROFILE [FUNCTION]",
		 .summary = "Show who calls a function, and whom it calls",
		 .details =
			 "As the machine code has it, of main without a FUNCTION: calls, jumps at "
			 "a function's end (tail calls), and functions whose address another one, "
			 "or an object, has, so that it may be called through a pointer. Levels "
			 "say how far from main a function is, at most, without a circle. Of a "
			 "PROFILE: its program's, with calls and shares of measured functions, and "
			 "calls through pointers that were seen.",
		 .min_arguments = 1,
		 .max_arguments = 2},
	.run = cmd_calls_run,
};
