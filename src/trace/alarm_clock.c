/* When the timer is due, and again. What it interrupts is the caller's. */
#include "trace/alarm_clock.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"

static const uint64_t AGAIN_NS = 10000000;

bool alarm_clock_set(struct alarm_clock *alarm, uint64_t at_ns)
{
	const struct itimerspec when = {.it_value = clock_timespec(at_ns),
					.it_interval = clock_timespec(at_ns ? AGAIN_NS : 0)};

	if (at_ns == alarm->at_ns)
		return true;
	if (!alarm->created && !alarm->failed) {
		/* Those of the C library's own threads are not included in SIGRTMIN. */
		alarm->created = clock_create_timer(SIGRTMIN + 3, &alarm->timer);
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
