/* SplitMix64. */
#include "random.h"

uint64_t random_next(struct random_state *random)
{
	uint64_t mixed = random->state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

void random_shuffle(struct random_state *random, double *numbers, size_t n)
{
	size_t i;

	for (i = n; i > 1; i--) {
		const size_t other = random_next(random) % i;
		const double kept = numbers[i - 1];

		numbers[i - 1] = numbers[other];
		numbers[other] = kept;
	}
}
