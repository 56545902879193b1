/*
 * Switch the foreground process group and the settings of the terminal. prompt_run.c and
 * prompt_launch.c decide when.
 */
#include "prompt_terminal.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A background process that takes the terminal gets SIGTTOU unless it blocks it. */
static void set_group(pid_t group)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &before);
	tcsetpgrp(STDIN_FILENO, group);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void prompt_set_modes(const struct termios *modes)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &before);
	tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

struct prompt_terminal prompt_terminal_remember(void)
{
	struct prompt_terminal ret = {.before = tcgetpgrp(STDIN_FILENO)};

	ret.is_ours = ret.before == getpgrp() && tcgetattr(STDIN_FILENO, &ret.ours) == 0;
	return ret;
}

void prompt_terminal_restore(const struct prompt_terminal *terminal)
{
	if (!terminal->is_ours)
		return;
	set_group(terminal->before);
	prompt_set_modes(&terminal->ours);
}

void prompt_terminal_begin(struct prompt_terminal *terminal, pid_t parent)
{
	*terminal = (struct prompt_terminal){.before = tcgetpgrp(STDIN_FILENO)};
	if (terminal->before <= 0 || terminal->before != getpgid(parent) ||
	    tcgetattr(STDIN_FILENO, &terminal->ours) != 0)
		return;
	terminal->is_ours = true;
	set_group(getpgrp());
}

void prompt_terminal_end(struct prompt_terminal *terminal)
{
	if (!terminal->is_ours)
		return;
	prompt_terminal_take(terminal);
	set_group(terminal->before);
	terminal->is_ours = false;
}

void prompt_terminal_give(struct prompt_terminal *terminal, pid_t group)
{
	if (!terminal->is_ours)
		return;
	tcgetattr(STDIN_FILENO, &terminal->ours);
	if (terminal->has_theirs)
		prompt_set_modes(&terminal->theirs);
	set_group(group);
	terminal->is_given = true;
}

void prompt_terminal_take(struct prompt_terminal *terminal)
{
	if (!terminal->is_ours || !terminal->is_given)
		return;
	terminal->has_theirs = tcgetattr(STDIN_FILENO, &terminal->theirs) == 0;
	set_group(getpgrp());
	prompt_set_modes(&terminal->ours);
	/* Without OPOST its last newline left the cursor in mid-line. */
	if (terminal->has_theirs && !(terminal->theirs.c_oflag & OPOST))
		puts("\r");
	terminal->is_given = false;
}

void prompt_terminal_forget(struct prompt_terminal *terminal)
{
	terminal->has_theirs = false;
}

int prompt_terminal_system(const char *command)
{
	sigset_t set, before;
	int status;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_UNBLOCK, &set, &before);
	status = system(command);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return status;
}
