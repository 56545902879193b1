/* fathom export: what a profile holds, for other programs. */
#include <stdlib.h>

#include "base/mem.h"
#include "cmd.h"
#include "core/name.h"
#include "message.h"
#include "output.h"
#include "profile/csv.h"

static bool is_asked_for(const struct options *options, const char *name, struct arena *arena)
{
	size_t i;

	for (i = 0; i < options->n_functions; i++)
		if (name_matches(name, NULL, name_canonical(arena, options->functions[i])))
			return true;
	return options->n_functions == 0;
}

/* The keys of the functions that were asked for; the caller frees *@ret. */
static bool choose(const struct options *options, struct profile *profile, const char ***ret,
		   size_t *ret_n, struct err *err)
{
	struct arena *arena = arena_create();
	const char *const *keys;
	size_t n = profile_functions(profile, &keys);
	struct samples *samples;
	bool ok = true;
	size_t i;

	*ret = mem_alloc((n + 1) * sizeof(**ret));
	*ret_n = 0;
	for (i = 0; i < n && ok; i++) {
		ok = profile_load(profile, keys[i], 1, &samples, err);
		if (!ok)
			break;
		if (is_asked_for(options, samples->function, arena))
			(*ret)[(*ret_n)++] = keys[i];
		samples_destroy(samples);
	}
	arena_destroy(arena);
	return ok && (*ret_n || err_set(err, ERR_NOT_FOUND,
					"the profile holds no samples of such a function"));
}

static bool export_csv(const struct options *options, struct profile *profile,
		       const struct output *output, struct err *err)
{
	const char **keys;
	size_t n;
	bool ok = choose(options, profile, &keys, &n, err);

	if (ok) {
		output_begin(output);
		ok = csv_export(profile, keys, n, output->file, err);
	}
	free(keys);
	return ok;
}

static bool export(const struct options *options, struct err *err)
{
	const char *inputs[] = {options->arguments[0]};
	struct profile *profile;
	struct output output;
	bool ok;

	if (!options->csv)
		return err_set(err, ERR_USAGE, "as what? give --csv");
	if (!profile_open(options->arguments[0], &profile, err))
		return false;
	ok = output_open(options->output ? options->output : options->report, inputs, 1, &output,
			 err);
	if (ok) {
		ok = export_csv(options, profile, &output, err);
		ok = output_close(&output, err) && ok;
	}
	profile_close(profile);
	return ok;
}

static int run(const struct options *options)
{
	struct err err;

	if (export(options, &err))
		return EXIT_DONE;
	message_error("%s", err.text);
	return EXIT_UNUSABLE;
}

const struct command command_export = {
	.usage = {.name = "export",
		  .bit = COMMAND_EXPORT,
		  .arguments = "PROFILE",
		  .summary = "Write the samples of a profile for other programs",
		  .details = "Without -o they go to standard output. fathom import reads them.",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = run,
};
