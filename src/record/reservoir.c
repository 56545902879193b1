/* Algorithm R, and its random numbers. The caller stores the items. */
#include "reservoir.h"

/*
 * Source: G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators (2014):
 * SplitMix64.
 */
static uint64_t next(struct random_state *chance)
{
	uint64_t mixed = chance->state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

/*
 * Rejects the low products that would make some results more frequent than others.
 * Source: D. Lemire, Fast Random Integer Generation in an Interval, ACM TOMACS 29 (2019).
 */
uint64_t reservoir_random_below(struct random_state *chance, uint64_t n)
{
	const uint64_t too_many = -n % n;
	unsigned __int128 product;

	do
		product = (unsigned __int128)next(chance) * n;
	while ((uint64_t)product < too_many);
	return product >> 64;
}

void reservoir_begin(struct reservoir *reservoir, size_t size)
{
	*reservoir = (struct reservoir){.size = size};
}

int64_t reservoir_place(struct reservoir *reservoir, struct random_state *chance)
{
	uint64_t before = reservoir->seen++;
	uint64_t place;

	if (!reservoir->size || before < reservoir->size)
		return before;
	place = reservoir_random_below(chance, reservoir->seen);
	return place < reservoir->size ? (int64_t)place : RESERVOIR_NOT_KEPT;
}

void reservoir_close(struct reservoir *reservoir)
{
	if (!reservoir->size || reservoir->seen < reservoir->size)
		reservoir->size = reservoir->seen ? reservoir->seen : 1;
}
