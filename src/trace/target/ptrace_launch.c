/* Launching a program, or a copy of this process, under ptrace(2), up to its first stop. */
#include "ptrace_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/kernel/wait_status.h"

/* Like a shell: signals handled, ignored or blocked for a prompt get their defaults back. */
static void reset_signals(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		signal(numbers[i], SIG_DFL);
		sigaddset(&set, numbers[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* From the background, taking the terminal raises SIGTTOU, and would rob its owner. */
static void lead_group(void)
{
	const bool foreground = tcgetpgrp(STDIN_FILENO) == getpgrp();
	sigset_t set;

	setpgid(0, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (foreground)
		tcsetpgrp(STDIN_FILENO, getpid());
	reset_signals();
}

/* Handlers are for this process. Its first stop is by a signal that it is not given. */
static _Noreturn void launch_become_copy(void (*copy)(void))
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	kill(getpid(), SIGSTOP);
	copy();
	_exit(0); /* exit handlers may not bear being traced */
}

/* In the child: wait until we are seized, then exec. Writes errno to @failed on failure. */
static void become(const struct launch *launch, int seized, int failed)
{
	char byte;
	int number;

	if (launch->own_group)
		lead_group();
	if (launch->fixed)
		personality(ADDR_NO_RANDOMIZE);
	if (read(seized, &byte, 1) == 1) {
		if (launch->copy)
			launch_become_copy(launch->copy);
		execv(launch->path, launch->argv);
		number = errno;
		if (write(failed, &number, sizeof(number)) < 0)
			_exit(126);
	}
	_exit(127);
}

/* exec(3) says ENOENT also if the interpreter is missing. */
static bool launch_refuse(const char *path, int number, struct err *err)
{
	if (number == ENOENT && access(path, F_OK) == 0)
		return err_set(
			err, ERR_TARGET,
			"cannot run %s: the interpreter that it names is not there: for a script "
			"see its first line, for a program readelf -l",
			path);
	return err_set_errno(err, ERR_TARGET, number, "cannot run %s", path);
}

static bool launch_is_begin(const struct launch *launch, const struct stop *stop)
{
	return launch->copy ? stop->kind == STOP_SIGNAL && stop->number == SIGSTOP
			    : stop->kind == STOP_EXEC;
}

/* Seize the child and let it exec; ends in the exec stop, or that of a copy. */
static bool launch_seize(pid_t pid, const struct launch *launch, int seized, int failed,
			 struct err *err)
{
	const char *path = launch->path;
	struct stop stop;
	int number, status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, wait_status_options(true)) != 0)
		return err_set_errno(err, ERR_TARGET, errno,
				     "cannot trace %s (is ptrace allowed in this container?)",
				     path);
	if (write(seized, "", 1) != 1)
		return err_set_errno(err, ERR_TARGET, errno, "cannot start %s", path);
	for (;;) {
		const pid_t waited = waitpid(pid, &status, __WALL);

		if (waited < 0 && errno == EINTR) /* our time may be over just now */
			continue;
		if (waited != pid || !WIFSTOPPED(status))
			break;
		stop = wait_status_decode(pid, status);
		if (launch_is_begin(launch, &stop))
			return true;
		ptrace(PTRACE_CONT, pid, NULL, (long)(status >> 16 ? 0 : WSTOPSIG(status)));
	}
	if (read(failed, &number, sizeof(number)) == sizeof(number))
		return launch_refuse(path, number, err);
	return err_set(err, ERR_TARGET, "%s ended before it could be started", path);
}

static bool fork_and_seize(const struct launch *launch, const int seized[2], const int failed[2],
			   pid_t *ret, struct err *err)
{
	/* Not for who traces us (strace -f): it has one tracer. */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		close(seized[1]);
		become(launch, seized[0], failed[1]);
	}
	close(failed[1]);
	if (pid < 0)
		return err_set_errno(err, ERR_TARGET, errno, "cannot fork");
	*ret = pid;
	if (launch_seize(pid, launch, seized[1], failed[0], err))
		return true;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return false;
}

bool ptrace_launch(const struct launch *launch, struct target *ret, pid_t *ret_tid, struct err *err)
{
	int seized[2], failed[2];
	pid_t pid = 0;
	bool ok;

	if (pipe2(seized, O_CLOEXEC) != 0)
		return err_set_errno(err, ERR_TARGET, errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) != 0) {
		close(seized[0]);
		close(seized[1]);
		return err_set_errno(err, ERR_TARGET, errno, "cannot make a pipe");
	}
	ok = fork_and_seize(launch, seized, failed, &pid, err);
	close(seized[0]);
	close(seized[1]);
	close(failed[0]);
	if (!ok)
		return false;
	*ret = ptrace_target(pid, true);
	*ret_tid = pid;
	return true;
}
