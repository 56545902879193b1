/* Radix sort: no comparison that the processor must guess, a pass for each byte that differs. */
#include "row_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lanes.h"

enum { VALUES = 256, FEW = 24 };

/* Rises with @x; 0 and -0 are equal. */
static inline uint64_t rising_bits(double x)
{
	const double same = x + 0.0;
	uint64_t bits;

	memcpy(&bits, &same, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static void insert_few(struct row_key *keys, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		const struct row_key key = keys[i];

		for (j = i; j && keys[j - 1].x > key.x; j--)
			keys[j] = keys[j - 1];
		keys[j] = key;
	}
}

static bool is_sorted(const struct row_key *keys, size_t n)
{
	size_t i = 1;

	while (i < n && keys[i - 1].x <= keys[i].x)
		i++;
	return i >= n;
}

/* The bits in which some numbers differ. */
static uint64_t differing_bits(const struct row_key *keys, size_t n)
{
	const uint64_t first = rising_bits(keys->x);
	uint64_t bits = 0;
	size_t i;

	for (i = 1; i < n; i++)
		bits |= rising_bits(keys[i].x) ^ first;
	return bits;
}

static void deal(const struct row_key *from, size_t n, unsigned shift, struct row_key *to)
{
	uint32_t counts[VALUES] = {0};
	uint32_t place = 0;
	size_t i;

	for (i = 0; i < n; i++)
		counts[rising_bits(from[i].x) >> shift & 0xff]++;
	for (i = 0; i < VALUES; i++) {
		const uint32_t count = counts[i];

		counts[i] = place;
		place += count;
	}
	for (i = 0; i < n; i++)
		to[counts[rising_bits(from[i].x) >> shift & 0xff]++] = from[i];
}

void row_order_sort(struct row_key *keys, size_t n, struct row_key *scratch)
{
	struct row_key *from = keys, *to = scratch;
	uint64_t bits;
	unsigned shift;

	if (n <= FEW) {
		insert_few(keys, n);
		return;
	}
	if (is_sorted(keys, n))
		return;
	bits = differing_bits(keys, n);
	for (shift = 0; shift < 64; shift += 8) {
		struct row_key *other = from;

		if (!(bits >> shift & 0xff))
			continue;
		deal(from, n, shift, to);
		from = to;
		to = other;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof(*keys));
}

void row_order_sort_numbers(double *numbers, size_t n)
{
	struct row_key *keys;
	size_t i;

	for (i = 1; i < n && numbers[i - 1] <= numbers[i]; i++)
		;
	if (i >= n)
		return;
	keys = mem_alloc(2 * n * sizeof(*keys));
	for (i = 0; i < n; i++)
		keys[i].x = numbers[i];
	row_order_sort(keys, n, keys + n);
	for (i = 0; i < n; i++)
		numbers[i] = keys[i].x;
	free(keys);
}

/* @keys: room for 2 * @n */
static void find_ranks(const double *numbers, size_t n, struct row_key *keys, double *ret)
{
	size_t first, end, i;

	for (i = 0; i < n; i++)
		keys[i] = (struct row_key){numbers[i], i};
	row_order_sort(keys, n, keys + n);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && keys[end].x == keys[first].x; end++)
			;
		for (i = first; i < end; i++)
			ret[keys[i].row] = (first + end) / 2.0;
	}
}

double row_order_correlation(const double *x, const double *y, size_t n)
{
	struct row_key *keys = mem_alloc((2 * n + 1) * sizeof(*keys));
	double *ranks = mem_alloc((2 * n + 1) * sizeof(*ranks));
	double r;

	find_ranks(x, n, keys, ranks);
	find_ranks(y, n, keys, ranks + n);
	free(keys);
	r = lanes_correlation(ranks, ranks + n, n);
	free(ranks);
	return r;
}
