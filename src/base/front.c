/* Forks, waits, passes signals on. What is in the same group has those of the terminal already. */
#include "front.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILLED = 128 }; /* as a shell has it */

static void front_awaited(sigset_t *ret)
{
	static const int numbers[] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

	sigemptyset(ret);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(ret, numbers[i]);
}

/* By the same signal, so that who waits for us learns it; the core, if any, is the child's. */
static _Noreturn void end_by(int number)
{
	const struct rlimit no_core = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &no_core);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	_exit(KILLED + number); /* the first process of a container */
}

/* As the first process of a container it gets other children, too. */
static void front_look(pid_t child)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != child)
			continue;
		if (WIFSTOPPED(status))
			kill(child, SIGCONT);
		else if (WIFSIGNALED(status))
			end_by(WTERMSIG(status));
		else
			_exit(WEXITSTATUS(status));
	}
}

/* By a terminal, which signals the group; its end only the first process of the session. */
static bool is_for_all(const siginfo_t *info)
{
	return info->si_code == SI_KERNEL && (info->si_signo != SIGHUP || getsid(0) != getpid());
}

static void front_pass(pid_t child, const siginfo_t *info)
{
	if (info->si_signo == SIGCHLD || is_for_all(info))
		return;
	if (sigqueue(child, info->si_signo, (union sigval){.sival_int = 0}) != 0)
		kill(child, info->si_signo);
}

static _Noreturn void front_wait(pid_t child)
{
	siginfo_t info;
	sigset_t set;

	front_awaited(&set);
	for (;;) {
		front_look(child);
		if (sigwaitinfo(&set, &info) > 0)
			front_pass(child, &info);
	}
}

void front_heed(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
}

void front_start(const char *name, int on_death)
{
	const struct sigaction wanted = {.sa_handler = SIG_DFL};
	const pid_t front = getpid();
	struct sigaction action;
	sigset_t set, own;
	pid_t child;

	front_awaited(&set);
	sigprocmask(SIG_BLOCK, &set, &own);
	sigaction(SIGCHLD, &wanted, &action); /* ignored, children could not be waited for */
	child = fork();
	if (child > 0)
		front_wait(child);
	sigaction(SIGCHLD, &action, NULL);
	sigprocmask(SIG_SETMASK, &own, NULL);
	if (child < 0)
		return;
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, on_death);
	if (getppid() != front)
		raise(on_death);
}

bool front_is_echo(struct front_signals *counted, const siginfo_t *info)
{
	const bool is_sent = info->si_code == SI_USER || info->si_code == SI_QUEUE;
	const bool is_passed = info->si_code == SI_QUEUE && info->si_pid == getppid();
	unsigned *same = is_passed ? counted->passed : counted->direct;
	const unsigned *other = is_passed ? counted->direct : counted->passed;

	return is_sent && info->si_pid != getpid() &&
	       ++same[info->si_signo] <= other[info->si_signo];
}
