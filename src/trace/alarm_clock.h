/*
 * An end to waiting: at a time by CLOCK_MONOTONIC a signal comes to the thread that set it, so that waitpid(2) and the
 * like fail with EINTR. It comes again and again until another time is set, so that one that arrives just before the
 * call is made costs little.
 */
#ifndef FATHOM_TRACE_ALARM_CLOCK_H
#define FATHOM_TRACE_ALARM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* All zero: not set yet. One a process: its signal is SIGRTMIN + 3. */
struct alarm_clock {
	bool created, failed;
	timer_t timer;
	uint64_t at_ns;
};

/* @at_ns 0: never. False: there is no such clock, and nothing will come. Costs nothing if it was set so before. */
bool alarm_clock_set(struct alarm_clock *alarm, uint64_t at_ns);
void alarm_clock_deinit(struct alarm_clock *alarm);

#endif
