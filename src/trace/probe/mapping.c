/* Finding gaps in the inferior's memory, and remote mmap(2) and munmap(2). */
#include "mapping.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/mem.h"

static const uint64_t LOWEST = 65536;           /* vm.mmap_min_addr as distributions set it */
static const uint64_t HIGHEST = 0x7fffffff0000; /* of user space */
static const uint64_t REACH =
	UINT64_C(0x7f000000); /* of a 32-bit displacement, with room to spare */
static const uint64_t PAGE = 4096;
static const uint64_t LOW = UINT64_C(0x80000000);

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

/* In the middle of what is free below the addresses that need more than 31 bits. */
static uint64_t mapping_find_low(const struct region *regions, size_t n, uint64_t size)
{
	struct region *low = mem_alloc((n + 1) * sizeof(*low));
	size_t n_low = 0;
	uint64_t address;

	while (n_low < n && regions[n_low].low < LOW) {
		low[n_low] = regions[n_low];
		n_low++;
	}
	low[n_low] = (struct region){.low = LOW, .high = HIGHEST};
	address = mapping_find_middle(low, n_low + 1, size);
	free(low);
	return address < LOW ? address : 0;
}

static uint64_t find_place(const struct mapper *mapper, pid_t tid, uint64_t near,
			   const struct mapping *mapping)
{
	const struct target *target = mapper->target;
	struct region *regions;
	size_t n = target->ops->regions(target->self, tid, &regions);
	uint64_t address;

	if (mapping->kind == RECOVERY_BLOCKS)
		address = mapping_find_middle(regions, n, mapping->size);
	else if (mapping->kind == RECOVERY_LIFE)
		address = mapping_find_low(regions, n, mapping->size);
	else
		address = mapping_find_gap(regions, n, near, mapping->size, REACH);
	free(regions);
	return address;
}

static int mapping_protection(enum recovery_area_kind kind)
{
	switch (kind) {
	case RECOVERY_SCRATCH:
	case RECOVERY_PADS:
	case RECOVERY_LIFE:
		return PROT_READ | PROT_EXEC;
	case RECOVERY_BLOCKS:
		return PROT_READ | PROT_WRITE;
	}
	return PROT_NONE;
}

static int mapping_flags(enum recovery_area_kind kind)
{
	if (kind == RECOVERY_LIFE)
		return MAP_SHARED | MAP_FIXED_NOREPLACE;
	return MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE |
	       (kind == RECOVERY_BLOCKS ? MAP_NORESERVE : 0);
}

static bool mapping_call(const struct mapper *mapper, pid_t tid, const struct mapping *mapping,
			 bool make)
{
	const struct target *target = mapper->target;
	const struct remote_call call = {
		.number = make ? SYS_mmap : SYS_munmap,
		.arguments = {mapping->address, mapping->size, mapping_protection(mapping->kind),
			      mapping_flags(mapping->kind),
			      mapping->kind == RECOVERY_LIFE ? (uint64_t)mapping->fd : UINT64_MAX},
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
