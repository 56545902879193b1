/* fathom merge: one call in several programs. profile/merge/ does the work. */
#include <sys/stat.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "cmd.h"
#include "profile/merge/merge_told.h"
#include "results/annotate.h"

static void say_counts(const struct merged_function *function, bool by_feature)
{
	size_t n = 0;

	for (enum match_reason reason = 0; reason < MATCH_REASONS; reason++)
		n += function->counts[reason];
	for (enum match_rule rule = 0; rule < MATCH_RULES; rule++)
		if (function->by[rule])
			message_note("%s: %zu of %zu calls %s", function->name, function->by[rule],
				     n, merge_told_rule(rule));
	if (function->n_at_once)
		message_note("%s: for %zu of %zu calls servers worked in parallel: time.server is "
			     "what was waited for, not their sum",
			     function->name, function->n_at_once, n);
	if (function->n_returned)
		message_note("%s: for %zu of %zu calls the server's call returned before the "
			     "answer was sent: what the server did around it is in time.network",
			     function->name, function->n_returned, n);
	for (enum match_reason reason = MATCHED + 1; reason < MATCH_REASONS; reason++)
		if (function->counts[reason])
			message_note("%s: %zu of %zu calls %s", function->name,
				     function->counts[reason], n,
				     merge_told_reason(reason, by_feature));
	if (function->undecided)
		message_note("%s: %s() had requests of up to %zu connections at once, and answers "
			     "not one of them alone: measure what does, or name what both sides "
			     "know by --match",
			     function->name, function->undecided, function->n_peers);
}

static void say_clock(const struct clock_fit *fit)
{
	message_note("by %zu pairs of calls the server's clock is %.6f s (± %.3g µs) ahead of the "
		     "client's, and gains %.3g ppm (%.3g to %.3g)",
		     fit->n - fit->n_against, fit->offset / 1e9, fit->width / 1e3, fit->drift * 1e6,
		     fit->drift_low * 1e6, fit->drift_high * 1e6);
	if (fit->n_against)
		message_note("%zu pairs of calls contradict that: their match is wrong",
			     fit->n_against);
}

static bool merge_save(const struct options *options, const struct merged *merged, struct err *err)
{
	size_t matched = 0;

	for (size_t i = 0; i < merged->n_functions; i++) {
		if (!options->quiet)
			say_counts(&merged->functions[i], options->match);
		matched += merged->functions[i].counts[MATCHED];
	}
	for (size_t i = 0; i < merged->n_clocks && !options->quiet; i++)
		say_clock(&merged->clocks[i]);
	if (!matched)
		return err_set(err, ERR_USAGE,
			       "no call of %s could be matched with those of the servers that "
			       "worked for it",
			       options->arguments[0]);
	return profile_save(merged->joint, options->output, err);
}

static bool merge_print(const struct options *options, struct profile *joint, struct err *err)
{
	struct options shown = *options;
	struct output output;
	bool ok;

	shown.n_functions = 0; /* those that were asked for are all that there is */
	if (options->no_models)
		return true;
	if (!output_open(options->report, (const char *const *)options->arguments,
			 (size_t)options->n_arguments, &output, err))
		return false;
	ok = annotate_profile(joint, &shown, NULL, &output, err);
	return output_close(&output, err) && ok;
}

static bool is_one_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool cmd_merge_profiles(const struct options *options, struct err *err)
{
	const struct merge_request request = {
		.client = options->arguments[0],
		.servers = (const char *const *)options->arguments + 1,
		.n_servers = (size_t)options->n_arguments - 1,
		.functions = (const char *const *)options->functions,
		.n_functions = options->n_functions,
		.match = options->match,
	};
	struct merged merged;
	bool ok;

	if (!options->output)
		return err_set(err, ERR_USAGE,
			       "where is the merged profile to go? give -o PROFILE");
	for (int i = 0; i < options->n_arguments; i++)
		if (is_one_file(options->arguments[i], options->output))
			return err_set(err, ERR_USAGE,
				       "the merged profile would replace %s, of which it is made: "
				       "give another -o PROFILE",
				       options->arguments[i]);
	if (!merge_profiles(&request, &merged, err))
		return false;
	ok = merge_save(options, &merged, err) && merge_print(options, merged.joint, err);
	merge_deinit(&merged);
	return ok;
}

static int cmd_merge_run(const struct options *options)
{
	struct err err;
	bool ok;

	interrupt_start(INTERRUPT_BY_TERMINAL, 0);
	ok = cmd_merge_profiles(options, &err);
	interrupt_stop();
	return message_status(ok, &err);
}

const struct command command_merge = {
	.usage = {.name = "merge",
		  .bit = COMMAND_MERGE,
		  .arguments = "CLIENT SERVER...",
		  .summary = "What calls cost themselves, in servers, and in the network",
		  .details =
			  "All are profiles measured with -m time,remote: the client's of the "
			  "functions that make requests, the servers' of those that read and "
			  "answer them. Requests are matched by their place in the byte stream "
			  "of the TCP connection, which both ends count alike, whatever is sent; "
			  "over unix sockets and pipes by order, if no other pair is possible. "
			  "The merged profile has the client's calls with time.own, time.server, "
			  "time.network, and X.server of whatever the servers measured; these "
			  "are absent where it is not certain who worked for a call.",
		  .min_arguments = 2,
		  .max_arguments = 64},
	.run = cmd_merge_run,
	.confined = true,
};
