/* Calls of 0.3 to 12 µs: short beside what measuring adds. */
#include <stdlib.h>
#include <stdio.h>

static volatile unsigned sink;
static unsigned state = 1;

static unsigned below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

__attribute__((noinline)) void constant(int n)
{
	for (int i = 0; i < 300; i++)
		sink += n;
}

__attribute__((noinline)) void linear(int n)
{
	for (int i = 0; i < 40 * n; i++)
		sink += i;
}

__attribute__((noinline)) void modes(int n)
{
	const int rounds = n % 7 == 0 ? 4000 : 300;
	for (int i = 0; i < rounds; i++)
		sink += i;
}

__attribute__((noinline)) void square(int n)
{
	for (int i = 0; i < n * n / 4; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	const int calls = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = 0; i < calls; i++) {
		constant((int)below(1000));
		linear(1 + (int)below(100));
		modes((int)below(1000));
		square(1 + (int)below(100));
	}
	return 0;
}
