/*
 * The loop of the session: start, read lines, dispatch commands, end. The commands are in the other
 * prompt_*.c, their names and arguments in shell/shell_table.c.
 */
#include "prompt.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/message.h"
#include "prompt_commands.h"
#include "prompt_file.h"
#include "prompt_names.h"
#include "prompt_predictions.h"
#include "prompt_probe.h"
#include "prompt_run.h"
#include "prompt_terminal.h"
#include "shell/shell_history.h"
#include "trace/supervisor.h"

enum { SCRIPT_DEPTH = 16 };

static const char PROMPT[] = "(fathom) ";

/* An -ex or -x, executed before the first prompt. */
struct beginning {
	const char *text;
	bool is_file;
};

struct invocation {
	struct beginning *first;
	size_t n_first;
	bool is_batch;
	int argc; /* without -ex, -x and -batch */
	char **argv;
	char **arguments; /* of the program, behind --args PROG; NULL: not given */
};

static prompt_command *const commands[SHELL_COMMAND_COUNT] = {
	[SHELL_FILE] = prompt_file,
	[SHELL_ATTACH] = prompt_attach,
	[SHELL_DETACH] = prompt_detach,
	[SHELL_RUN] = prompt_run,
	[SHELL_START] = prompt_start,
	[SHELL_CONTINUE] = prompt_go_on,
	[SHELL_INTERRUPT] = prompt_interrupt,
	[SHELL_FINISH] = prompt_finish,
	[SHELL_KILL] = prompt_kill,
	[SHELL_BREAK] = prompt_break,
	[SHELL_TBREAK] = prompt_tbreak,
	[SHELL_CONDITION] = prompt_condition,
	[SHELL_PROBE] = prompt_probe,
	[SHELL_TPROBE] = prompt_tprobe,
	[SHELL_DELETE] = prompt_delete,
	[SHELL_ENABLE] = prompt_enable,
	[SHELL_DISABLE] = prompt_disable,
	[SHELL_IGNORE] = prompt_ignore,
	[SHELL_METRIC] = prompt_metric,
	[SHELL_SET] = prompt_set,
	[SHELL_FEATURE] = prompt_feature,
	[SHELL_INFO] = prompt_info,
	[SHELL_BACKTRACE] = prompt_backtrace,
	[SHELL_THREAD] = prompt_thread,
	[SHELL_PRINT] = prompt_print,
	[SHELL_LIST] = prompt_list,
	[SHELL_ANNOTATE] = prompt_annotate,
	[SHELL_EXPLORE] = prompt_explore,
	[SHELL_PLOT] = prompt_plot,
	[SHELL_CHECK] = prompt_check,
	[SHELL_PREDICT] = prompt_predict,
	[SHELL_LOAD] = prompt_load,
	[SHELL_SAVE] = prompt_save,
	[SHELL_SOURCE] = prompt_source,
	[SHELL_SHELL] = prompt_shell,
	[SHELL_HELP] = prompt_help,
	[SHELL_QUIT] = prompt_quit,
	[SHELL_COMMANDS] = prompt_commands,
	[SHELL_SHOW] = prompt_show,
	[SHELL_FRAME] = prompt_frame,
	[SHELL_UP] = prompt_up,
	[SHELL_DOWN] = prompt_down,
	[SHELL_EXAMINE] = prompt_examine,
	[SHELL_WHATIS] = prompt_whatis,
	[SHELL_PTYPE] = prompt_ptype,
	[SHELL_DISPLAY] = prompt_display,
	[SHELL_UNDISPLAY] = prompt_undisplay,
	[SHELL_DEFINE] = prompt_define,
	[SHELL_ALIAS] = prompt_alias,
	[SHELL_APROPOS] = prompt_apropos,
};

bool prompt_shell(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *shell = getenv("SHELL");
	int status;

	(void)prompt;
	fflush(stdout);
	status = prompt_terminal_system(*arguments->text  ? arguments->text
					: shell && *shell ? shell
							  : "/bin/sh");
	if (status == 0)
		return true;
	if (WIFEXITED(status))
		return err_set(err, ERR_USAGE, "the command ended with status %d",
			       WEXITSTATUS(status));
	return err_set(err, ERR_USAGE, "the command was killed, or could not be executed");
}

