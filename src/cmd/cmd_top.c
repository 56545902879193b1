/*
 * fathom top: which functions and lines have how much of the time, while the program runs: on a
 * terminal a screen, elsewhere tables. inspect/top_shares.c samples.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cmd.h"
#include "explore/explore.h"
#include "explore/top_screen.h"
#include "inspect/top_shares.h"
#include "trace/descendants.h"

enum { TEND_MS = 10, TABLE_MS = 1000, SCREEN_MS = 250, ROWS_MOST = 20, LINES_MOST = 10 };

struct top_view {
	const struct options *options;
	struct arena *arena;
	pid_t pid;
	bool launched;
	const char *name;
	FILE *kept; /* what the program writes while the screen is shown; NULL: it is not kept */
	struct top_shares *top;
};

static bool top_is_shown(const struct options *options)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !options->report;
}

/* A program, or a process by its number. */
static bool top_begin(struct top_view *view, struct err *err)
{
	const struct options *options = view->options;
	char *const *command = options->arguments;
	const char *path;

	if (host_parse_pid(command[0], &view->pid, err)) {
		view->name = host_process_command(view->arena, view->pid);
		return true;
	}
	path = host_find_program(view->arena, command[0]);
	if (!path)
		return err_set(err, ERR_IO, "there is no program %s in PATH: give its path",
			       command[0]);
	if (access(path, X_OK) != 0)
		return err_set_errno(err, ERR_IO, errno, "cannot execute %s", path);
	if (top_is_shown(options))
		view->kept = tmpfile();
	view->name = host_quote(view->arena, command);
	if (!descendants_launch(path, command, view->kept ? fileno(view->kept) : -1, &view->pid,
				err))
		return false;
	view->launched = true;
	return true;
}

static const char *top_place(struct arena *arena, const char *file, unsigned line)
{
	const char *base = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : file;

	return base ? arena_printf(arena, "%s:%u", base, line) : NULL;
}

/* Rows of @arena. */
static struct top_table top_rows(struct top_view *view, struct arena *arena)
{
	const size_t all = top_shares_samples(view->top);
	const size_t processes = top_shares_processes(view->top);
	struct hot_function *functions;
	struct hot_line *lines;
	const size_t n = top_shares_functions(view->top, &functions);
	const size_t n_lines = top_shares_lines(view->top, &lines);
	struct top_row *rows = arena_array(arena, struct top_row, n + n_lines + 1);
	const double whole = all ? (double)all : 1;

	for (size_t i = 0; i < n; i++)
		rows[i] = (struct top_row){
			functions[i].name, top_place(arena, functions[i].file, functions[i].line),
			(double)functions[i].samples / whole, (double)functions[i].self / whole};
	for (size_t i = 0; i < n_lines; i++)
		rows[n + i] = (struct top_row){lines[i].function,
					       top_place(arena, lines[i].file, lines[i].line),
					       (double)lines[i].samples / whole, NAN};
	free(functions);
	free(lines);
	return (struct top_table){
		.title = arena_printf(
			arena, "%s: %zu samples%s", view->name, all,
			processes > 1 ? arena_printf(arena, " of %zu processes", processes) : ""),
		.functions = rows,
		.n_functions = n,
		.lines = rows + n,
		.n_lines = n_lines,
	};
}

static void top_print_row(const struct top_row *row, FILE *out)
{
	fprintf(out, "%6.1f %% ", 100 * row->share);
	if (isnan(row->self))
		fputs("         ", out);
	else
		fprintf(out, "%6.1f %% ", 100 * row->self);
	text_print_safe(out, row->name);
	if (row->place) {
		fputs("  ", out);
		text_print_safe(out, row->place);
	}
	fputc('\n', out);
}

static void top_print(struct top_view *view, FILE *out)
{
	struct arena *arena = arena_create();
	const struct top_table table = top_rows(view, arena);

	text_print_safe(out, table.title);
	fputs("\n   share     self function\n", out);
	for (size_t i = 0; i < table.n_functions && i < ROWS_MOST; i++)
		top_print_row(&table.functions[i], out);
	if (table.n_lines)
		fputs("   share          line\n", out);
	for (size_t i = 0; i < table.n_lines && i < LINES_MOST; i++)
		top_print_row(&table.lines[i], out);
	fputc('\n', out);
	fflush(out);
	arena_destroy(arena);
}

