/* Stacks, told apart by the memory region they lie in, and return addresses on them. */
#include "stack_regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"

/* The first region that ends above @address; NULL: none. */
static struct region *region_up_from(const struct inferior *inferior, uint64_t address)
{
	const size_t low =
		BISECT_FIRST(i, inferior->n_regions, inferior->regions[i].high <= address);

	return low < inferior->n_regions ? &inferior->regions[low] : NULL;
}

/*
 * The first thread's stack grows by pages, and the kernel keeps a gap below it free of other
 * mappings (stack_guard_gap), so an address just below belongs to it. Rereading all mappings for
 * each new page would be slow where there are many.
 */
static bool grow_stack(const struct inferior *inferior, uint64_t address, struct region *region)
{
	const uint64_t gap = UINT64_C(1) << 20;

	if (inferior->stack_mark < region->low || inferior->stack_mark >= region->high ||
	    region->low - address > gap)
		return false;
	region->low = address;
	return true;
}

static const struct region *find_region(const struct inferior *inferior, uint64_t address)
{
	struct region *region = region_up_from(inferior, address);

	if (region && (region->low <= address || grow_stack(inferior, address, region)))
		return region;
	return NULL;
}

/* Put @region, which the process has now, in place of what was known there. */
static void keep_region(struct inferior *inferior, const struct region *region)
{
	const struct region *old = inferior->regions;
	const size_t n = inferior->n_regions;
	const size_t first = BISECT_FIRST(i, n, old[i].high <= region->low);
	const size_t behind = BISECT_FIRST(i, n, old[i].low < region->high);
	const size_t rest = behind > first ? behind : first;
	struct region *kept = mem_alloc((n + 1) * sizeof(*kept));

	memcpy(kept, old, first * sizeof(*kept));
	kept[first] = *region;
	memcpy(kept + first + 1, old + rest, (n - rest) * sizeof(*kept));
	free(inferior->regions);
	inferior->regions = kept;
	inferior->n_regions = first + 1 + n - rest;
}

/* With very many threads reading all for each new stack would take most of their time. */
static void find_new_region(struct inferior *inferior, pid_t tid, uint64_t address)
{
	const struct target *target = &inferior->session->target;
	struct region region;

	if (inferior->n_regions && target->ops->region_at &&
	    target->ops->region_at(target->self, tid, address, &region)) {
		keep_region(inferior, &region);
		return;
	}
	free(inferior->regions);
	inferior->n_regions = target->ops->regions(target->self, tid, &inferior->regions);
}

/* A region's end identifies a stack; its start moves as the stack grows. */
uint64_t stack_regions_identity(const struct tracee *tracee, uint64_t address)
{
	struct inferior *inferior = tracee->inferior;
	const struct region *region = find_region(inferior, address);

	if (!region) {
		find_new_region(inferior, tracee->tid, address);
		region = find_region(inferior, address);
	}
	return region ? region->high : 0;
}

uint64_t stack_regions_known(const struct inferior *inferior, uint64_t address)
{
	const struct region *region = find_region(inferior, address);

	return region ? region->high : 0;
}

/*
 * The C library keeps thread data at the end of a thread's stack, but not of the first one's: below
 * the end of that there is so much room that the kernel maps nothing else in (mmap_base()).
 */
uint64_t stack_regions_own(const struct tracee *tracee, const struct user_regs_struct *registers,
			   uint64_t *ret_low)
{
	const struct inferior *inferior = tracee->inferior;
	const uint64_t room = UINT64_C(128) << 20;
	const uint64_t stack = stack_regions_identity(tracee, registers->rsp);
	const uint64_t data = stack_regions_identity(tracee, registers->fs_base);
	const struct region *region;

	if (stack != data && tracee->tid == inferior->pid) {
		const uint64_t first = stack_regions_identity(tracee, inferior->stack_mark);

		*ret_low = first - room;
		return first ? room : 0;
	}
	region = data ? find_region(inferior, registers->fs_base) : NULL;
	*ret_low = region ? region->low : 0;
	return region ? registers->fs_base - region->low : 0;
}

uint64_t stack_regions_return_address(const struct tracee *tracee, uint64_t cfa)
{
	const struct target *target = &tracee->inferior->session->target;
	const uint64_t frame = (cfa + 7) & ~UINT64_C(7); /* of a block's function */
	uint64_t word;
	struct memory_read read = {.address = frame - 8, .to = &word, .size = sizeof(word)};

	target->ops->read(target->self, tracee->tid, &read, 1);
	return read.ok ? word : 0;
}
