/* fathom list: the functions of a program that can be measured, and their features. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "dwarf/build.h"
#include "host.h"
#include "message.h"
#include "report/json.h"

static bool print(const struct catalogue *catalogue, const struct options *options, struct err *err)
{
	FILE *out = options->report ? fopen(options->report, "we") : stdout;
	bool ok = true;

	if (!out)
		return err_set_errno(err, ERR_IO, errno, "cannot write %s", options->report);
	if (options->json)
		ok = json_catalogue(catalogue, options->features, out, err);
	else
		catalogue_print(catalogue, options->features, out);
	if (ok && (fflush(out) != 0 || ferror(out)))
		ok = err_set_errno(err, ERR_IO, errno, "cannot write the list");
	if (options->report)
		fclose(out);
	return ok;
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
	};
	struct catalogue *catalogue;
	size_t i;
	bool ok;

	if (!catalogue_build(path, &request, &catalogue, err))
		return false;
	ok = print(catalogue, options, err);
	for (i = 0; i < catalogue->n_notes && !options->quiet; i++)
		message_note("%s", catalogue->notes[i]);
	catalogue_destroy(catalogue);
	return ok;
}

static int run(const struct options *options)
{
	struct arena *arena = arena_create();
	const char *path = host_find_program(arena, options->arguments[0]);
	struct err err;
	bool ok;

	ok = list(options, path ? path : options->arguments[0], &err);
	arena_destroy(arena);
	if (ok)
		return EXIT_DONE;
	message_error("%s", err.text);
	return EXIT_UNUSABLE;
}

const struct command command_list = {
	.usage =
		{.name = "list",
		 .bit = COMMAND_LIST,
		 .arguments = "PROG [PATTERN]",
		 .summary = "List the functions that can be measured",
		 .details =
			 "PATTERN is a plain, qualified or linkage name, or a glob. With --features, each function's "
			 "features follow it, with the place that each is read from.",
		 .min_arguments = 1,
		 .max_arguments = 2},
	.run = run,
};
