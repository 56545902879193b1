/* How often the timer is due. What is to be done then is the caller's. */
#include "tick.h"

#include <signal.h>
#include <stddef.h>

#include "base/clock.h"

enum { MS_MIN = 20 };

void tick_start(struct tick *tick, unsigned ms)
{
	const unsigned every = ms < MS_MIN ? MS_MIN : ms;
	const struct timespec time = clock_timespec(every * UINT64_C(1000000));
	const struct itimerspec times = {.it_value = time, .it_interval = time};

	tick->running = ms && clock_create_timer(SIGRTMIN + 4, &tick->timer);
	if (tick->running)
		timer_settime(tick->timer, 0, &times, NULL);
}

void tick_stop(struct tick *tick)
{
	if (tick->running)
		timer_delete(tick->timer);
	tick->running = false;
}
