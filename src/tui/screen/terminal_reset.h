/*
 * Rescuing a terminal: what must be written to it, and which modes it must have, so that it is as
 * before, when whoever changed it is in no state to do so: in a handler of a signal, or from
 * another process.
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
 * What restores the terminal @fd, which is as it should be. ERR_UNSUPPORTED: it is no terminal, or
 * none in which characters can be put anywhere.
 */
bool terminal_rescue_prepare(int fd, struct terminal_reset *ret, struct err *err);

/*
 * Async-signal-safe. In the background, too, where modes that the shell has set since are left
 * alone.
 */
void terminal_rescue(const struct terminal_reset *rescue);
