/* By fork() and /proc. */
#include "trace/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/kernel/proc.h"

bool descendants_launch(const char *path, char *const argv[], int output, pid_t *ret,
			struct err *err)
{
	const pid_t pid = fork();

	if (pid < 0)
		return err_set_errno(err, ERR_IO, errno, "cannot launch %s", path);
	if (!pid) {
		const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

		if (output >= 0) {
			dup2(nothing, STDIN_FILENO);
			dup2(output, STDOUT_FILENO);
			dup2(output, STDERR_FILENO);
		}
		execv(path, argv);
		_exit(127);
	}
	*ret = pid;
	return true;
}

void descendants_end(pid_t pid)
{
	kill(pid, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

size_t descendants_children(pid_t pid, pid_t **ret)
{
	pid_t *tids;
	const size_t n_tids = proc_threads(pid, &tids);
	size_t n = 0, capacity = 0;

	*ret = NULL;
	for (size_t i = 0; i < n_tids; i++) {
		pid_t *children;
		const size_t n_children = proc_children(pid, tids[i], &children);

		*ret = mem_grow(*ret, &capacity, n + n_children + 1, sizeof(**ret));
		if (n_children)
			memcpy(*ret + n, children, n_children * sizeof(**ret));
		n += n_children;
		free(children);
	}
	free(tids);
	return n;
}

bool descendants_is_over(pid_t pid)
{
	const char state = proc_state(pid);

	return !state || state == 'Z' || state == 'X';
}
