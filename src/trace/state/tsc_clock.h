/*
 * The processor's time stamp counter as a clock: ticks, and what they are on CLOCK_MONOTONIC.
 *
 * Source: Intel's manual, volume 3, section 18.17: an invariant TSC counts at a constant rate in
 * all states of the processor.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the instruction cpuid gives for a leaf. */
struct cpuid_leaf {
	unsigned eax, ebx, ecx, edx;
};

struct tsc_clock {
	uint64_t first_ticks, first_ns; /* read together */
	double ns_per_tick;
	uint64_t rated_ticks; /* the rate is of so many */
	double step_ns;       /* by which it advances; a tick, if it is not coarser */
};

/*
 * Is there one? @power: leaf 0x80000007 of the processor; NULL: of this one. False: *@ret_why is a
 * phrase.
 */
bool tsc_clock_is_invariant(const struct cpuid_leaf *power, const char **ret_why);

/* Of an invariant TSC. Takes about 2 ms. False: *@ret_why is a phrase. */
bool tsc_clock_init(struct tsc_clock *clock, const char **ret_why);

/* The longer the time since tsc_clock_init(), the better the rate. */
void tsc_clock_refine(struct tsc_clock *clock);

/*
 * The same, if the time since tsc_clock_init() has grown by a part since it was refined: moments
 * are then known to some 0.1 µs, as both are read. Without it an error of the rate grows with the
 * time, and jumps when it is refined.
 */
void tsc_clock_follow(struct tsc_clock *clock);

uint64_t tsc_clock_ticks_now(void);

/* Durations, with their sign. */
double tsc_clock_ns(const struct tsc_clock *clock, int64_t ticks);
int64_t tsc_clock_ticks(const struct tsc_clock *clock, double ns);

/* Moments: CLOCK_MONOTONIC and TSC. */
uint64_t tsc_clock_moment_ns(const struct tsc_clock *clock, uint64_t ticks);
uint64_t tsc_clock_moment_ticks(const struct tsc_clock *clock, uint64_t ns);
