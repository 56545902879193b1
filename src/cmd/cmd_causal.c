/*
 * fathom causal: what a program gains if one of its functions or lines gets faster, or if more work
 * comes. causal/ experiments with the running program, model/causal draws conclusions.
 */
#include <signal.h>

#include "base/front.h"
#include "base/text.h"
#include "causal/causal_keep.h"
#include "causal/causal_refusal.h"
#include "causal/causal_terms.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cmd.h"
#include "model/causal/causal_model.h"
#include "report/json.h"
#include "export/kept_gains.h"
#include "trace/supervisor.h"

/* What there is of one progress, and why there is nothing (NULL: there is). */
struct conclusion {
	struct causal_gains *gains;
	const char *refusal;
};

static void print_nothing(const struct causal_progress *progress, const char *refusal, FILE *out)
{
	fputs("Nothing of ", out);
	text_print_some(out, progress->name, CAUSAL_NAME_MOST);
	fputs(": ", out);
	text_print_safe(out, refusal);
	fputc('\n', out);
}

static bool print(const struct causal_profile *profile, const struct conclusion *all, size_t n,
		  struct output *output, struct err *err)
{
	const struct causal_gains **gains =
		arena_array(profile->arena, const struct causal_gains *, n);
	const char *refusal = all[0].refusal;
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		gains[i] = all[i].gains;
		refusal = all[i].refusal ? refusal : NULL;
	}
	output_begin(output);
	if (profile->options->json)
		ok = json_causal(gains, n, refusal, output->file, err);
	for (size_t i = 0; i < n && !profile->options->json; i++)
		if (!all[i].refusal)
			causal_gains_print(gains[i], output->file);
		else if (!refusal)
			print_nothing(&profile->experiments->progress[i], all[i].refusal,
				      output->file);
	ok = output_close(output, err) && ok;
	return ok && (!refusal || err_set(err, ERR_NOT_FOUND, "no causal profile: %s", refusal));
}

static bool report(const struct causal_profile *profile, struct output *output, struct err *err)
{
	const size_t n = profile->experiments->n_progress;
	struct conclusion *all = arena_array(profile->arena, struct conclusion, n);
	bool ok;

	for (size_t i = 0; i < n; i++) {
		const struct causal_model_options options = {.progress = i, .seed = 1};

		all[i].gains = causal_model_build(profile->experiments, &options);
		all[i].refusal = causal_refusal(profile, all[i].gains);
	}
	ok = print(profile, all, n, output, err);
	for (size_t i = 0; i < n; i++)
		causal_gains_destroy(all[i].gains);
	return ok;
}

static bool make_profile(struct causal_profile *profile, struct err *err)
{
	struct output output;

	return causal_profile_open(profile, err) &&
	       output_open(profile->options->report, &profile->path, 1, &output, err) &&
	       causal_profile_run(profile, err) && causal_keep_save(profile, err) &&
	       report(profile, &output, err);
}

struct kept_output {
	const struct options *options;
	struct profile *file;
	struct output output;
};

static bool print_kept(void *self, const struct causal_gains *gains, struct err *err)
{
	const struct kept_output *kept = self;

	if (kept->options->json)
		return json_causal(&gains, 1, NULL, kept->output.file, err);
	causal_gains_print(gains, kept->output.file);
	causal_terms_print(kept->file, kept->options, gains, kept->output.file);
	return true;
}

/* What a profile keeps of earlier experiments. */
static bool report_kept(const struct options *options, struct err *err)
{
	struct kept_output kept = {.options = options};
	const char *inputs[] = {options->arguments[0]};
	size_t n;
	bool ok;

	if (options->program || options->causal.attach)
		return err_set(err, ERR_USAGE,
			       "%s is a profile to print: what is to be tried comes after --, and "
			       "is kept by -o",
			       options->arguments[0]);
	if (!profile_open(options->arguments[0], &kept.file, err))
		return false;
	ok = output_open(options->report, inputs, 1, &kept.output, err);
	if (ok) {
		output_begin(&kept.output);
		ok = kept_gains_visit(kept.file, print_kept, &kept, &n, err);
		ok = output_close(&kept.output, err) && ok;
	}
	profile_close(kept.file);
	return ok && (n || err_set(err, ERR_NOT_FOUND,
				   "%s has no causal experiments: fathom causal -o keeps them",
				   options->arguments[0]));
}

static int run_profile(const struct options *options, struct recovery *guard)
{
	struct causal_profile profile = {
		.options = options, .arena = arena_create(), .guard = guard};
	struct err err;
	const int status = message_status(make_profile(&profile, &err), &err);

	causal_profile_wait(&profile);
	causal_profile_close(&profile);
	arena_destroy(profile.arena);
	if (guard)
		supervisor_end(guard);
	return status;
}

static int cmd_causal_run(const struct options *options)
{
	enum supervised role;
	struct recovery *guard;
	struct err err;
	int status;

	if (options->n_arguments) {
		if (report_kept(options, &err))
			return EXIT_DONE;
		return message_status(false, &err);
	}
	if (!options->causal.attach) {
		front_start("tracer", SIGKILL);
		return run_profile(options, NULL);
	}
	front_heed();
	front_start("supervisor", SIGTERM);
	if (!supervisor_start(&role, &guard, &status, &err)) {
		message_error("%s", err.text);
		return EXIT_TARGET;
	}
	if (role == SUPERVISED_TRACER)
		return run_profile(options, guard);
	if (status > SUPERVISED_KILLED)
		message_error("ended by signal %d; the process goes on",
			      status - SUPERVISED_KILLED);
	return status;
}

const struct command command_causal = {
	.usage =
		{.name = "causal",
		 .bit = COMMAND_CAUSAL,
		 .arguments = "-p POINT... -- PROG [ARG...]|--attach PID|PROFILE",
		 .summary = "What does a program gain if one of its functions gets faster?",
		 .details =
			 "PROG is launched, or a process attached to, which lives on. Again and "
			 "again, for a while, one of its functions is "
			 "made as if it were faster: whenever a thread is seen in it, all other "
			 "threads pause, and the pauses are taken off the time. What counts is how "
			 "often POINT, the progress point, is passed meanwhile, beside a time "
			 "without pauses right before or after. A slope of 0.6 means: for each 1 % "
			 "by which that function gets faster, the program gets faster by 0.6 %. "
			 "With --latency what counts is the time from BEGIN to END, by Little's "
			 "law. With --arrival and --load threads other than that which brings work "
			 "pause whenever some arrives, as if more came; a load of which work is "
			 "left over, to be done in the next experiment, is refused. "
			 "What comes from outside (disks, peers, clocks) is not slowed down. A "
			 "pipe or a connection to whose other end nothing is sent sets the pace, "
			 "as does a clock until whose even times a thread sleeps: "
			 "who waits for it gains nothing. Where it may be an answer, or several "
			 "threads work, effects are overstated, which is said. There have to be "
			 "more processors than threads that run. Exit status 2: there is no "
			 "profile, and why.",
		 .min_arguments = 0,
		 .max_arguments = 1,
		 .launches = true},
	.confined = true, /* a profile that is printed may be of others */
	.run = cmd_causal_run,
};
