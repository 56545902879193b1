/* fathom watch: do calls of programs that run for days still conform? watch/ does the work. */
#include "cmd.h"

#include "cli/message.h"
#include "watch/watch_run.h"

static bool watch_is_possible(const struct options *options, struct err *err)
{
	if (!options->annotations)
		return err_set(err, ERR_USAGE,
			       "what should calls conform to? --annotations FILE, as fathom run -r "
			       "FILE writes it");
	return !options->n_arguments != !options->watch.name ||
	       err_set(err, ERR_USAGE,
		       "watch processes by their numbers, or by --name NAME: see fathom watch "
		       "--help");
}

static int cmd_watch_run(const struct options *options)
{
	struct err err;
	int status;

	if (watch_is_possible(options, &err) &&
	    watch_run(options, command_attach.run, &status, &err))
		return status;
	return message_status(false, &err);
}

const struct command command_watch = {
	.usage = {.name = "watch",
		  .bit = COMMAND_WATCH,
		  .arguments = "[PID...]",
		  .summary = "For days: do calls of running programs still conform to annotations?",
		  .details =
			  "What --annotations are of is measured as by fathom attach, and checked "
			  "each period. A cost is violated when two periods in a row speak "
			  "against it: calls do not conform, as fathom check has it; or they cost "
			  "more, beyond --tolerance, than before in the same processes; or they "
			  "have been drifting there. After three periods without that it conforms "
			  "again. Standard output has a line for each such change, and nothing "
			  "else. --alpha is the chance of any false alarm by the first two, "
			  "however long it lasts; drift alarms by chance once in a million "
			  "periods. Functions with fewer than 20 calls wait for the next period. "
			  "With --name, processes of that name are watched when they are started "
			  "again, at most 32 at once; with --state a watch that was ended goes on "
			  "knowing what it knew. The command of --on-change reads a line of JSON, "
			  "as of --json, with the numbers of the processes, which it may stop: "
			  "fathom itself harms none. Exit status 0: it ended by --for, Ctrl-C or "
			  "with the processes, and all conforms; 1: something is violated.",
		  .min_arguments = 0,
		  .max_arguments = 32},
	.run = cmd_watch_run,
};
