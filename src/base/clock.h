/* Clocks, and a timer that interrupts a thread's waits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* By CLOCK_MONOTONIC. Async-signal-safe, like clock_ns(). */
uint64_t clock_now_ns(void);
int64_t clock_now_ms(void);

/* By any clock of clock_gettime(2). */
uint64_t clock_ns(clockid_t clock);

/* @ns nanoseconds in the C library's type. */
struct timespec clock_timespec(uint64_t ns);

/*
 * A timer of one thread; all zero is one not set. Its signal is SIGRTMIN + 3, with an empty
 * handler.
 */
struct clock_timer {
	bool created, failed;
	timer_t timer;
	uint64_t at_ns;
};

/*
 * Interrupt waits of the calling thread (they fail with EINTR) at @at_ns by CLOCK_MONOTONIC and
 * every @again_ns from then on, since a signal just before a wait begins would be lost; @at_ns 0:
 * never. False: the kernel gives no timer, and nothing will interrupt. Setting the same @at_ns
 * again costs nothing.
 */
bool clock_timer_set(struct clock_timer *timer, uint64_t at_ns, uint64_t again_ns);
void clock_timer_deinit(struct clock_timer *timer);
