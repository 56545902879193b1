#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emergency_detach.h"

/* Killing by name hits neither this nor the tracer. */
static const char KEEPER_NAME[] = "keeper";

/* It must not keep a pipe open, nor get signals of the terminal. */
static void keeper_withdraw(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, KEEPER_NAME);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		close(i);
}

static void keeper_wait(int process)
{
	struct pollfd end = {.fd = process, .events = POLLIN};

	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
}

void keeper_start(struct recovery_table *table, pid_t tracer)
{
	const int of_supervisor = (int)syscall(SYS_pidfd_open, getpid(), 0);
	const int of_tracer = (int)syscall(SYS_pidfd_open, tracer, 0);

	if (of_supervisor >= 0 && of_tracer >= 0 && fork() == 0) {
		keeper_withdraw();
		keeper_wait(of_supervisor);
		keeper_wait(of_tracer);
		if (!table->ended)
			emergency_detach_late(table);
		_exit(0);
	}
	close(of_supervisor);
	close(of_tracer);
}
