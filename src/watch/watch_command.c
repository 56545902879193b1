/*
 * Forks twice, so that the command is nobody's child and leaves no zombie. The JSON fits a pipe's
 * buffer or is written by the process between, so that a command that reads nothing holds nobody.
 */
#include "watch_command.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/message.h"

static _Noreturn void execute(const char *command, const struct watch_change *change, int input)
{
	dup2(input, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output has results only */
	setenv("FATHOM_STATE", watch_state_verdict_name(change->subject->verdict), 1);
	setenv("FATHOM_FUNCTION", change->annotation->function, 1);
	setenv("FATHOM_PIDS", change->pids, 1);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static _Noreturn void feed(const char *command, const struct watch_change *change)
{
	int ends[2];
	pid_t child;
	FILE *out;

	interrupt_stop();
	signal(SIGPIPE, SIG_IGN);
	child = pipe(ends) ? -1 : fork();
	if (child == 0) {
		signal(SIGPIPE, SIG_DFL);
		close(ends[1]);
		execute(command, change, ends[0]);
	}
	if (child < 0)
		_exit(EXIT_UNUSABLE);
	close(ends[0]);
	out = fdopen(ends[1], "w");
	if (out) {
		watch_lines_json(change, out);
		fclose(out);
	}
	_exit(EXIT_DONE);
}

void watch_command_run(const char *command, const struct watch_change *change)
{
	pid_t child = fork(), grandchild;
	int status = EXIT_DONE;

	if (child == 0) {
		setsid();
		grandchild = fork();
		if (grandchild == 0)
			feed(command, change);
		_exit(grandchild < 0 ? EXIT_UNUSABLE : EXIT_DONE);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (child < 0 || status != EXIT_DONE)
		message_error("no process for the command of --on-change");
}
