/*
 * fathom stack: show the stack of each thread of a process, with values, and with --annotations
 * whether its calls take longer than expected. inspect/stack_capture.c reads the process.
 */
#include <stdlib.h>

#include "results/annotation_file.h"
#include "cmd.h"
#include "core/verdict/stack_annotations.h"
#include "core/verdict/stack_words.h"
#include "cli/host.h"
#include "cli/message.h"
#include "cli/output.h"
#include "report/json.h"
#include "inspect/loop_look.h"
#include "inspect/stack_capture.h"
#include "cli/required_features.h"
#include "cli/tracer_limits.h"

static bool stack_print_result(const struct stack *stack, const struct options *options,
			       struct output *output, struct err *err)
{
	bool said;

	output_begin(output);
	if (options->json)
		return json_stack(stack, output->file, err);
	said = stack_words_print(stack, output->file);
	loop_look_print(stack, options->debuginfo_path, output->file);
	if (said && options->quiet)
		return true;
	if (said)
		fputc('\n', output->file);
	stack_print(stack, options->verbose ? STACK_WHOLE : STACK_OWN, output->file);
	return true;
}

static bool stack_make(const struct options *options, const struct annotation_list *annotations,
		       struct stack **ret, struct err *err)
{
	struct catalogue_request request = {
		.max_depth = options->max_depth,
		.max_features = options->max_features,
		.containers = options->containers,
		.globals = options->globals,
		.debuginfo_path = options->debuginfo_path,
	};
	struct stack_capture *stacker;
	pid_t pid = 0;

	if (!host_parse_pid(options->arguments[0], &pid, err))
		return false;
	required_features_add(annotations, METRIC_BIT(METRIC_TIME), options->arena,
			      &request.required, &request.n_required);
	tracer_limits_hurry_on(pid, options->quiet);
	stacker = stack_capture_create(pid, &request, options->annotations != NULL);
	if (!stack_capture_take(stacker, NULL, ret, err))
		return false;
	stack_capture_destroy(stacker);
	return true;
}

static bool stack_report(const struct options *options, const struct annotation_list *annotations,
			 struct err *err)
{
	const char *inputs[] = {options->annotations};
	struct output output;
	struct stack *stack;
	bool ok;

	if (!output_open(options->report, inputs, 1, &output, err))
		return false;
	ok = stack_make(options, annotations, &stack, err);
	if (ok) {
		if (options->annotations && !stack_annotations_apply(stack, annotations) &&
		    !options->quiet)
			required_features_say_none(annotations, options->annotations);
		ok = stack_print_result(stack, options, &output, err);
		if (options->verbose)
			message_note("the process was held %u times, for %.1f ms at most",
				     stack->holds, stack->longest_ms);
		stack_destroy(stack);
	}
	return output_close(&output, ok ? err : &(struct err){ERR_NONE, ""}) && ok;
}

static bool run_stack(const struct options *options, struct err *err)
{
	struct annotation_list annotations = {.n = 0};
	bool ok = true;

	if (options->annotations)
		ok = annotation_file_read(options->annotations, &annotations, err);
	ok = ok && stack_report(options, &annotations, err);
	annotation_parse_deinit(&annotations);
	return ok;
}

static int cmd_stack_run(const struct options *options)
{
	struct err err;

	if (run_stack(options, &err))
		return EXIT_DONE;
	message_error("%s", err.text);
	/* exit() would wait for a thread of ours that is stuck reading the process. */
	_Exit(err.code == ERR_TARGET || err.code == ERR_UNSUPPORTED ? EXIT_TARGET : EXIT_UNUSABLE);
}

const struct command command_stack = {
	.usage = {.name = "stack",
		  .bit = COMMAND_STACK,
		  .arguments = "PID",
		  .summary = "Show what a process is doing: each thread's stack, with values",
		  .details =
			  "First a sentence for each deadlock and for each thread that is in the "
			  "program's own code: what its call does or waits for, and with "
			  "--annotations how long it still takes; of those that run, at which "
			  "lines and how often a second loops turn, by samples. Then each thread's "
			  "calls, "
			  "innermost first, with the values of their parameters and of what is "
			  "reached from them, as far as they can be read there or in the caller "
			  "(x@entry: what it was when the call began), and what the thread waits "
			  "for. Strings are shown as text, functions by name; libraries' own calls "
			  "only with --verbose; with --quiet only the sentences, if there is one. "
			  "The process is held for less "
			  "than 100 ms a time, two times mostly, and goes on as if nothing had "
			  "been. Threads that do the same are "
			  "shown once, and values that cannot be read only with --verbose. With "
			  "--annotations each call of a "
			  "function that has one of time is judged by it: how long it has run at "
			  "least and at most, as far as "
			  "facts tell, what is expected, and whether it is within that, beyond it, "
			  "or blocked and by whom. "
			  "Features are read from its frame as they are now: a parameter that the "
			  "function has changed since is "
			  "not what it was when the call began.",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = cmd_stack_run,
};
