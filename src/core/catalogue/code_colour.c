/* Sums of hashes do not depend on an order. */
#include "code_colour.h"

#include <string.h>

/* Each round looks one instruction further. */
enum { COLOUR_ROUNDS = 4 };

/* The finaliser of MurmurHash3 (A. Appleby), of two words. */
static uint64_t colour_mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15 + b;

	x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
	return x ^ x >> 33;
}

static uint64_t colour_of_item(const struct colour_item *item, const uint64_t *colours)
{
	uint64_t hash = colour_mix(item->hash, item->block);

	for (uint8_t i = 0; i < item->n_uses; i++)
		hash = colour_mix(hash, colours[item->uses[i]]);
	return hash;
}

uint64_t code_colour_hash(const struct colour_item *items, size_t n)
{
	uint64_t colours[INSN_SHAPE_REGISTERS] = {0}, next[INSN_SHAPE_REGISTERS], sum = n;

	for (int round = 0; round < COLOUR_ROUNDS; round++) {
		memset(next, 0, sizeof(next));
		for (size_t i = 0; i < n; i++)
			for (uint8_t k = 0; k < items[i].n_uses; k++)
				next[items[i].uses[k]] +=
					colour_mix(colour_of_item(&items[i], colours), k);
		memcpy(colours, next, sizeof(colours));
	}
	for (size_t i = 0; i < n; i++)
		sum += colour_of_item(&items[i], colours);
	return sum;
}
