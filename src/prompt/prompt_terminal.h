/*
 * The terminal, which the prompt and the launched program use in turn: which process group is in
 * the foreground, and the settings of each.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct prompt_terminal {
	bool is_ours; /* we control a terminal; else the functions do nothing */
	pid_t before; /* the foreground process group at our start */
	bool is_given, has_theirs;
	struct termios ours, theirs;
};

/* Save the terminal's state; restore it after the process that changed it was killed. */
struct prompt_terminal prompt_terminal_remember(void);
void prompt_terminal_restore(const struct prompt_terminal *terminal);

/* Take the terminal if the process group of @parent, which started us, has it. */
void prompt_terminal_begin(struct prompt_terminal *terminal, pid_t parent);
/* Give it back to the process group that had it. */
void prompt_terminal_end(struct prompt_terminal *terminal);

/* Give the terminal to the launched program's @group, with its settings; take it back. */
void prompt_terminal_give(struct prompt_terminal *terminal, pid_t group);
void prompt_terminal_take(struct prompt_terminal *terminal);
/* Drop the program's settings: the next one begins with ours. */
void prompt_terminal_forget(struct prompt_terminal *terminal);

/* system(3), for a tracer too, which may have SIGCHLD blocked: a shell waits for it. */
int prompt_terminal_system(const char *command);
