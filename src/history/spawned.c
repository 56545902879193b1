/* Output goes to memory files, so that neither stream can block the other. */
#include "spawned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MOST = 64 << 20, SAID_MOST = 512 };

static int spawned_start(const char *folder, const char *const *argv, const int streams[2],
			 pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, streams[0], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, streams[1], STDERR_FILENO);
	if (folder)
		posix_spawn_file_actions_addchdir_np(&actions, folder);
	error = posix_spawnp(ret, argv[0], &actions, &attributes, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* The end of the file @fd, at most @most bytes. */
static char *read_end(int fd, off_t most, struct arena *arena)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	const off_t n = size > most ? most : size > 0 ? size : 0;
	char *text = arena_array(arena, char, n + 1);

	if (pread(fd, text, n, size - n) != n)
		*text = '\0';
	return text;
}

static const char *spawned_last_line(char *text)
{
	size_t n = strlen(text);
	char *newline;

	while (n && strchr(" \n", text[n - 1]))
		text[--n] = '\0';
	newline = strrchr(text, '\n');
	return newline ? newline + 1 : *text ? text : "it does not say why";
}

static bool finish(const char *name, pid_t pid, struct err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set_errno(err, ERR_IO, errno, "%s is lost", name);
	if (WIFSIGNALED(status))
		return err_set(err, ERR_IO, "%s was killed by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status) == 0)
		return true;
	return err_set(err, WEXITSTATUS(status) == 127 ? ERR_NOT_FOUND : ERR_IO,
		       "%s ended with status %d", name, WEXITSTATUS(status));
}

bool spawned_run(const char *folder, const char *const *argv, struct arena *arena, const char **ret,
		 struct err *err)
{
	const int files[] = {memfd_create("output", MFD_CLOEXEC),
			     memfd_create("errors", MFD_CLOEXEC)};
	const int standard[] = {STDERR_FILENO, STDERR_FILENO};
	pid_t pid;
	int error;
	bool ok = files[0] >= 0 && files[1] >= 0;

	if (!ok)
		return err_set_errno(err, ERR_IO, errno, "cannot run %s", argv[0]);
	error = spawned_start(folder, argv, ret ? files : standard, &pid);
	if (error) {
		ok = err_set_errno(err, error == ENOENT ? ERR_NOT_FOUND : ERR_IO, error,
				   "cannot run %s", argv[0]);
	} else {
		ok = finish(argv[0], pid, err);
		if (!ok && ret)
			err_set(err, err->code, "%s: %s", argv[0],
				spawned_last_line(read_end(files[1], SAID_MOST, arena)));
		else if (ret)
			*ret = read_end(files[0], OUTPUT_MOST, arena);
	}
	close(files[0]);
	close(files[1]);
	return ok;
}
