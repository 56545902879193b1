/* A thread waits for the signals, so that no work is done in handlers. */
#include "signal_forward.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/front.h"

static void forwarded(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
}

/* By pidfd, since the PID may be reused. False: the process has ended. */
static bool send(const struct signal_forward *forwarder, int signal)
{
	if (forwarder->process_fd < 0)
		return kill(forwarder->process, signal) == 0 || errno != ESRCH;
	return syscall(SYS_pidfd_send_signal, forwarder->process_fd, signal, NULL, 0) == 0 ||
	       errno != ESRCH;
}

/* A signal to a whole process group reaches several of our processes but is one request. */
static bool is_echo(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && info->si_pid == getpid();
}

/* After the program's end its children may still be measured: then the signal is for us. */
static void *forward(void *argument)
{
	const struct signal_forward *forwarder = argument;
	struct front_signals counted = {.passed = {0}};
	bool again = false;
	siginfo_t info;
	sigset_t set;
	int number;

	forwarded(&set);
	while (((number = sigwaitinfo(&set, &info)) > 0 || errno == EINTR) && !forwarder->over) {
		if (number < 0 || front_is_echo(&counted, &info) || (again && is_echo(&info)))
			continue;
		if (forwarder->told)
			forwarder->told(forwarder->self);
		if (!send(forwarder, again ? SIGKILL : number))
			kill(getpid(), SIGINT);
		again = again || !is_echo(&info);
	}
	if (number > 0 && info.si_code != SI_TKILL) /* somebody's, at the last moment */
		kill(getpid(), number);
	return NULL;
}

void signal_forward_echo(int number)
{
	sigqueue(getpid(), number, (union sigval){.sival_int = 0});
}

void signal_forward_start(struct signal_forward *forwarder, pid_t process)
{
	static const int ignored[] = {SIGQUIT, SIGPIPE, SIGXFSZ};
	sigset_t set, all;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	forwarded(&set);
	sigfillset(&all);
	forwarder->process = process;
	forwarder->over = false;
	forwarder->process_fd = syscall(SYS_pidfd_open, process, 0);
	/* Other signals are for the thread that waits for the program. */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	forwarder->running = pthread_create(&forwarder->thread, NULL, forward, forwarder) == 0;
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void signal_forward_stop(struct signal_forward *forwarder)
{
	if (!forwarder->running)
		return;
	forwarder->over = true;
	pthread_kill(forwarder->thread, SIGTERM); /* ends its wait */
	pthread_join(forwarder->thread, NULL);
	if (forwarder->process_fd >= 0)
		close(forwarder->process_fd);
	forwarder->running = false;
}
