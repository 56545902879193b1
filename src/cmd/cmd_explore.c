/* fathom explore: browse a profile in the terminal. explore/explore.c is the explorer. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "explore/explore.h"
#include "export/kept_gains.h"
#include "cli/message.h"
#include "profile/profile.h"
#include "results/pins.h"
#include "results/where.h"

static bool explore_prepare(struct terminal_reset *ret, struct err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "the explorer needs a terminal as standard input and output; fathom "
			       "annotate prints what it would show");
	return terminal_reset_prepare(STDIN_FILENO, ret, err);
}

/* Can the profile be read? */
static bool explore_check(const char *path, struct err *err)
{
	struct profile *profile;

	if (!profile_open(path, &profile, err))
		return false;
	profile_close(profile);
	return true;
}

static bool explore_add_gains(void *self, const struct causal_gains *gains, struct err *err)
{
	(void)err;
	causal_gains_print(gains, self);
	fputc('\n', self);
	return true;
}

/* What experiments of @path say, to be freed. What cannot be read the explorer tells by itself. */
static char *explore_gains(const char *path)
{
	struct profile *profile;
	struct err ignored;
	char *text = NULL;
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	if (profile_open(path, &profile, &ignored)) {
		kept_gains_visit(profile, explore_add_gains, out, &n, &ignored);
		profile_close(profile);
	}
	fclose(out);
	return text;
}

static int cmd_explore_run(const struct options *options)
{
	const bool is_compared = options->n_arguments > 1;
	struct explorer_source before = {.path = options->arguments[0], .options = options};
	struct explorer_source source = {.path = options->arguments[is_compared],
					 .options = options,
					 .before = is_compared ? &before : NULL};
	struct terminal_reset rescue;
	struct exploration exploration = {
		.rescue = &rescue, .colors = explore_colors(options), .source = &source};
	enum explore_ending ending;
	struct err err;
	char *gains;
	bool ok;
	int number;

	if (!where_check(options->where, &err) || !explore_prepare(&rescue, &err) ||
	    (is_compared && !explore_check(before.path, &err)) ||
	    !pins_expand(source.path, options, options->arena, &source.names, &err))
		return message_status(false, &err);
	exploration.gains = gains = explore_gains(source.path);
	before.pool = explorer_pool_create();
	source.pool = explorer_pool_create();
	ok = explore(&exploration, &ending, &number, &err);
	explorer_pool_destroy(source.pool);
	explorer_pool_destroy(before.pool);
	free(gains);
	if (!ok)
		return message_status(false, &err);
	if (ending == EXPLORE_SIGNALLED)
		raise(number);
	return EXIT_DONE;
}

const struct command command_explore = {
	.usage = {.name = "explore",
		  .bit = COMMAND_EXPLORE,
		  .arguments = "[BEFORE] PROFILE",
		  .summary = "Look at functions, plots, trees and samples in the terminal",
		  .details =
			  "The models are made meanwhile, the dearest first. The key ? shows all "
			  "keys. "
			  "Of two profiles the costs before and now stand side by side, and plots "
			  "have the curve of before, too. The key "
			  "e opens $VISUAL or $EDITOR at the function's line.",
		  .min_arguments = 1,
		  .max_arguments = 2},
	.run = cmd_explore_run,
};
