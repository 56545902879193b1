/* A POSIX timer whose signal goes to one thread. What is due is the caller's. */
#include "tick.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { MS_MIN = 20 };

static void wake(int signal)
{
	(void)signal;
}

static bool create(struct tick *tick)
{
	const int number = SIGRTMIN + 4;
	const struct sigaction action = {.sa_handler = wake}; /* without SA_RESTART: waiting ends */
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	sigset_t set;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&set);
	sigaddset(&set, number);
	return sigaction(number, &action, NULL) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, &tick->timer) == 0;
}

void tick_start(struct tick *tick, unsigned ms)
{
	const unsigned every = ms < MS_MIN ? MS_MIN : ms;
	const struct timespec time = {.tv_sec = every / 1000, .tv_nsec = every % 1000 * 1000000L};
	const struct itimerspec times = {.it_value = time, .it_interval = time};

	tick->running = ms && create(tick);
	if (tick->running)
		timer_settime(tick->timer, 0, &times, NULL);
}

void tick_stop(struct tick *tick)
{
	if (tick->running)
		timer_delete(tick->timer);
	tick->running = false;
}
