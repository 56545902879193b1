/* Rating the TSC against CLOCK_MONOTONIC. */
#include "tsc_clock.h"

#include <cpuid.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "base/clock.h"

static const uint64_t FIRST_NS = 2000000;

enum { WAITS = 1000, WAIT_TURNS = 200 };
enum { FOLLOW = 8 }; /* an eighth more time */

uint64_t tsc_clock_ticks_now(void)
{
	return __rdtsc();
}

bool tsc_clock_is_invariant(const struct cpuid_leaf *power, const char **ret_why)
{
	const unsigned invariant = 1u << 8;
	struct cpuid_leaf own = {0};

	if (!power) { /* an unknown leaf stays 0 */
		__get_cpuid(0x80000007, &own.eax, &own.ebx, &own.ecx, &own.edx);
		power = &own;
	}
	*ret_why = "the processor has no time stamp counter of constant rate";
	return power->edx & invariant;
}

/* Both clocks at one moment: of several readings the one that took least. */
static void read_both(uint64_t *ret_ticks, uint64_t *ret_ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		const uint64_t before = __rdtsc();
		const uint64_t ns = clock_now_ns();
		const uint64_t after = __rdtsc();

		if (after - before >= least)
			continue;
		least = after - before;
		*ret_ticks = before + least / 2;
		*ret_ns = ns;
	}
}

void tsc_clock_refine(struct tsc_clock *clock)
{
	uint64_t ticks = 0, ns = 0;

	read_both(&ticks, &ns);
	if (ticks <= clock->first_ticks || ns <= clock->first_ns)
		return;
	clock->rated_ticks = ticks - clock->first_ticks;
	clock->ns_per_tick = (double)(ns - clock->first_ns) / (double)clock->rated_ticks;
}

void tsc_clock_follow(struct tsc_clock *clock)
{
	const uint64_t ticks = __rdtsc() - clock->first_ticks;

	if (ticks > clock->rated_ticks + clock->rated_ticks / FOLLOW)
		tsc_clock_refine(clock);
}

static int tsc_clock_by_size(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Of waits of any length the counter shows all, or only multiples of its step. Of these the
 * shortest and longest are left out.
 */
static uint64_t find_step(void)
{
	uint64_t waits[WAITS];
	uint64_t step = 1;

	for (int i = 0; i < WAITS; i++) {
		const uint64_t begin = __rdtsc();

		for (int turns = i % WAIT_TURNS; turns > 0; turns--)
			__asm__ volatile("");
		waits[i] = __rdtsc() - begin;
	}
	qsort(waits, WAITS, sizeof(*waits), tsc_clock_by_size);
	for (int i = WAITS / 10; i < WAITS * 7 / 10; i++)
		if (waits[i + 1] - waits[i] > step)
			step = waits[i + 1] - waits[i];
	return step;
}

bool tsc_clock_init(struct tsc_clock *clock, const char **ret_why)
{
	read_both(&clock->first_ticks, &clock->first_ns);
	while (clock_now_ns() < clock->first_ns + FIRST_NS)
		;
	tsc_clock_refine(clock);
	clock->step_ns = tsc_clock_ns(clock, (int64_t)find_step());
	*ret_why = "the processor's time stamp counter stands still";
	return clock->ns_per_tick > 0;
}

double tsc_clock_ns(const struct tsc_clock *clock, int64_t ticks)
{
	return (double)ticks * clock->ns_per_tick;
}

int64_t tsc_clock_ticks(const struct tsc_clock *clock, double ns)
{
	return (int64_t)(ns / clock->ns_per_tick);
}

uint64_t tsc_clock_moment_ns(const struct tsc_clock *clock, uint64_t ticks)
{
	return clock->first_ns +
	       (uint64_t)(int64_t)tsc_clock_ns(clock, (int64_t)(ticks - clock->first_ticks));
}

uint64_t tsc_clock_moment_ticks(const struct tsc_clock *clock, uint64_t ns)
{
	return clock->first_ticks +
	       (uint64_t)tsc_clock_ticks(clock, (double)(int64_t)(ns - clock->first_ns));
}