/* A process shows a table each second, a program or --for one in the end. */
static void top_follow(struct top_view *view, FILE *out)
{
	const bool each = !view->launched && view->options->seconds <= 0;
	int64_t printed_ms = clock_now_ms();

	while (top_shares_tend(view->top) && !interrupt_count()) {
		poll(NULL, 0, TEND_MS);
		if (!each || clock_now_ms() - printed_ms < TABLE_MS)
			continue;
		top_print(view, out);
		printed_ms = clock_now_ms();
	}
	top_shares_tend(view->top);
	top_print(view, out);
}

/* Measure it from now on, in the explorer. */
static void top_measure(const struct top_view *view, const char *function)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)view->pid);
	execl("/proc/self/exe", "fathom", "attach", "--explore", "-f", function, pid, NULL);
}

/* *@ret: the function to measure, of the view's arena; NULL: none. */
static bool top_show(struct top_view *view, const char **ret, struct err *err)
{
	struct terminal_reset rescue;
	struct top_screen *screen;
	enum top_key key = TOP_NOTHING;
	size_t selected = 0;

	if (!terminal_reset_prepare(STDIN_FILENO, &rescue, err) ||
	    !top_screen_open(&rescue, explore_colors(view->options), &screen, err))
		return false;
	while (key == TOP_NOTHING && top_shares_tend(view->top) && !interrupt_count()) {
		struct arena *arena = arena_create();
		const struct top_table table = top_rows(view, arena);

		key = top_screen_show(screen, &table, SCREEN_MS, &selected);
		if (key == TOP_MEASURE)
			*ret = arena_strdup(view->arena, table.functions[selected].name);
		arena_destroy(arena);
	}
	top_screen_close(screen);
	return true;
}

static void top_pass_on(const struct top_view *view)
{
	char piece[4096];
	size_t n;

	if (!view->kept)
		return;
	rewind(view->kept);
	while ((n = fread(piece, 1, sizeof(piece), view->kept)) > 0)
		fwrite(piece, 1, n, stdout);
	fclose(view->kept);
}

/* What was launched for this ends with it. */
static void top_end(struct top_view *view, bool goes_on)
{
	if (!view->launched || goes_on)
		return;
	descendants_end(view->pid);
	top_pass_on(view);
}

static bool top_run(struct top_view *view, struct err *err)
{
	const char *why, *measured = NULL;
	struct output output;
	bool ok;

	if (!output_open(view->options->report, NULL, 0, &output, err))
		return false;
	ok = top_begin(view, err) &&
	     top_shares_open(view->pid, view->options->debuginfo_path, &view->top, &why, err);
	if (ok && why && !view->options->quiet)
		message_note("the program is stopped for a moment 50 times a second: %s", why);
	interrupt_start(INTERRUPT_BY_ANY, view->options->seconds);
	if (ok && top_is_shown(view->options)) {
		ok = top_show(view, &measured, err);
		if (ok)
			top_print(view, stdout);
	} else if (ok) {
		output_begin(&output);
		top_follow(view, output.file);
	}
	if (ok && !top_shares_samples(view->top) && !view->options->quiet)
		message_note("no sample: the program spent no time in its own code meanwhile");
	interrupt_stop();
	top_end(view, measured != NULL);
	if (measured)
		top_measure(view, measured);
	return output_close(&output, ok ? err : &(struct err){ERR_NONE, ""}) && ok;
}

static int cmd_top_run(const struct options *options)
{
	struct top_view view = {.options = options, .arena = arena_create()};
	struct err err;
	const bool ok = top_run(&view, &err);

	top_shares_close(view.top);
	arena_destroy(view.arena);
	return message_status(ok, &err);
}

const struct command command_top = {
	.usage = {.name = "top",
		  .bit = COMMAND_TOP,
		  .arguments = "PID|PROG [ARG...]",
		  .summary = "Show which functions and lines have how much of the time, live",
		  .details =
			  "Samples, one each ms of time on a processor, of all threads of the "
			  "process and of those that it starts: share is the part in which the "
			  "function was open, self that in which it ran itself. On a terminal the "
			  "table is live, and Enter measures the selected function, as fathom "
			  "attach --explore does. Elsewhere, of a program a table is printed when "
			  "it ends, of a process each second, or one after --for. A program that "
			  "was launched is ended when the table is left. Where the kernel does "
			  "not permit sampling, the process is stopped for a moment 50 times a "
			  "second instead.",
		  .min_arguments = 1,
		  .max_arguments = -1},
	.run = cmd_top_run,
};
