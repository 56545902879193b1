/* Spawns gnuplot without a shell; temp_cleanup.c kills it if a signal ends this process. */
#include "gnuplot_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temp_cleanup.h"

enum { OUTPUT_MOST = 4096 };

/* The child blocks the signals of @mask. */
static int spawn(const char *folder, const char *commands, int output, const sigset_t *mask,
		 pid_t *ret)
{
	/* -d: no settings of the user or system, which would change pictures. */
	const char *const arguments[] = {"gnuplot", "-d", "-e", commands, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	error = posix_spawnp(ret, arguments[0], &actions, &attributes, (char *const *)arguments,
			     environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static int gnuplot_start(const char *folder, const char *commands, int output, pid_t *ret)
{
	const sigset_t before = temp_cleanup_hold();
	const int error = spawn(folder, commands, output, &before, ret);

	if (!error)
		temp_cleanup_set_writer(*ret);
	temp_cleanup_release(&before);
	return error;
}

/* The PID may be reused once it is reaped: make temp_cleanup.c forget it before. */
static bool wait_for_end(pid_t pid, int *ret_status)
{
	siginfo_t info;
	sigset_t before;
	bool ok;

	while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0)
		if (errno != EINTR)
			break;
	before = temp_cleanup_hold();
	temp_cleanup_set_writer(0);
	ok = waitpid(pid, ret_status, 0) == pid;
	temp_cleanup_release(&before);
	return ok;
}

/* The last line that is not empty, without a newline. */
static char *last_line(char *text)
{
	size_t n = strlen(text);
	char *newline;

	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		text[--n] = '\0';
	newline = strrchr(text, '\n');
	return newline ? newline + 1 : text;
}

static enum gnuplot_answer gnuplot_fail(int output, struct err *err)
{
	char text[OUTPUT_MOST + 1] = "";
	const off_t size = lseek(output, 0, SEEK_END);
	const off_t from = size > OUTPUT_MOST ? size - OUTPUT_MOST : 0;
	const ssize_t n = pread(output, text, OUTPUT_MOST, from);
	const char *line = last_line(text);

	err_set(err, ERR_IO, "gnuplot failed: %s", n > 0 && *line ? line : "it does not say why");
	return GNUPLOT_FAILED;
}

static enum gnuplot_answer wait_for(pid_t pid, int output, struct err *err)
{
	int status;

	if (!wait_for_end(pid, &status))
		return gnuplot_fail(output, err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return GNUPLOT_DONE;
	/* Where posix_spawn() cannot report that there is no such program. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return GNUPLOT_MISSING;
	return gnuplot_fail(output, err);
}

enum gnuplot_answer gnuplot_run(const char *folder, const char *commands, struct err *err)
{
	const int output = memfd_create("gnuplot", MFD_CLOEXEC);
	enum gnuplot_answer answer = GNUPLOT_FAILED;
	int error;
	pid_t pid;

	if (output < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot run gnuplot");
		return GNUPLOT_FAILED;
	}
	error = gnuplot_start(folder, commands, output, &pid);
	if (!error)
		answer = wait_for(pid, output, err);
	else if (error == ENOENT)
		answer = GNUPLOT_MISSING;
	else
		err_set_errno(err, ERR_IO, error, "cannot run gnuplot");
	close(output);
	return answer;
}
