/* fathom session: the prompt, see prompt/prompt.c. */
#include "cmd.h"
#include "prompt/prompt.h"

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
