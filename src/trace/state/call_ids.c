/* Numbers of a source get ranges of ids, the longer the more there are. */
#include "call_ids.h"

#include <stdlib.h>

#include "base/mem.h"

enum { NUMBER_BITS = 40, RANGE_FIRST = 1 << 10, RANGE_LAST = 1 << 24 };

/* Numbers from @first on are ids from @id on. */
struct id_range {
	int64_t first, id;
};

struct id_source {
	struct id_range *ranges;
	size_t n, capacity;
	int64_t end; /* of the numbers that have ids */
	int64_t size;
};

void call_ids_deinit(struct call_ids *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		free(ids->sources[i].ranges);
	free(ids->sources);
	*ids = (struct call_ids){0};
}

static struct id_source *add_source(struct call_ids *ids)
{
	ids->sources = mem_grow(ids->sources, &ids->capacity, ids->n + 1, sizeof(*ids->sources));
	ids->sources[ids->n] = (struct id_source){.end = 1, .size = ids->n ? RANGE_FIRST : 1};
	return &ids->sources[ids->n++];
}

int64_t call_ids_begin(struct call_ids *ids)
{
	if (!ids->n)
		add_source(ids);
	add_source(ids);
	return (int64_t)(ids->n - 1) << NUMBER_BITS;
}

static void add_range(struct call_ids *ids, struct id_source *source, int64_t number)
{
	const int64_t wanted = number - source->end + 1;
	const int64_t n = wanted < source->size ? source->size : wanted;
	const struct id_range *last = source->n ? &source->ranges[source->n - 1] : NULL;

	if (!last || last->id - last->first != ids->last + 1 - source->end) {
		source->ranges = mem_grow(source->ranges, &source->capacity, source->n + 1,
					  sizeof(*source->ranges));
		source->ranges[source->n++] =
			(struct id_range){.first = source->end, .id = ids->last + 1};
	}
	ids->last += n;
	source->end += n;
	if (source->size > 1 && source->size < RANGE_LAST)
		source->size *= 2;
}

int64_t call_ids_outside(struct call_ids *ids, int64_t id)
{
	const int64_t number = id & ((INT64_C(1) << NUMBER_BITS) - 1);
	struct id_source *source;
	size_t i;

	if (!id)
		return 0;
	if (!ids->n)
		add_source(ids);
	if ((size_t)(id >> NUMBER_BITS) >= ids->n)
		return id;
	source = &ids->sources[id >> NUMBER_BITS];
	if (number >= source->end)
		add_range(ids, source, number);
	for (i = source->n - 1; source->ranges[i].first > number; i--)
		;
	return source->ranges[i].id + number - source->ranges[i].first;
}