/* A launched process dies with us, and so do samples that are in no file, so ask first. */
bool prompt_quit(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	(void)arguments;
	(void)err;
	if ((prompt->m && !prompt->m->attached &&
	     !prompt_ask(prompt, "The process will be killed: quit? (y or n) ")) ||
	    !prompt_may_lose(prompt))
		return true;
	prompt->is_over = true;
	return true;
}

/* "!" is a command even without a blank behind it, and formats follow at once: "!ls", "p/x". */
static const char *find_command(const char *line, struct arena *arena,
				const struct shell_command **ret, struct err *err)
{
	const size_t length = *line == '!' ? 1 : strcspn(line, " \t/");
	const char *rest = line + length;

	if (!shell_find(arena_printf(arena, "%.*s", (int)length, line), ret, err))
		return NULL;
	return rest + strspn(rest, " \t");
}

/* The command that was defined, if @line begins with one. */
static const struct prompt_script *find_script_of(const struct prompt *prompt, const char *line)
{
	const char *word = arena_printf(prompt->spare, "%.*s", (int)strcspn(line, " \t"), line);

	return prompt_find_script(prompt, word, 0);
}

static bool prompt_execute_line(struct prompt *prompt, const char *line, struct err *err)
{
	const struct shell_command *command;
	struct prompt_arguments arguments = {.n = 0};
	struct line_word *words = NULL;
	const struct prompt_script *script = find_script_of(prompt, line);
	const char *rest;

	if (script)
		return prompt_run_script(prompt, script, line + strlen(script->name), err);
	rest = find_command(line, prompt->spare, &command, err);
	if (!rest)
		return false;
	arguments.text = shell_words_rest(rest, 0, prompt->spare);
	/* Conditions and other whole-line arguments may contain an unmatched quote. */
	if (!shell_words_split(arguments.text, prompt->spare, &words, &arguments.n, err)) {
		if (!command->takes_line || command->id == SHELL_RUN || command->id == SHELL_START)
			return false;
		arguments.n = 0;
	}
	arguments.words = words;
	if (arguments.n && !command->arguments)
		return err_set(err, ERR_USAGE, "%s takes no arguments", command->name);
	return commands[command->id](prompt, &arguments, err);
}

static bool execute_line(struct prompt *prompt, const char *line, struct err *err)
{
	struct arena *before = prompt->spare;
	bool ok;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return true;
	if (prompt->collecting) {
		prompt_collect(prompt, line);
		return true;
	}
	prompt->spare = arena_create();
	ok = prompt_execute_line(prompt, line, err) && prompt_tell_halt(prompt, err);
	arena_destroy(prompt->spare);
	prompt->spare = before;
	fflush(stdout);
	return ok;
}

static bool read_script(struct prompt *prompt, FILE *file, const char *path, struct err *err)
{
	size_t capacity = 0;
	char *line = NULL;
	unsigned number = 0;
	bool ok = true;

	while (ok && !prompt->is_over && getline(&line, &capacity, file) > 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		ok = execute_line(prompt, line, err);
	}
	free(line);
	return ok || (*err->text ? err_add(err, "%s:%u", path, number) : false);
}

bool prompt_source(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	const char *path;
	FILE *file;
	bool ok;

	if (arguments->n != 1)
		return err_set(err, ERR_USAGE, "which file? as in source commands");
	path = arguments->words[0].text;
	if (prompt->depth == SCRIPT_DEPTH)
		return err_set(err, ERR_USAGE, "%s: files of commands read each other too deeply",
			       path);
	file = prompt_open_script(path, err);
	if (!file)
		return false;
	prompt->depth++;
	ok = read_script(prompt, file, path, err);
	prompt->depth--;
	fclose(file);
	return ok;
}

/* An empty text: a child fathom has printed the error (prompt_judge()). */
static void say_error(const struct err *err)
{
	if (*err->text)
		message_error("%s", err->text);
}

/* Set @ret to the command that an empty line repeats; NULL: none. */
static void note_repeat(const char *line, struct arena *arena, char **ret)
{
	const struct shell_command *command;
	struct err ignored;

	free(*ret);
	*ret = NULL;
	line += strspn(line, " \t");
	if (!find_command(line, arena, &command, &ignored))
		return;
	if (command->repeat == SHELL_REPEAT)
		*ret = strdup(line);
	else if (command->repeat == SHELL_GO_ON)
		*ret = strdup(command->name);
}

