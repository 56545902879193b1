/* Finding gaps in the inferior's memory, and remote mmap(2) and munmap(2). */
#include "mapping.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static const uint64_t LOWEST = 65536;           /* vm.mmap_min_addr as distributions set it */
static const uint64_t HIGHEST = 0x7fffffff0000; /* of user space */
static const uint64_t REACH =
	UINT64_C(0x7f000000); /* of a 32-bit displacement, with room to spare */
static const uint64_t PAGE = 4096;

static uint64_t mapping_distance(uint64_t a, uint64_t b)
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
uint64_t mapping_find_gap(const struct region *regions, size_t n, uint64_t near, uint64_t size,
			  uint64_t reach)
{
	uint64_t below = 0;
	uint64_t above = 0;
	uint64_t low = 0;

	for (size_t i = 0; i <= n; i++) {
		uint64_t high = i < n ? regions[i].low : HIGHEST;
		uint64_t place = place_in_gap(low, high, near, size);

		if (place && mapping_distance(place, near) + size < reach) {
			if (place < near)
				below = place;
			else if (!above)
				above = place;
		}
		low = i < n ? regions[i].high : high;
	}
	return below ? below : above;
}

uint64_t mapping_find_middle(const struct region *regions, size_t n, uint64_t size)
{
	uint64_t widest = 0;
	uint64_t found = 0;
	uint64_t low = LOWEST;

	for (size_t i = 0; i <= n; i++) {
		uint64_t high = i < n && regions[i].low < HIGHEST ? regions[i].low : HIGHEST;

		if (high > low && high - low > widest) {
			widest = high - low;
			found = low;
		}
		low = i < n && regions[i].high > low ? regions[i].high : low;
	}
	return widest > 3 * size ? (found + (widest - size) / 2) & ~(PAGE - 1) : 0;
}

bool mapping_reaches(uint64_t address, uint64_t size, uint64_t near)
{
	return mapping_distance(address, near) + size <= REACH;
}

bool mapping_is_code(const struct region *region)
{
	return region->code && region->high < HIGHEST;
}

static uint64_t find_place(const struct mapper *mapper, pid_t tid, uint64_t near,
			   const struct mapping *mapping)
{
	const struct target *target = mapper->target;
	struct region *regions;
	size_t n = target->ops->regions(target->self, tid, &regions);
	uint64_t address = mapping->kind == RECOVERY_BLOCKS
				   ? mapping_find_middle(regions, n, mapping->size)
				   : mapping_find_gap(regions, n, near, mapping->size, REACH);

	free(regions);
	return address;
}

static bool mapping_call(const struct mapper *mapper, pid_t tid, const struct mapping *mapping,
			 bool make)
{
	const struct target *target = mapper->target;
	const bool writable = mapping->kind == RECOVERY_BLOCKS;
	const struct remote_call call = {
		.number = make ? SYS_mmap : SYS_munmap,
		.arguments = {mapping->address, mapping->size,
			      PROT_READ | (writable ? PROT_WRITE : PROT_EXEC),
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
				      (writable ? MAP_NORESERVE : 0),
			      -1},
		.code = mapper->code,
		.area = mapping->kind,
	};
	int64_t got = -1;

	return target->ops->system_call(target->self, tid, &call, &got) &&
	       (make ? got == (int64_t)mapping->address : got == 0);
}

bool mapping_make(const struct mapper *mapper, pid_t tid, uint64_t near, struct mapping *mapping,
		  struct err *err)
{
	struct mapping wanted = *mapping;

	wanted.address = find_place(mapper, tid, near, mapping);
	if (!wanted.address)
		return err_set(err, ERR_TARGET, "no room for scratch memory near the code");
	if (!mapping_call(mapper, tid, &wanted, true))
		return err_set(err, ERR_TARGET,
			       "the program could not be made to map scratch memory (where it has "
			       "forbidden itself system calls, that takes root)");
	*mapping = wanted;
	return true;
}

bool mapping_remove(const struct mapper *mapper, pid_t tid, const struct mapping *mapping)
{
	return mapping_call(mapper, tid, mapping, false);
}
