/* Bottom-k sampling with a heap. The caller stores the rows. */
#include "reservoir.h"

#include <stdlib.h>

#include "base/mem.h"

void reservoir_begin(struct reservoir *reservoir, size_t size, uint64_t limit)
{
	reservoir->size = size;
	reservoir->n = 0;
	reservoir->limit = limit;
}

void reservoir_deinit(struct reservoir *reservoir)
{
	free(reservoir->heap);
}

void reservoir_limit(struct reservoir *reservoir, uint64_t limit)
{
	if (limit < reservoir->limit)
		reservoir->limit = limit;
}

/* Put @entry where the place @at is free, or further up. */
static void reservoir_rise(struct reservoir *reservoir, size_t at, struct reservoir_entry entry)
{
	struct reservoir_entry *heap = reservoir->heap;

	for (; at && heap[(at - 1) / 2].key < entry.key; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = entry;
}

/* Put @entry in place of the first, or further down. */
static void reservoir_sink(struct reservoir *reservoir, struct reservoir_entry entry)
{
	struct reservoir_entry *heap = reservoir->heap;
	size_t at = 0;
	size_t child;

	while ((child = 2 * at + 1) < reservoir->n) {
		child += child + 1 < reservoir->n && heap[child].key < heap[child + 1].key;
		if (heap[child].key < entry.key)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = entry;
}

int64_t reservoir_place(struct reservoir *reservoir, uint32_t rank, struct random_state *chance)
{
	struct reservoir_entry entry = {.row = reservoir->n};

	if (!reservoir->size)
		return (int64_t)reservoir->n++;
	if (rank >= reservoir->limit)
		return RESERVOIR_NOT_KEPT;
	entry.key = (uint64_t)rank << 32 | random_next(chance) >> 32;
	if (reservoir->n < reservoir->size) {
		reservoir->heap = mem_grow(reservoir->heap, &reservoir->capacity, reservoir->n + 1,
					   sizeof(*reservoir->heap));
		reservoir_rise(reservoir, reservoir->n++, entry);
	} else if (entry.key < reservoir->heap[0].key) {
		entry.row = reservoir->heap[0].row;
		reservoir_sink(reservoir, entry);
	} else {
		return RESERVOIR_NOT_KEPT;
	}
	return (int64_t)entry.row;
}

void reservoir_close(struct reservoir *reservoir)
{
	if (reservoir->n < reservoir->size)
		reservoir->size = reservoir->n ? reservoir->n : 1;
}

size_t reservoir_end(const struct reservoir *reservoir, bool *ret)
{
	size_t kept = 0;

	for (size_t i = 0; i < reservoir->n; i++) {
		const bool is_kept =
			!reservoir->size || reservoir->heap[i].key >> 32 < reservoir->limit;

		ret[reservoir->size ? reservoir->heap[i].row : i] = is_kept;
		kept += is_kept;
	}
	return kept;
}
