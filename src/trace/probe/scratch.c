/* Allocating slots in scratch pages. */
#include "scratch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "displaced.h"
#include "mapping.h"

static const uint64_t AREA_SIZE = SCRATCH_AREA_SIZE;

struct area {
	uint64_t address;
	uint64_t used;
};

struct scratch {
	struct mapper mapper;
	struct area *areas;
	size_t n_areas, capacity;
	uint64_t *released; /* slots */
	size_t n_released, released_capacity;
	uint64_t forbidden; /* its seccomp state when first complete */
	bool was_complete;
	bool complete; /* map nothing more */
};

struct scratch *scratch_create(const struct target *target, uint64_t code)
{
	struct scratch *scratch = mem_alloc(sizeof(*scratch));

	scratch->mapper = (struct mapper){target, code};
	return scratch;
}

void scratch_destroy(struct scratch *scratch)
{
	if (!scratch)
		return;
	free(scratch->areas);
	free(scratch->released);
	free(scratch);
}

struct scratch *scratch_copy(const struct scratch *scratch)
{
	struct scratch *copy = mem_alloc(sizeof(*copy));

	*copy = *scratch;
	copy->areas = mem_alloc(scratch->capacity * sizeof(*copy->areas));
	if (scratch->n_areas)
		memcpy(copy->areas, scratch->areas, scratch->n_areas * sizeof(*copy->areas));
	copy->released = mem_alloc(scratch->released_capacity * sizeof(*copy->released));
	if (scratch->n_released)
		memcpy(copy->released, scratch->released,
		       scratch->n_released * sizeof(*copy->released));
	return copy;
}

void scratch_unmap(struct scratch *scratch, pid_t tid)
{
	while (scratch->n_areas) {
		const struct mapping mapping = {
			.address = scratch->areas[--scratch->n_areas].address,
			.size = AREA_SIZE,
			.kind = RECOVERY_SCRATCH,
		};

		mapping_remove(&scratch->mapper, tid, &mapping);
	}
}

static bool map_area(struct scratch *scratch, pid_t tid, uint64_t near, struct err *err)
{
	struct mapping mapping = {.size = AREA_SIZE, .kind = RECOVERY_SCRATCH};

	if (!mapping_make(&scratch->mapper, tid, near, &mapping, err))
		return false;
	scratch->areas = mem_grow(scratch->areas, &scratch->capacity, scratch->n_areas + 1,
				  sizeof(*scratch->areas));
	scratch->areas[scratch->n_areas++] = (struct area){.address = mapping.address};
	return true;
}

/* An area within reach of @near with @size bytes left; NULL: none. */
static struct area *find_area(const struct scratch *scratch, uint64_t near, uint64_t size)
{
	for (size_t i = 0; i < scratch->n_areas; i++) {
		struct area *area = &scratch->areas[i];

		if (mapping_reaches(area->address, AREA_SIZE, near) &&
		    area->used + size <= AREA_SIZE)
			return area;
	}
	return NULL;
}

static bool take_released(struct scratch *scratch, uint64_t near, uint64_t *ret)
{
	for (size_t i = scratch->n_released; i > 0; i--) {
		if (!mapping_reaches(scratch->released[i - 1], SLOT_SIZE, near))
			continue;
		*ret = scratch->released[i - 1];
		scratch->released[i - 1] = scratch->released[--scratch->n_released];
		return true;
	}
	return false;
}

bool scratch_reserve(struct scratch *scratch, pid_t tid, uint64_t near, uint64_t *ret,
		     struct err *err)
{
	struct area *area;

	if (take_released(scratch, near, ret))
		return true;
	area = find_area(scratch, near, SLOT_SIZE);
	if (!area && scratch->complete)
		return err_set(err, ERR_TARGET,
			       "no scratch memory is left near the code, and the program may not "
			       "be able to map more by now");
	if (!area) {
		if (!map_area(scratch, tid, near, err))
			return false;
		area = find_area(scratch, near, SLOT_SIZE);
	}
	*ret = area->address + area->used;
	area->used += SLOT_SIZE;
	return true;
}

bool scratch_grows(const struct scratch *scratch)
{
	return !scratch->complete;
}

void scratch_release(struct scratch *scratch, uint64_t slot)
{
	scratch->released = mem_grow(scratch->released, &scratch->released_capacity,
				     scratch->n_released + 1, sizeof(*scratch->released));
	scratch->released[scratch->n_released++] = slot;
}

void scratch_reopen(struct scratch *scratch, pid_t tid)
{
	const struct target *target = scratch->mapper.target;

	if (scratch->complete)
		scratch->complete = target->ops->forbidden(target->self, tid) != scratch->forbidden;
}

void scratch_complete(struct scratch *scratch, pid_t tid)
{
	const struct target *target = scratch->mapper.target;
	struct region *regions;
	struct err ignored;
	size_t n, i;

	if (scratch->complete)
		return;
	if (!scratch->was_complete)
		scratch->forbidden = target->ops->forbidden(target->self, tid);
	scratch->was_complete = true;
	n = target->ops->regions(target->self, tid, &regions);
	for (i = 0; i < n; i++)
		if (mapping_is_code(&regions[i]) &&
		    !find_area(scratch, regions[i].low, AREA_SIZE / 2))
			map_area(scratch, tid, regions[i].low, &ignored);
	scratch->complete = true;
	free(regions);
}

bool scratch_contains(const struct scratch *scratch, uint64_t pc, uint64_t *ret_slot)
{
	for (size_t i = 0; i < scratch->n_areas; i++) {
		uint64_t offset = pc - scratch->areas[i].address;

		if (offset >= AREA_SIZE)
			continue;
		*ret_slot = pc - offset % SLOT_SIZE;
		return true;
	}
	return false;
}
