/*
 * The terminal: shows a screen, and says what was typed and clicked. The only one here that knows
 * of ncurses.
 *
 * While it is open the terminal is in raw mode: Ctrl-C and the like are keys. One a process.
 * Whatever way out the process takes but SIGKILL, the terminal is as before: signals that end it
 * are noted (terminal_signal()), for who runs the loop; crashes restore it in their handler.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "input.h"
#include "screen.h"
#include "terminal_reset.h"

enum terminal_colors {
	TERMINAL_COLORS_AUTO, /* where there are any, unless NO_COLOR is set */
	TERMINAL_COLORS_NEVER,
	TERMINAL_COLORS_ALWAYS,
};

struct terminal;

/* What the keys are that the kernel would make a signal of. */
enum { TERMINAL_INTERRUPT = 3, TERMINAL_SUSPEND = 26, TERMINAL_QUIT = 28 };

struct terminal_event {
	uint32_t key; /* a code point or an enum explorer_key; 0: the mouse */
	enum explorer_mouse mouse;
	unsigned x, y;
};

/*
 * Open the terminal that @rescue was prepared for, which is borrowed, and clear it.
 * ERR_UNSUPPORTED. Signals come while somebody waits for them alone (terminal_wait()); threads that
 * are started later do not get any.
 */
bool terminal_open(const struct terminal_reset *rescue, enum terminal_colors colors,
		   struct terminal **ret, struct err *err);
/* The terminal is as before, and so is what signals do. NULL is fine. */
void terminal_close(struct terminal *terminal);

/* What is shown with the next terminal_show(); of the size that the terminal has now. */
struct screen *terminal_screen(struct terminal *terminal);
/* All that has changed, at once. */
void terminal_show(struct terminal *terminal);
/* What is on the terminal is not what was shown: show all again. */
void terminal_redraw(struct terminal *terminal);

/*
 * Wait for keys, for one of @fds, for a signal, for @timeout_ms (-1: none of that). @fds[0] is the
 * terminal's, filled in here. False: the terminal is gone.
 */
bool terminal_wait(struct terminal *terminal, struct pollfd *fds, unsigned n, int timeout_ms);
/* The next key or click; false: there is none yet. */
bool terminal_read(struct terminal *terminal, struct terminal_event *ret);

/* A signal that is to end the process, and came since the terminal was opened; 0: none. */
int terminal_signal(void);
/* SIGTSTP came from outside since the last call. */
bool terminal_stop_wanted(void);

/*
 * Give the terminal back, send SIGTSTP to @to (as kill(2) has it: 0 is the process group), and,
 * when somebody continues us, take it again.
 */
void terminal_suspend(struct terminal *terminal, pid_t to);
