/*
 * Calls of 20 to 400 ns that are a loop with a law in their argument, and what a turn of the loop
 * takes by the program's own clock. Usage: tens CALLS.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Each waits for the one before it. */
static inline __attribute__((always_inline)) void turn(uint64_t turns)
{
	for (uint64_t x = 1, i = 0; i < turns; i++)
		__asm__ volatile("imul %0, %0\n imul %0, %0" : "+r"(x));
}

__attribute__((noinline)) void constant(int n)
{
	__asm__ volatile("" ::"r"(n));
	turn(50);
}

__attribute__((noinline)) void linear(int n)
{
	turn((uint64_t)n);
}

__attribute__((noinline)) void quadratic(int n)
{
	turn((uint64_t)n * (uint64_t)n);
}

/* Nobody measures it. */
static __attribute__((noinline)) void alone(uint64_t turns)
{
	turn(turns);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/* The least of many batches, as others have the processor at times. */
static double turn_ns(void)
{
	enum { BATCHES = 500, TURNS = 10000 };
	double best = 1e9;

	for (int i = 0; i < BATCHES; i++) {
		const double began = now_ns();
		double ns;

		alone(TURNS);
		ns = (now_ns() - began) / TURNS;
		best = ns < best ? ns : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	const long calls = argc > 1 ? atol(argv[1]) : 0;
	uint32_t state = 1;

	for (long i = 0; i < calls; i++) {
		state = state * 1664525u + 1013904223u;
		constant((int)(14 + (state >> 8) % 266));
		linear((int)(14 + (state >> 8) % 266));
		quadratic((int)(4 + (state >> 8) % 13));
	}
	printf("%.4f ns\n", turn_ns());
	return 0;
}
