/*
 * Lines that people type: readline with history and completion on a terminal, plain lines from
 * anything else.
 *
 * One a process, as readline is. Ctrl-C gives up the line; Ctrl-D on an empty one is the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "shell_completion.h"

/* Adds one candidate, which is copied. */
typedef void line_offer(void *to, const char *candidate);

struct line_options {
	const char *history; /* the file; NULL: none is kept */
	/*
	 * Offer what @found may be; @line is the whole. Those that do not begin with what was typed
	 * are left out by themselves.
	 */
	void (*complete)(void *context, const struct completion *found, const char *line,
			 line_offer *offer, void *to);
	void *context;
};

struct line_reader;

/* @plain: nobody types, whatever the standard input is. */
struct line_reader *shell_line_open(const struct line_options *options, bool plain);
/* Writes the history. NULL is fine. */
void shell_line_close(struct line_reader *reader);

bool shell_line_is_terminal(const struct line_reader *reader);

/*
 * Was Ctrl-C typed behind the line that was read last, before anybody else took SIGINT? It is told
 * once.
 */
bool shell_line_take_interrupt(struct line_reader *reader);

enum line_result { LINE_READ, LINE_INTERRUPTED, LINE_ENDED };

/* The next line, in @arena, without its end. */
enum line_result shell_line_read(struct line_reader *reader, const char *prompt,
				 struct arena *arena, const char **ret);

/* Ask a question that "y" answers. Without a terminal the answer is yes. */
bool shell_line_ask(struct line_reader *reader, const char *question);
