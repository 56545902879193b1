/*
 * Clocks over clock_gettime(2), the timer over timer_create(2). What is due when a wait ends is
 * left to the caller.
 */
#include "clock.h"

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

static void clock_wake(int signal)
{
	(void)signal;
}

static bool clock_timer_create(struct clock_timer *timer)
{
	/* SIGRTMIN skips the signals of the C library's own threads */
	const int number = SIGRTMIN + 3;
	/* no SA_RESTART: waits must fail with EINTR */
	const struct sigaction action = {.sa_handler = clock_wake};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	sigset_t set;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&set);
	sigaddset(&set, number);
	return sigaction(number, &action, NULL) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, &timer->timer) == 0;
}

bool clock_timer_set(struct clock_timer *timer, uint64_t at_ns, uint64_t again_ns)
{
	const struct itimerspec when = {.it_value = clock_timespec(at_ns),
					.it_interval = clock_timespec(at_ns ? again_ns : 0)};

	if (at_ns == timer->at_ns)
		return true;
	if (!timer->created && !timer->failed) {
		timer->created = clock_timer_create(timer);
		timer->failed = !timer->created;
	}
	if (timer->failed || timer_settime(timer->timer, TIMER_ABSTIME, &when, NULL) != 0)
		return at_ns == 0;
	timer->at_ns = at_ns;
	return true;
}

void clock_timer_deinit(struct clock_timer *timer)
{
	if (timer->created)
		timer_delete(timer->timer);
	*timer = (struct clock_timer){.created = false};
}
