/* A thread that waits for signals, since no work is done in handlers. */
#include "forward.h"

#include <signal.h>

static void forwarded(sigset_t *ret)
{
	sigemptyset(ret);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGHUP);
}

static void *forward(void *argument)
{
	const struct forwarder *forwarder = argument;
	bool again = false;
	sigset_t set;
	int number;

	forwarded(&set);
	while (sigwait(&set, &number) == 0) {
		kill(forwarder->process, again ? SIGKILL : number);
		again = true;
	}
	return NULL;
}

void forwarder_start(struct forwarder *forwarder, pid_t process)
{
	static const int ignored[] = {SIGQUIT, SIGPIPE, SIGXFSZ};
	sigset_t set, all;
	size_t i;

	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	forwarded(&set);
	sigfillset(&all);
	forwarder->process = process;
	/* What is not forwarded is for the thread that waits for the program. */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	forwarder->running = pthread_create(&forwarder->thread, NULL, forward, forwarder) == 0;
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

void forwarder_stop(struct forwarder *forwarder)
{
	if (!forwarder->running)
		return;
	pthread_cancel(forwarder->thread);
	pthread_join(forwarder->thread, NULL);
	forwarder->running = false;
}
