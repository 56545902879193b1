/*
 * Input lines: readline with history and completion on a terminal, plain lines from anything else.
 * One reader per process, as readline has one state. Ctrl-C discards the line; Ctrl-D on an empty
 * one ends the input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "shell_completion.h"

/* Add one candidate, which is copied. */
typedef void line_offer(void *to, const char *candidate);

struct line_options {
	const char *history; /* the file; NULL: none */
	/*
	 * Offer the candidates for @found in @line; those that do not begin with what was typed are
	 * dropped.
	 */
	void (*complete)(void *context, const struct completion *found, const char *line,
			 line_offer *offer, void *to);
	void *context;
};

struct line_reader;

/* @plain: not interactive, even on a terminal. */
struct line_reader *shell_line_open(const struct line_options *options, bool plain);
/* Write the history and free the reader. NULL is fine. */
void shell_line_close(struct line_reader *reader);

bool shell_line_is_terminal(const struct line_reader *reader);

/*
 * Has Ctrl-C been typed since the last line was read, while SIGINT was still ours? Reports it once.
 */
bool shell_line_take_interrupt(struct line_reader *reader);

enum line_result { LINE_READ, LINE_INTERRUPTED, LINE_ENDED };

/* Read the next line, without its end, into @arena. */
enum line_result shell_line_read(struct line_reader *reader, const char *prompt,
				 struct arena *arena, const char **ret);

/* Ask a yes-or-no question; without a terminal the answer is yes. */
bool shell_line_ask(struct line_reader *reader, const char *question);
