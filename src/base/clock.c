/* clock_gettime(2) and timer_create(2). When a timer is due is the caller's matter. */
#include "base/clock.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { NS_IN_SECOND = 1000000000, NS_IN_MS = 1000000 };

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_IN_SECOND + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / NS_IN_MS);
}

struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_IN_SECOND, .tv_nsec = ns % NS_IN_SECOND};
}

static void timer_wake(int signal)
{
	(void)signal;
}

bool clock_create_timer(int number, timer_t *ret)
{
	const struct sigaction action = {.sa_handler = timer_wake}; /* without SA_RESTART */
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	sigset_t set;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&set);
	sigaddset(&set, number);
	return sigaction(number, &action, NULL) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, ret) == 0;
}