static void execute_typed(struct prompt *prompt, const char *line, char **repeat)
{
	struct arena *arena = arena_create();
	const bool is_empty = !line[strspn(line, " \t")] && !prompt->collecting;
	const char *meant = is_empty && *repeat ? arena_strdup(arena, *repeat) : line;
	struct err err;

	if (!is_empty && !prompt->collecting)
		note_repeat(meant, arena, repeat);
	if (!execute_line(prompt, meant, &err))
		say_error(&err);
	arena_destroy(arena);
}

/* False: a line failed, and the input is no terminal. */
static bool talk(struct prompt *prompt)
{
	struct arena *arena = arena_create();
	const bool is_terminal = shell_line_is_terminal(prompt->reader);
	char *repeat = NULL;
	const char *line;
	struct err err;
	bool ok = true;

	while (ok && !prompt->is_over) {
		const enum line_result result = shell_line_read(
			prompt->reader, prompt->collecting ? ">" : PROMPT, arena, &line);

		if (result != LINE_READ)
			prompt->collecting = NULL;
		if (result == LINE_ENDED) {
			if (!is_terminal)
				break;
			execute_line(prompt, "quit", &err);
		} else if (result == LINE_READ && is_terminal) {
			execute_typed(prompt, line, &repeat);
		} else if (result == LINE_READ && !execute_line(prompt, line, &err)) {
			say_error(&err);
			ok = false;
		}
		arena_destroy(arena);
		arena = arena_create();
	}
	arena_destroy(arena);
	free(repeat);
	return ok;
}

/* As they are: nothing in them is a redirection. */
static bool give_arguments(struct prompt *prompt, char **arguments, struct err *err)
{
	size_t n = 0;

	if (!prompt_needs_program(prompt, err))
		return false;
	while (arguments[n])
		n++;
	prompt->arguments = arena_array(prompt->arena, char *, n + 2);
	prompt->arguments[0] = arena_strdup(prompt->arena, prompt->program);
	for (size_t i = 0; i < n; i++)
		prompt->arguments[i + 1] = arena_strdup(prompt->arena, arguments[i]);
	return true;
}

static bool prompt_begin_session(struct prompt *prompt, const struct invocation *invocation,
				 struct err *err)
{
	const struct options *options = &prompt->options;
	struct arena *arena = prompt->arena;
	const char **functions = options->functions;
	const size_t n = options->n_functions;

	prompt->options.functions = NULL;
	prompt->options.n_functions = 0;
	if (options->n_arguments && !prompt_take(prompt, options->arguments[0], err))
		return false;
	if (invocation->arguments && !give_arguments(prompt, invocation->arguments, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!execute_line(prompt, arena_printf(arena, "probe %s", functions[i]), err))
			return false;
	for (size_t i = 0; i < invocation->n_first && !prompt->is_over; i++) {
		const struct beginning *one = &invocation->first[i];
		const struct line_word word = {.text = one->text};
		const struct prompt_arguments file = {.text = one->text, .words = &word, .n = 1};

		if (!(one->is_file ? prompt_source(prompt, &file, err)
				   : execute_line(prompt, one->text, err)))
			return false;
	}
	return true;
}

/* Release everything. Returns the exit status. */
static int prompt_end_session(struct prompt *prompt, bool ok)
{
	const bool violated = prompt->is_violated && !shell_line_is_terminal(prompt->reader);

	prompt_release(prompt);
	prompt_destroy_probes(prompt);
	free(prompt->last_overhead);
	prompt_forget_models(prompt);
	prompt_terminal_end(&prompt->terminal);
	shell_line_close(prompt->reader);
	profile_close(prompt->profile);
	annotation_parse_deinit(&prompt->annotations);
	free(prompt->models);
	free(prompt->displays);
	prompt_forget_scripts(prompt);
	free(prompt->probes);
	free(prompt->plans);
	arena_destroy(prompt->spare);
	arena_destroy(prompt->arena);
	return !ok ? EXIT_UNUSABLE : violated ? EXIT_VIOLATED : EXIT_DONE;
}

/* Ignores SIGTSTP; unlike SIG_IGN, programs that we launch do not inherit a handler. */
static void no_stop(int number)
{
	(void)number;
}

static void set_signals(void)
{
	const struct sigaction action = {.sa_handler = no_stop, .sa_flags = SA_RESTART};

	sigaction(SIGTSTP, &action, NULL);
}

static int converse(const struct options *options, const struct invocation *invocation,
		    struct recovery *guard)
{
	struct prompt prompt = {.options = *options,
				.arena = arena_create(),
				.spare = arena_create(),
				.guard = guard,
				.execute = execute_line};
	struct line_options line = {.complete = prompt_offer, .context = &prompt};
	struct err err;
	bool ok;

