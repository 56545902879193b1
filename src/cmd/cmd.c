/* The table of commands: looks one up, runs it, lists all. What each does is in cmd_*.c. */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/confine.h"
#include "base/mem.h"
#include "cli/manual/document.h"
#include "cli/message.h"
#include "prompt/prompt.h"
#include "results/atomic_file.h"

static int document(const struct options *options);

/* prompt/prompt.c is the session. */
const struct command command_session = {
	.usage = {.name = "session",
		  .bit = COMMAND_SESSION,
		  .arguments = "[PROG|PID|PROFILE]",
		  .summary = "Launch, attach, measure, look and ask at a prompt",
		  .details = "-ex COMMAND executes a command of the session first, -x FILE those "
			     "of a file; -batch leaves after them. --args PROG ARG... gives the "
			     "program its arguments, -p PID attaches; the session's command run "
			     "takes arguments, too, and its command help lists the others. Without "
			     "a command, fathom is fathom session.",
		  .min_arguments = 0,
		  .max_arguments = 1},
	.run = prompt_converse,
};

/* In this file because it documents the whole table. */
static const struct command command_document = {
	.usage = {.name = "document",
		  .bit = COMMAND_DOCUMENT,
		  .arguments = "",
		  .summary = "Print the manual page, or completion for a shell",
		  .is_hidden = true},
	.run = document,
};

const struct command *const command_table[] = {
	&command_run,     &command_attach,   &command_stack,   &command_top,     &command_list,
	&command_calls,   &command_annotate, &command_check,   &command_watch,   &command_diff,
	&command_compare, &command_baseline, &command_history, &command_causal,  &command_merge,
	&command_predict, &command_advise,   &command_sweep,   &command_explore, &command_export,
	&command_import,  &command_scrub,    &command_session, &command_document};

const size_t command_table_size = sizeof(command_table) / sizeof(command_table[0]);

static int document(const struct options *options)
{
	const struct command_usage *usages[sizeof(command_table) / sizeof(command_table[0])];
	struct document_commands commands = {.usages = usages};

	for (size_t i = 0; i < command_table_size; i++)
		if (!command_table[i]->usage.is_hidden)
			usages[commands.n++] = &command_table[i]->usage;
	return cmd_document_print(options, &commands);
}

const struct command *cmd_find(const char *name)
{
	for (size_t i = 0; i < command_table_size; i++)
		if (!strcmp(command_table[i]->usage.name, name))
			return command_table[i];
	return NULL;
}

/* Profiles may be of others. What launches something, as pictures do (gnuplot), needs rights. */
static void cmd_confine(const struct options *options)
{
	const size_t n = (size_t)options->n_arguments;
	const char **written = mem_alloc((n + 4) * sizeof(*written));

	written[0] = options->report;
	written[1] = options->output;
	written[2] = options->html;
	written[3] = options->pictures;
	memcpy(written + 4, options->arguments, n * sizeof(*written));
	confine_self(written, n + 4);
	free(written);
}

int cmd_main(const struct command *command, int argc, char **argv)
{
	struct options options;
	struct err err;
	int status;

	options_parse(&command->usage, argc, argv, &options);
	/* Export may have the profile there, and measures nothing. */
	if (options.html && command->usage.bit != COMMAND_EXPORT &&
	    !atomic_file_possible(options.html, &err)) {
		status = message_status(false, &err);
	} else {
		if (command->confined && !options.program && !options.causal.attach &&
		    !options.plots)
			cmd_confine(&options);
		status = command->run(&options);
	}
	options_deinit(&options);
	return status;
}

void cmd_print_all(void)
{
	printf("fathom measures what the cost of a function depends on.\n\n");
	for (size_t i = 0; i < command_table_size; i++) {
		const struct command_usage *usage = &command_table[i]->usage;

		if (!usage->is_hidden)
			printf("  fathom %-9s %-36s %s\n", usage->name, usage->arguments,
			       usage->summary);
	}
	printf("\n  fathom [PROG|PID|PROFILE] is the session, too.\n"
	       "  fathom help COMMAND, fathom COMMAND --help, fathom --version\n");
}
