/*
 * As git runs editors: the variable is a command of the shell, file and line are its arguments, so
 * that nothing in their names is taken for one.
 */
#include "explorer_edit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/source_file.h"
#include "profile/profile.h"
#include "profile/profile_history.h"

const char *explorer_edit_find(const struct explorer_source *source, const char *file,
			       const char *module, struct arena *arena)
{
	const char *program = module;
	struct profile *profile;
	struct past_run *runs;
	struct err ignored;
	size_t n;

	if (file && !program && profile_open(source->path, &profile, &ignored)) {
		if (profile_history(profile, 1, arena, &runs, &n, &ignored) && n)
			program = runs[0].run.executable;
		profile_close(profile);
	}
	return file ? source_file_find(arena, file, program) : NULL;
}

struct edited {
	const char *path;
	unsigned line;
	pid_t pid;
	int status;
};

static void edit_exec(const struct edited *edited)
{
	static const char command[] = "eval \"${VISUAL:-${EDITOR:-vi}} \\\"\\$@\\\"\"";
	const char *file = edited->path;
	char line[16], here[4200];
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	snprintf(line, sizeof(line), "+%u", edited->line);
	snprintf(here, sizeof(here), "./%s", file);
	if (*file == '-' || *file == '+')
		file = here;
	if (edited->line)
		execl("/bin/sh", "sh", "-c", command, "sh", line, file, NULL);
	else
		execl("/bin/sh", "sh", "-c", command, "sh", file, NULL);
	_exit(127);
}

static void edit_run(void *context)
{
	struct edited *edited = context;

	edited->pid = fork();
	if (!edited->pid)
		edit_exec(edited);
	while (edited->pid > 0 && waitpid(edited->pid, &edited->status, 0) < 0 && errno == EINTR)
		;
}

bool explorer_edit(struct terminal *terminal, const char *path, unsigned line, struct err *err)
{
	struct edited edited = {path, line, -1, 0};

	terminal_lend(terminal, edit_run, &edited);
	if (edited.pid < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot start an editor");
	return (WIFEXITED(edited.status) && WEXITSTATUS(edited.status) == 0) ||
	       err_set(err, ERR_IO,
		       "the editor failed: $VISUAL or $EDITOR is the command that is run (vi)");
}
