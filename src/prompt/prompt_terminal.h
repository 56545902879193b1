/*
 * The terminal, which the prompt and the program that it launched use in turn: whose process group
 * is the foreground one, and each one's settings.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct prompt_terminal {
	bool is_ours; /* there is one, and we are in charge of it; else nothing below is done */
	pid_t before; /* the foreground process group that we took it from */
	bool is_given, has_theirs;
	struct termios ours, theirs;
};

/* How the terminal is now; and as it was then, after whoever took it was killed. */
struct prompt_terminal prompt_terminal_remember(void);
void prompt_terminal_restore(const struct prompt_terminal *terminal);

/* Take the terminal, if @parent, which started us, is in its foreground. */
void prompt_terminal_begin(struct prompt_terminal *terminal, pid_t parent);
/* Give it back to whom we have it from. */
void prompt_terminal_end(struct prompt_terminal *terminal);

/* The program's process group @group goes on, with its own settings; and is halted, or over. */
void prompt_terminal_give(struct prompt_terminal *terminal, pid_t group);
void prompt_terminal_take(struct prompt_terminal *terminal);
/* The next program begins with our settings. */
void prompt_terminal_forget(struct prompt_terminal *terminal);
