/*
 * How long threads have a processor between two waits for each other, and what that says of pauses:
 * those that come after a wait has begun are of no use. Times are in ns of one clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longer pauses than this share of the time between two waits come too late. */
#define CAUSAL_PAUSE_MOST 0.33

/* For each length, a power of the root of 2 in µs, how much of the time were such stretches. */
enum { CAUSAL_LENGTHS = 48 };

struct causal_between {
	double sums_ns[CAUSAL_LENGTHS];
};

/* Of one thread: what it has had of a processor since it last waited for another one. */
struct causal_stretch {
	uint64_t on_ns;  /* when it was put on the processor; 0: it is off */
	uint64_t ran_ns; /* before that */
};

void causal_between_on(struct causal_stretch *stretch, uint64_t when_ns);
void causal_between_off(struct causal_stretch *stretch, uint64_t when_ns);
/* From @now_ns on; on or off it stays. */
void causal_between_restart(struct causal_stretch *stretch, uint64_t now_ns);

/* It has waited for another thread. */
void causal_between_waited(struct causal_between *between, struct causal_stretch *stretch);

/* As if it waited at @now_ns. */
void causal_between_add(struct causal_between *between, const struct causal_stretch *stretch,
			uint64_t now_ns);

/* Half of the time is in longer stretches. 0: none ran. */
uint64_t causal_between_median_ns(const struct causal_between *between);

/*
 * A pause comes up to two samples late. Who has begun to wait by then is credited at most what it
 * waited, so that gains come out too low: by up to a tenth where pauses are a third of the time
 * between two waits, @median_ns, by much more where they are longer. 0: that is not known.
 */
bool causal_between_is_late(uint64_t median_ns, double pause_ns);
