/* fathom list: list the measurable functions of a program, and their features. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd.h"
#include "dwarf/catalogue_build.h"
#include "cli/host.h"
#include "cli/message.h"
#include "cli/output.h"
#include "report/json.h"

struct listed_function {
	const struct catalogue *catalogue;
	size_t index;
	uint64_t size; /* of its code */
	bool is_own;
};

static struct listed_function list_entry(const struct catalogue *catalogue, size_t index)
{
	const struct function *function = &catalogue->functions[index];
	struct listed_function ret = {
		catalogue, index, 0,
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

/* The program's own first; what cannot be measured, unless a pattern asks for it, is counted. */
static void print_sorted(const struct catalogue *catalogue, const struct options *options,
			 unsigned details, FILE *out)
{
	const bool whole = options->verbose || options->n_arguments > 1;
	struct listed_function *list = mem_alloc((catalogue->n_functions + 1) * sizeof(*list));
	size_t hidden = 0;

	for (size_t i = 0; i < catalogue->n_functions; i++)
		list[i] = list_entry(catalogue, i);
	qsort(list, catalogue->n_functions, sizeof(*list),
	      options->by_size ? list_compare_sizes : list_compare_names);
	for (size_t i = 0; i < catalogue->n_functions; i++) {
		if (whole || !catalogue->functions[list[i].index].unmeasurable)
			catalogue_print_function(catalogue, list[i].index, details, out);
		else
			hidden++;
	}
	free(list);
	if (hidden && !options->quiet)
		fprintf(out,
			"%zu more cannot be measured, most of them inlined: -v lists them, with "
			"the reasons\n",
			hidden);
}

static bool list_print(const struct catalogue *catalogue, const struct options *options,
		       const struct output *output, struct err *err)
{
	const unsigned details = (options->features ? CATALOGUE_FEATURES : 0) |
				 (options->branches ? CATALOGUE_BRANCHES : 0) |
				 (options->verbose ? CATALOGUE_WHOLE | CATALOGUE_SITES : 0);

	output_begin(output);
	if (options->json)
		return json_catalogue(catalogue, options->features, output->file, err);
	print_sorted(catalogue, options, details, output->file);
	return true;
}

static bool list(const struct options *options, const char *path, struct err *err)
{
	const char *pattern = options->n_arguments > 1 ? options->arguments[1] : NULL;
	const struct catalogue_request request = {
		.patterns = &pattern,
		.n_patterns = pattern ? 1 : 0,
		.ambiguous = true,
		.features = options->features,
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.strings = options->strings,
		.names_left_out = true,
		.globals = options->globals,
		.required = options->required,
		.n_required = options->n_required,
		.inlined = true,
		.without_sites = !options->verbose && !options->json,
		.debuginfo_path = options->debuginfo_path,
	};
	struct catalogue *catalogue;
	struct output output;
	size_t i;
	bool ok;

	if (!catalogue_build(path, &request, &catalogue, err))
		return false;
	ok = output_open(options->report, &path, 1, &output, err);
	if (ok) {
		ok = list_print(catalogue, options, &output, err);
		ok = output_close(&output, err) && ok;
	}
	for (i = 0; i < catalogue->n_notes && !options->quiet; i++)
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

	if (!path)
		path = host_process_program(arena, name);
	ok = list(options, path ? path : name, &err);
	arena_destroy(arena);
	if (ok)
		return EXIT_DONE;
	message_error("%s", err.text);
	return EXIT_UNUSABLE;
}

const struct command command_list = {
	.usage = {.name = "list",
		  .bit = COMMAND_LIST,
		  .arguments = "PROG|PID [PATTERN]",
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
		  .max_arguments = 2},
	.run = cmd_list_run,
};
