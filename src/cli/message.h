/*
 * Messages on standard error, a line each, and the exit statuses.
 */
#pragma once

#include <stdbool.h>

struct err;

enum {
	EXIT_DONE = 0,
	EXIT_VIOLATED = 1, /* samples do not conform to annotations, or a function got worse */
	EXIT_UNUSABLE = 2, /* wrong usage, unreadable input, nothing could be measured */
	EXIT_TARGET = 3,   /* the target could not be launched, or the measurement killed it */
};

/* "fathom: …", control characters made visible. */
void message_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void message_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The exit status of a command, whose error, unless it is @ok, is told if it has a text. */
int message_status(bool ok, const struct err *err);

/*
 * Progress of long work: on a terminal a line that the next one replaces; elsewhere nothing.
 * message_progress_end() erases it; call it before any other message.
 */
void message_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void message_progress_end(void);
