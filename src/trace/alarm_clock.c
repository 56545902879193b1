/* A POSIX timer whose signal goes to one thread. The handler does nothing: it is there so that calls are interrupted. */
#include "trace/alarm_clock.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static const uint64_t AGAIN_NS = 10000000;
static const uint64_t SECOND_NS = 1000000000;

/* Those of the C library's own threads are not included in SIGRTMIN. */
static int signal_number(void)
{
	return SIGRTMIN + 3;
}

static void wake(int signal)
{
	(void)signal;
}

static bool create(struct alarm_clock *alarm)
{
	const struct sigaction action = {.sa_handler = wake}; /* without SA_RESTART */
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_number()};
	sigset_t set;

	event.sigev_notify_thread_id = syscall(SYS_gettid);
	sigemptyset(&set);
	sigaddset(&set, signal_number());
	if (sigaction(signal_number(), &action, NULL) != 0 ||
	    pthread_sigmask(SIG_UNBLOCK, &set, NULL) != 0)
		return false;
	return timer_create(CLOCK_MONOTONIC, &event, &alarm->timer) == 0;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
}

bool alarm_clock_set(struct alarm_clock *alarm, uint64_t at_ns)
{
	const struct itimerspec when = {.it_value = timespec_of(at_ns),
					.it_interval = timespec_of(at_ns ? AGAIN_NS : 0)};

	if (at_ns == alarm->at_ns)
		return true;
	if (!alarm->created && !alarm->failed) {
		alarm->created = create(alarm);
		alarm->failed = !alarm->created;
	}
	if (alarm->failed || timer_settime(alarm->timer, TIMER_ABSTIME, &when, NULL) != 0)
		return at_ns == 0;
	alarm->at_ns = at_ns;
	return true;
}

void alarm_clock_deinit(struct alarm_clock *alarm)
{
	if (alarm->created)
		timer_delete(alarm->timer);
	alarm->created = false;
}
