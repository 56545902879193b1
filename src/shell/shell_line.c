/*
 * Reading lines. File-level variables are unavoidable: readline's functions and signal handlers
 * have no argument. shell_history.c handles the file, shell_completion.c decides what completes.
 */
#include "shell_line.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "base/mem.h"
#include "base/terminfo_lend.h"
#include "base/text.h"
#include "shell_history.h"

struct line_reader {
	struct line_options options;
	bool is_terminal;
	char *line; /* from readline; to be freed */
	bool is_given, is_ended;
	sig_atomic_t seen; /* those of `interrupts` before the last line */
	char **candidates;
	size_t n_candidates, capacity, next;
};

static struct line_reader *reading; /* for readline's callbacks */
static volatile sig_atomic_t interrupts;

static void note_interrupt(int number)
{
	(void)number;
	interrupts++;
}

static void take_line(char *line)
{
	reading->line = line;
	reading->is_given = line != NULL;
	reading->is_ended = line == NULL;
	/* Otherwise readline would show the prompt again at once. */
	rl_callback_handler_remove();
}

static bool is_printable(const char *text)
{
	for (size_t n; *text; text += n)
		if (!(n = text_printable_length(text)))
			return false;
	return true;
}

static void offer(void *to, const char *candidate)
{
	struct line_reader *reader = to;

	if (!is_printable(candidate) || strpbrk(candidate, COMPLETION_BREAKS))
		return;
	reader->candidates = mem_grow(reader->candidates, &reader->capacity,
				      reader->n_candidates + 1, sizeof(*reader->candidates));
	reader->candidates[reader->n_candidates++] = strdup(candidate);
}

static void forget_candidates(struct line_reader *reader)
{
	for (size_t i = 0; i < reader->n_candidates; i++)
		free(reader->candidates[i]);
	reader->n_candidates = reader->next = 0;
}

/* The next candidate that begins with @text; readline frees it. */
static char *next_candidate(const char *text, int state)
{
	if (!state)
		reading->next = 0;
	while (reading->next < reading->n_candidates) {
		const char *candidate = reading->candidates[reading->next++];

		if (!strncmp(candidate, text, strlen(text)))
			return strdup(candidate);
	}
	return NULL;
}

static char **line_complete(const char *text, int start, int end)
{
	const struct completion found = shell_completion_find(rl_line_buffer, end);

	(void)start;
	if (found.kind == SHELL_A_FILE)
		return NULL; /* readline completes files itself */
	rl_attempted_completion_over = 1;
	forget_candidates(reading);
	reading->options.complete(reading->options.context, &found, rl_line_buffer, offer, reading);
	return rl_completion_matches(text, next_candidate);
}

static void set_up_readline(void)
{
	rl_readline_name = "fathom";
	rl_catch_signals = 0;
	rl_change_environment = 0; /* child processes would inherit LINES and COLUMNS */
	rl_basic_word_break_characters = COMPLETION_BREAKS;
	rl_completer_quote_characters = "'\"";
	rl_filename_quote_characters = " \t";
	rl_attempted_completion_function = line_complete;
	terminfo_lend();
	rl_initialize();
	terminfo_lend_end();
}

struct line_reader *shell_line_open(const struct line_options *options, bool plain)
{
	/* no SA_RESTART: poll() ends */
	const struct sigaction action = {.sa_handler = note_interrupt};
	struct line_reader *reader = mem_alloc(sizeof(*reader));

	reader->options = *options;
	reader->is_terminal = !plain && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	if (reader->is_terminal) {
		sigaction(SIGINT, &action, NULL);
		set_up_readline();
		if (options->history)
			shell_history_load(options->history);
	}
	reading = reader;
	return reader;
}

void shell_line_close(struct line_reader *reader)
{
	if (!reader)
		return;
	if (reader->is_terminal && reader->options.history)
		shell_history_save(reader->options.history);
	forget_candidates(reader);
	free(reader->candidates);
	free(reader);
	reading = NULL;
}

bool shell_line_is_terminal(const struct line_reader *reader)
{
	return reader->is_terminal;
}

bool shell_line_take_interrupt(struct line_reader *reader)
{
	const bool has_come = interrupts != reader->seen;

	reader->seen = interrupts;
	return has_come;
}

static void add_to_history(const char *line)
{
	const HIST_ENTRY *last =
		history_length ? history_get(history_base + history_length - 1) : NULL;

	if (*line && (!last || strcmp(last->line, line) != 0))
		add_history(line);
}

/* Read until a line is complete. False: interrupted. */
static bool type_line(struct line_reader *reader, const char *prompt)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	reader->is_given = reader->is_ended = false;
	reader->seen = interrupts;
	rl_callback_handler_install(prompt, take_line);
	while (!reader->is_given && !reader->is_ended && interrupts == reader->seen) {
		const int n = poll(&input, 1, -1);

		if (n > 0)
			rl_callback_read_char();
		else if (n < 0 && errno != EINTR)
			reader->is_ended = true;
	}
	if (reader->is_given || reader->is_ended)
		return true;
	/* Move to the end first: removing the handler returns to the start of the line. */
	rl_point = rl_end;
	rl_redisplay();
	fputs("^C\n", rl_outstream);
	fflush(rl_outstream);
	rl_callback_sigcleanup();
	rl_callback_handler_remove();
	return false;
}

static enum line_result read_typed(struct line_reader *reader, const char *prompt,
				   struct arena *arena, const char **ret)
{
	if (!type_line(reader, prompt))
		return LINE_INTERRUPTED;
	if (reader->is_ended) {
		fputc('\n', stdout);
		return LINE_ENDED;
	}
	*ret = arena_strdup(arena, reader->line);
	add_to_history(reader->line);
	free(reader->line);
	return LINE_READ;
}

static enum line_result read_plain(struct arena *arena, const char **ret)
{
	size_t capacity = 0;
	char *line = NULL;
	const ssize_t n = getline(&line, &capacity, stdin);

	if (n > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		*ret = arena_strdup(arena, line);
	}
	free(line);
	return n > 0 ? LINE_READ : LINE_ENDED;
}

enum line_result shell_line_read(struct line_reader *reader, const char *prompt,
				 struct arena *arena, const char **ret)
{
	fflush(stdout);
	return reader->is_terminal ? read_typed(reader, prompt, arena, ret)
				   : read_plain(arena, ret);
}

bool shell_line_ask(struct line_reader *reader, const char *question)
{
	bool yes;

	if (!reader->is_terminal)
		return true;
	if (!type_line(reader, question) || reader->is_ended)
		return false;
	yes = *reader->line == 'y' || *reader->line == 'Y';
	free(reader->line);
	return yes;
}
