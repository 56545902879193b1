/*
 * The terminal: shows a screen, and returns keys and clicks. Only terminal*.c use ncurses.
 *
 * While it is open the terminal is in raw mode, so Ctrl-C and the like are keys. At most one a
 * process. It is restored on every way out but SIGKILL: signals that end the process are recorded
 * for its main loop (terminal_signal()); handlers of crashes restore it.
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
	TERMINAL_COLORS_AUTO, /* if the terminal has colours and NO_COLOR is unset */
	TERMINAL_COLORS_NEVER,
	TERMINAL_COLORS_ALWAYS,
};

struct terminal;

/* Keys that the kernel would turn into signals. */
enum { TERMINAL_INTERRUPT = 3, TERMINAL_SUSPEND = 26, TERMINAL_QUIT = 28 };

struct terminal_event {
	uint32_t key; /* a code point or an enum explorer_key; 0: the mouse */
	enum explorer_mouse mouse;
	unsigned x, y;
};

/*
 * Open and clear the terminal that @rescue, which is borrowed, was prepared for. Signals arrive
 * only in terminal_wait(); threads started later get none. ERR_UNSUPPORTED.
 */
bool terminal_open(const struct terminal_reset *rescue, enum terminal_colors colors,
		   struct terminal **ret, struct err *err);
/* Restore the terminal and the handling of signals. NULL is fine. */
void terminal_close(struct terminal *terminal);

/* The screen for the next terminal_show(), as large as the terminal is now. */
struct screen *terminal_screen(struct terminal *terminal);
/* Show all changes at once. */
void terminal_show(struct terminal *terminal);
/* Show everything again, as something else has written to the terminal. */
void terminal_redraw(struct terminal *terminal);

/*
 * Wait for keys, @fds ([n]), a signal, or @timeout_ms (-1: forever). Fills in @fds[0], the
 * terminal's. False: the terminal is gone.
 */
bool terminal_wait(struct terminal *terminal, struct pollfd *fds, unsigned n, int timeout_ms);
/* The next key or click; false: none yet. */
bool terminal_read(struct terminal *terminal, struct terminal_event *ret);

/* A signal since terminal_open() that is to end the process; 0: none. */
int terminal_signal(void);
/* Has SIGTSTP come from outside since the last call? */
bool terminal_stop_wanted(void);

/*
 * Release the terminal, send SIGTSTP to @to (as kill(2) takes it: 0 is the process group), and take
 * it again once we are continued.
 */
void terminal_suspend(struct terminal *terminal, pid_t to);

/*
 * Give the terminal to another program, which @run starts and waits for, as it was before
 * terminal_open(), and take it again. Keys that interrupt that program do not interrupt us.
 */
void terminal_lend(struct terminal *terminal, void (*run)(void *context), void *context);
