/*
 * Clocks, and the timer that ends a thread's waiting.
 */
#ifndef FATHOM_BASE_CLOCK_H
#define FATHOM_BASE_CLOCK_H

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
 * Create a timer by CLOCK_MONOTONIC whose signal @number comes to the calling thread and does nothing there but make calls
 * that wait fail with EINTR. It is not set; the caller deletes it. The handler is the process's: one @number a purpose.
 * False: there is no such timer.
 */
bool clock_create_timer(int number, timer_t *ret);

#endif
