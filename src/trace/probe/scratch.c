/* Mapping scratch pages in the inferior by remote mmap, and allocating slots. */
#include "scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "displaced.h"

static const uint64_t AREA_SIZE = SCRATCH_AREA_SIZE;
static const uint64_t LOWEST = 65536;           /* vm.mmap_min_addr as distributions set it */
static const uint64_t HIGHEST = 0x7fffffff0000; /* of user space */
static const uint64_t REACH =
	UINT64_C(0x7f000000); /* of a 32-bit displacement, with room to spare */

struct area {
	uint64_t address;
	uint64_t used;
};

struct scratch {
	const struct target *target;
	uint64_t code;
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

	scratch->target = target;
	scratch->code = code;
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
	const struct target *target = scratch->target;

	while (scratch->n_areas) {
		struct remote_call call = {.number = SYS_munmap, .code = scratch->code};
		int64_t got;

		call.arguments[0] = scratch->areas[--scratch->n_areas].address;
		call.arguments[1] = AREA_SIZE;
		target->ops->system_call(target->self, tid, &call, &got);
	}
}

static uint64_t scratch_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The place in the gap [low, high) closest to @near, away from neighbours that may grow. */
static uint64_t place_in_gap(uint64_t low, uint64_t high, uint64_t near, uint64_t size)
{
	const uint64_t guard = 65536;

	if (low < LOWEST)
		low = LOWEST;
	if (high > HIGHEST)
		high = HIGHEST;
	if (high < low || high - low < size + 2 * guard)
		return 0;
	if (near >= high)
		return high - guard - size;
	return low + guard;
}

/* Prefer gaps below the code: above, an executable's heap grows. */
uint64_t scratch_find_gap(const struct region *regions, size_t n, uint64_t near, uint64_t size,
			  uint64_t reach)
{
	uint64_t below = 0;
	uint64_t above = 0;
	uint64_t low = 0;

	for (size_t i = 0; i <= n; i++) {
		uint64_t high = i < n ? regions[i].low : HIGHEST;
		uint64_t place = place_in_gap(low, high, near, size);

		if (place && scratch_distance(place, near) + size < reach) {
			if (place < near)
				below = place;
			else if (!above)
				above = place;
		}
		low = i < n ? regions[i].high : high;
	}
	return below ? below : above;
}

static bool map_area(struct scratch *scratch, pid_t tid, uint64_t near, struct err *err)
{
	const struct target *target = scratch->target;
	struct remote_call call = {.number = SYS_mmap, .code = scratch->code};
	struct region *regions;
	size_t n = target->ops->regions(target->self, tid, &regions);
	uint64_t address = scratch_find_gap(regions, n, near, AREA_SIZE, REACH);
	int64_t got = -1;

	free(regions);
	if (!address)
		return err_set(err, ERR_TARGET, "no room for scratch memory near the code");
	call.arguments[0] = address;
	call.arguments[1] = AREA_SIZE;
	call.arguments[2] = PROT_READ | PROT_EXEC;
	call.arguments[3] = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
	call.arguments[4] = -1;
	if (!target->ops->system_call(target->self, tid, &call, &got) || got != (int64_t)address)
		return err_set(err, ERR_TARGET,
			       "the program could not be made to map scratch memory (where it has "
			       "forbidden itself system calls, that takes root)");
	scratch->areas = mem_grow(scratch->areas, &scratch->capacity, scratch->n_areas + 1,
				  sizeof(*scratch->areas));
	scratch->areas[scratch->n_areas++] = (struct area){.address = address};
	return true;
}

/* An area within reach of @near with @size bytes left; NULL: none. */
static struct area *find_area(const struct scratch *scratch, uint64_t near, uint64_t size)
{
	for (size_t i = 0; i < scratch->n_areas; i++) {
		struct area *area = &scratch->areas[i];

		if (scratch_distance(area->address, near) + AREA_SIZE <= REACH &&
		    area->used + size <= AREA_SIZE)
			return area;
	}
	return NULL;
}

static bool take_released(struct scratch *scratch, uint64_t near, uint64_t *ret)
{
	for (size_t i = scratch->n_released; i > 0; i--) {
		if (scratch_distance(scratch->released[i - 1], near) + SLOT_SIZE > REACH)
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
	const struct target *target = scratch->target;

	if (scratch->complete)
		scratch->complete = target->ops->forbidden(target->self, tid) != scratch->forbidden;
}

void scratch_complete(struct scratch *scratch, pid_t tid)
{
	const struct target *target = scratch->target;
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
		if (regions[i].code && regions[i].high < HIGHEST &&
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
