/*
 * Clocks, and the timer that ends a thread's waiting.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* By CLOCK_MONOTONIC. Async-signal-safe, as clock_ns() is. */
uint64_t clock_now_ns(void);
int64_t clock_now_ms(void);

/* By any clock of clock_gettime(2). */
uint64_t clock_ns(clockid_t clock);

/* @ns nanoseconds, as the C library wants them. */
struct timespec clock_timespec(uint64_t ns);

/*
 * A timer of one thread. All zero: not set yet. Its signal is SIGRTMIN + 3, and its handler does
 * nothing.
 */
struct clock_timer {
	bool created, failed;
	timer_t timer;
	uint64_t at_ns;
};

/*
 * From @at_ns by CLOCK_MONOTONIC on, and every @again_ns from then, calls of the calling thread
 * that wait fail with EINTR; @at_ns 0: never. It comes again, so that one that arrives just before
 * such a call is made costs little. False: there is no such timer, and nothing will come. Costs
 * nothing if it was set so before.
 */
bool clock_timer_set(struct clock_timer *timer, uint64_t at_ns, uint64_t again_ns);
void clock_timer_deinit(struct clock_timer *timer);
