/* Radix sort: no comparison that the processor must guess, a pass for each byte that differs. */
#include "row_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { DIGITS = sizeof(double), VALUES = 256, FEW = 24 };

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

static void count_digits(const struct row_key *keys, size_t n, uint32_t (*counts)[VALUES])
{
	unsigned digit;
	size_t i;

	memset(counts, 0, DIGITS * sizeof(*counts));
	for (i = 0; i < n; i++) {
		const uint64_t bits = rising_bits(keys[i].x);

		for (digit = 0; digit < DIGITS; digit++)
			counts[digit][bits >> 8 * digit & 0xff]++;
	}
}

static void deal(const struct row_key *from, size_t n, unsigned digit, uint32_t *counts,
		 struct row_key *to)
{
	uint32_t place = 0;
	size_t i;

	for (i = 0; i < VALUES; i++) {
		const uint32_t count = counts[i];

		counts[i] = place;
		place += count;
	}
	for (i = 0; i < n; i++)
		to[counts[rising_bits(from[i].x) >> 8 * digit & 0xff]++] = from[i];
}

void row_order_sort(struct row_key *keys, size_t n, struct row_key *scratch)
{
	uint32_t counts[DIGITS][VALUES];
	struct row_key *from = keys, *to = scratch;
	unsigned digit;

	if (n <= FEW) {
		insert_few(keys, n);
		return;
	}
	if (is_sorted(keys, n))
		return;
	count_digits(keys, n, counts);
	for (digit = 0; digit < DIGITS; digit++) {
		struct row_key *other = from;

		if (counts[digit][rising_bits(from->x) >> 8 * digit & 0xff] == n)
			continue;
		deal(from, n, digit, counts[digit], to);
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