	set_signals();
	prompt_terminal_begin(&prompt.terminal, getppid());
	line.history = invocation->is_batch ? NULL : shell_history_path(prompt.arena);
	prompt.profile_path = options->output;
	prompt.reader = shell_line_open(&line, invocation->is_batch);
	ok = prompt_begin_session(&prompt, invocation, &err);
	if (!ok)
		say_error(&err);
	/* At a terminal go on after a failed -ex, but not if the program could not be taken. */
	if (!invocation->is_batch && !prompt.is_over &&
	    (ok || (shell_line_is_terminal(prompt.reader) && prompt.program)))
		ok = talk(&prompt);
	return prompt_end_session(&prompt, ok);
}

/* Is @word an option of gdb that asks for what is so anyway? */
static bool is_needless(const char *word)
{
	static const char *const needless[] = {"-q", "-quiet", "-silent", "-nx", "-nh", "-nw"};

	for (size_t i = 0; i < sizeof(needless) / sizeof(*needless); i++)
		if (!strcmp(needless[i], word))
			return true;
	return false;
}

/* Take gdb's -ex, -x, -batch, -p and --args out of the arguments; cli/options.c parses the rest. */
static bool take_first(int argc, char **argv, struct invocation *ret, struct err *err)
{
	int rest = 1;

	ret->first = mem_alloc((argc + 1) * sizeof(*ret->first));
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i] + (!strncmp(argv[i], "--", 2) ? 1 : 0);
		const bool is_file = !strcmp(word, "-x"), is_args = !strcmp(word, "-args");
		const bool is_process = !strcmp(word, "-p") || !strcmp(word, "-pid");
		const bool is_command = !strcmp(word, "-ex");

		if ((is_file || is_command || is_args || is_process) && i + 1 == argc)
			return err_set(err, ERR_USAGE, "%s is without its %s: see fathom help",
				       argv[i],
				       is_file      ? "file"
				       : is_command ? "command"
				       : is_args    ? "program"
						    : "process");
		if (!strcmp(word, "-batch"))
			ret->is_batch = true;
		else if (is_file || is_command)
			ret->first[ret->n_first++] = (struct beginning){argv[++i], is_file};
		else if (is_args || is_process)
			argv[rest++] = argv[++i];
		else if (!is_needless(word))
			argv[rest++] = argv[i];
		if (is_args) {
			ret->arguments = argv + i + 1;
			break;
		}
	}
	ret->argc = rest;
	ret->argv = argv;
	if (!ret->arguments)
		argv[rest] = NULL;
	return true;
}

static int prompt_supervise(const struct options *options, const struct invocation *invocation)
{
	const struct prompt_terminal terminal = prompt_terminal_remember();
	enum supervised role;
	struct recovery *guard;
	struct err err;
	int status;

	if (!supervisor_start(&role, &guard, &status, &err)) {
		message_error("%s", err.text);
		return EXIT_TARGET;
	}
	if (role == SUPERVISED_TRACER) {
		status = converse(options, invocation, guard);
		supervisor_end(guard);
	} else if (status > SUPERVISED_KILLED) {
		prompt_terminal_restore(&terminal);
		message_error("ended by signal %d (%s)", status - SUPERVISED_KILLED,
			      strsignal(status - SUPERVISED_KILLED));
	}
	return status;
}

int prompt_converse(const struct options *options)
{
	const struct invocation invocation = {.is_batch = false};

	return prompt_supervise(options, &invocation);
}

int prompt_main(const struct command_usage *usage, int argc, char **argv)
{
	struct invocation invocation = {.is_batch = false};
	struct options options;
	struct err err;
	int status;

	if (!take_first(argc, argv, &invocation, &err)) {
		free(invocation.first);
		message_error("%s", err.text);
		return EXIT_UNUSABLE;
	}
	options_parse(usage, invocation.argc, invocation.argv, &options);
	status = prompt_supervise(&options, &invocation);
	options_deinit(&options);
	free(invocation.first);
	return status;
}
