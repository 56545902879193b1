/*
 * A tick: a signal that comes to one thread again and again, and does nothing but end its waiting, so that
 * it can look after what is due.
 */
#ifndef FATHOM_TICK_H
#define FATHOM_TICK_H

#include <stdbool.h>
#include <time.h>

/* All zero: none. One a process: the signal is SIGRTMIN + 4. */
struct tick {
	bool running;
	timer_t timer;
};

/*
 * From now on calls of this thread that wait fail with EINTR every @ms milliseconds, but no more often than
 * every 20; @ms 0: never. Where there are no more timers, nothing comes.
 */
void tick_start(struct tick *tick, unsigned ms);
void tick_stop(struct tick *tick);

#endif
