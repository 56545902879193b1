/*
 * Restoring a terminal from a signal handler or another process: what to write to it, and its
 * modes, recorded before they are changed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/err.h"

struct terminal_reset {
	int fd;
	struct termios modes;
	char bytes[256];
	size_t n;
};

/*
 * Record how to restore the terminal @fd from its present state. ERR_UNSUPPORTED: not a terminal,
 * or without cursor addressing.
 */
bool terminal_reset_prepare(int fd, struct terminal_reset *ret, struct err *err);

/* Async-signal-safe. In the background, too, but there modes that the shell has set since stay. */
void terminal_reset_apply(const struct terminal_reset *rescue);
