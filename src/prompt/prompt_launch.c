/* The commands run, start and attach: launch with arguments and redirections, or attach. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/host.h"
#include "record/launcher.h"
#include "prompt_commands.h"
#include "prompt_run.h"
#include "prompt_text.h"
#include "cli/leak_check.h"
#include "trace/ptrace_access.h"

/* The redirected standard streams, open during the launch only. */
struct streams {
	int before[3];
};

static int stream_flags(const struct prompt *prompt, int number)
{
	if (number == STDIN_FILENO)
		return O_RDONLY;
	return O_WRONLY | O_CREAT | (prompt->appends ? O_APPEND : O_TRUNC);
}

static void restore_streams(struct streams *streams)
{
	for (int i = 0; i < 3; i++)
		if (streams->before[i] >= 0) {
			dup2(streams->before[i], i);
			close(streams->before[i]);
			streams->before[i] = -1;
		}
}

static bool redirect(const struct prompt *prompt, struct streams *streams, struct err *err)
{
	*streams = (struct streams){{-1, -1, -1}};
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		int fd;

		if (!prompt->redirections[i])
			continue;
		fd = open(prompt->redirections[i], stream_flags(prompt, i) | O_CLOEXEC, 0666);
		if (fd < 0) {
			err_set_errno(err, ERR_IO, errno, "cannot open %s",
				      prompt->redirections[i]);
			restore_streams(streams);
			return false;
		}
		streams->before[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
		dup2(fd, i);
		close(fd);
	}
	return true;
}

static struct measurement *new_measurement(struct prompt *prompt)
{
	struct measurement *m = mem_alloc(sizeof(*m));

	*m = (struct measurement){
		.options = &prompt->options,
		.arena = arena_create(),
		.prompt = true,
		.shared = &prompt->profile,
	};
	return m;
}

static bool launch_session(struct prompt *prompt, struct measurement *m, struct err *err)
{
	const struct session_options options = measure_session_options(m);
	struct streams streams;
	struct session *session;
	bool ok;

	if (!redirect(prompt, &streams, err))
		return false;
	ok = session_launch(measure_catalogue(m), m->path, prompt->arguments, &options, &session,
			    err);
	restore_streams(&streams);
	/* The child made its process group the foreground one. */
	prompt->terminal.is_given = true;
	prompt_terminal_take(&prompt->terminal);
	prompt_terminal_forget(&prompt->terminal);
	if (ok)
		measure_begin(m, session);
	return ok;
}

static bool prompt_launch(struct prompt *prompt, struct err *err)
{
	struct measurement *m;

	if (!prompt_needs_program(prompt, err) || !prompt_needs_none(prompt, err))
		return false;
	m = new_measurement(prompt);
	m->name = prompt->program;
	m->command = host_quote(m->arena, prompt->arguments);
	if (!launcher_find(m, err) || !leak_check(m->path, err) || !measure_open(m, err) ||
	    !launch_session(prompt, m, err)) {
		measure_release(m);
		free(m);
		return false;
	}
	prompt->m = m;
	return prompt_settle(prompt, err);
}

/* "> FILE" or ">FILE". */
static bool take_redirection(struct prompt *prompt, const struct prompt_arguments *arguments,
			     size_t *at, struct err *err)
{
	const char *text = arguments->words[*at].text;
	const int number = *text == '<' ? STDIN_FILENO : STDOUT_FILENO;

	text++;
	if (number == STDOUT_FILENO) {
		prompt->appends = *text == '>';
		text += prompt->appends;
	}
	if (!*text && *at + 1 < arguments->n)
		text = arguments->words[++*at].text;
	if (!*text)
		return err_set(err, ERR_USAGE, "which file? a name follows < or >");
	prompt->redirections[number] = arena_strdup(prompt->arena, text);
	return true;
}

bool prompt_set_arguments(struct prompt *prompt, const struct prompt_arguments *arguments,
			  struct err *err)
{
	size_t n = 1;

	prompt->arguments = arena_array(prompt->arena, char *, arguments->n + 2);
	prompt->arguments[0] = arena_strdup(prompt->arena, prompt->program);
	memset(prompt->redirections, 0, sizeof(prompt->redirections));
	for (size_t i = 0; i < arguments->n; i++) {
		const struct line_word *word = &arguments->words[i];

		if (strchr("<>", arguments->text[word->at]) && arguments->text[word->at]) {
			if (!take_redirection(prompt, arguments, &i, err))
				return false;
		} else {
			prompt->arguments[n++] = arena_strdup(prompt->arena, word->text);
		}
	}
	return true;
}

static bool launch_with(struct prompt *prompt, const struct prompt_arguments *arguments,
			struct err *err)
{
	if (!prompt_needs_program(prompt, err))
		return false;
	if (prompt->m && !prompt->m->attached && shell_line_is_terminal(prompt->reader)) {
		if (!prompt_ask(prompt,
				"The process is there already: start it again? (y or n) ")) {
			*err = (struct err){
				.code = ERR_USAGE}; /* the user keeps the running process */
			return false;
		}
		prompt_release(prompt);
	}
	if (!prompt_needs_none(prompt, err) ||
	    (arguments->n && !prompt_set_arguments(prompt, arguments, err)))
		return false;
	return prompt_launch(prompt, err);
}

bool prompt_run(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	return launch_with(prompt, arguments, err) && prompt_follow(prompt, 0, 0, err);
}

bool prompt_start(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	if (!launch_with(prompt, arguments, err))
		return false;
	prompt_say("Process %d was launched, and is stopped before its first instruction.",
		   (int)session_process(prompt_session(prompt)));
	return true;
}

static bool open_attached(struct prompt *prompt, struct measurement *m, pid_t pid, struct err *err)
{
	struct session_options options;
	struct session *session;

	m->attached = pid;
	m->name = arena_printf(m->arena, "process %d", (int)pid);
	m->path = host_process_program(m->arena, arena_printf(m->arena, "%d", (int)pid));
	if (!m->path)
		return ptrace_access_explain(pid, errno == ENOENT ? ESRCH : errno, err);
	m->command = host_process_command(m->arena, pid);
	if (!measure_open(m, err))
		return false;
	options = measure_session_options(m);
	options.guard = prompt->guard;
	if (!session_attach(measure_catalogue(m), pid, &options, &session, err))
		return false;
	measure_begin(m, session);
	return true;
}

/* Earlier probes may be of another program. */
static void set_attached_program(struct prompt *prompt, const struct measurement *m)
{
	prompt->program = arena_strdup(prompt->arena, m->first->path);
	prompt->path = arena_strdup(prompt->arena, m->path);
	prompt->interpreter = NULL;
	prompt->arguments = arena_array(prompt->arena, char *, 2);
	prompt->arguments[0] = arena_strdup(prompt->arena, prompt->program);
}

bool prompt_attach(struct prompt *prompt, const struct prompt_arguments *arguments, struct err *err)
{
	struct measurement *m;
	pid_t pid;

	if (arguments->n != 1)
		return err_set(err, ERR_USAGE, "which process? as in attach 1234");
	if (!prompt_needs_none(prompt, err) ||
	    !host_parse_pid(arguments->words[0].text, &pid, err) || !ptrace_access_check(pid, err))
		return false;
	m = new_measurement(prompt);
	if (!open_attached(prompt, m, pid, err)) {
		measure_release(m);
		free(m);
		return false;
	}
	prompt->m = m;
	set_attached_program(prompt, m);
	if (!prompt_settle(prompt, err))
		return false;
	prompt_say("Process %d (%s) is stopped; continue lets it go on.", (int)pid,
		   prompt->program);
	return true;
}
