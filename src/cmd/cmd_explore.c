/* fathom explore: browse a profile in the terminal. explore/explore.c is the explorer. */
#include <signal.h>
#include <unistd.h>

#include "cmd.h"
#include "explore/explore.h"
#include "cli/message.h"

static bool explore_prepare(struct terminal_reset *ret, struct err *err)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE,
			       "the explorer needs a terminal as standard input and output; fathom "
			       "annotate prints what it would show");
	return terminal_reset_prepare(STDIN_FILENO, ret, err);
}

static int cmd_explore_run(const struct options *options)
{
	const struct explorer_source source = {.path = options->arguments[0], .options = options};
	struct terminal_reset rescue;
	const struct exploration exploration = {
		.rescue = &rescue, .colors = explore_colors(options), .source = &source};
	enum explore_ending ending;
	struct err err;
	int number;

	if (!explore_prepare(&rescue, &err) || !explore(&exploration, &ending, &number, &err)) {
		message_error("%s", err.text);
		return EXIT_UNUSABLE;
	}
	if (ending == EXPLORE_SIGNALLED)
		raise(number);
	return EXIT_DONE;
}

const struct command command_explore = {
	.usage = {.name = "explore",
		  .bit = COMMAND_EXPLORE,
		  .arguments = "PROFILE",
		  .summary = "Look at functions, plots, trees and samples in the terminal",
		  .details = "The models are made meanwhile. The key ? shows all keys.",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = cmd_explore_run,
};
