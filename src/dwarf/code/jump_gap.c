/* Looks for gaps within reach of a short jump. */
#include "jump_gap.h"

#include <limits.h>

#include "base/bisect.h"
#include "jump_run.h"

enum {
	REACH = 128,      /* of a short jump backwards, from its end; one less forwards */
	LENDER_MAX = 32,  /* bytes */
	LENDER_INSNS = 8, /* with the runs that it overlaps they still fit into a pad */
};

/* Which bytes of @insn are in [low, high): bit N is byte N. */
static unsigned bytes_in(const struct code_insn *insn, uint64_t low_addr, uint64_t high_addr)
{
	unsigned bits = 0;

	for (uint64_t i = low_addr > insn->addr ? low_addr - insn->addr : 0;
	     insn->addr + i < high_addr && i < insn->size; i++)
		bits |= 1U << i;
	return bits;
}

/* The first instruction that ends behind @addr. */
static size_t gap_first(const struct jump_sites *sites, uint64_t addr)
{
	return BISECT_FIRST(i, sites->n, sites->insns[i].addr + sites->insns[i].size <= addr);
}

static void gap_use(struct jump_sites *sites, uint64_t addr)
{
	for (size_t i = gap_first(sites, addr);
	     i < sites->n && sites->insns[i].addr < addr + JUMP_SIZE; i++)
		sites->insns[i].used |= bytes_in(&sites->insns[i], addr, addr + JUMP_SIZE);
}

/* Behind a return or jump there is only padding in a run. */
static void run_see(struct jump_sites *sites, uint64_t addr, size_t size, bool moved, bool kept)
{
	bool padding = false;

	for (size_t i = gap_first(sites, addr); i < sites->n && sites->insns[i].addr < addr + size;
	     i++) {
		struct code_insn *insn = &sites->insns[i];

		insn->moved |= moved;
		insn->kept |= kept;
		if (padding)
			insn->used = UINT16_MAX;
		padding |= insn->part == PART_LAST;
	}
}

static void lender_see(struct jump_sites *sites, const struct jump_site *site)
{
	const uint64_t end_addr = site->lender_addr + site->lender_size;

	for (size_t i = gap_first(sites, site->lender_addr);
	     i < sites->n && sites->insns[i].addr < end_addr; i++)
		sites->insns[i].lends = true;
}

void jump_gap_see(struct jump_sites *sites, uint64_t addr, const struct jump_site *site,
		  enum probe_fate fate)
{
	struct code_insn *insn = jump_sites_find(sites, addr);

	if (insn && fate == PROBE_INT3)
		insn->kept = true;
	if (site->size && fate != PROBE_INT3)
		run_see(sites, site->addr, site->size, fate == PROBE_PAD, false);
}

static bool is_free(const struct jump_sites *sites, uint64_t addr)
{
	for (size_t i = gap_first(sites, addr);
	     i < sites->n && sites->insns[i].addr < addr + JUMP_SIZE; i++)
		if (sites->insns[i].used & bytes_in(&sites->insns[i], addr, addr + JUMP_SIZE))
			return false;
	return true;
}

/* The first free gap in @place that begins in @reach; 0: none. */
static uint64_t free_in(const struct jump_sites *sites, const struct address_range *place,
			const struct address_range *reach)
{
	uint64_t addr = place->low_addr > reach->low_addr ? place->low_addr : reach->low_addr;

	for (; addr + JUMP_SIZE <= place->high_addr && addr < reach->high_addr; addr++)
		if (is_free(sites, addr))
			return addr;
	return 0;
}

/* Where gaps may begin for a short jump at @addr. */
static struct address_range reach_from(uint64_t addr)
{
	const uint64_t end = addr + SHORT_JUMP_SIZE;

	return (struct address_range){end - REACH, end + REACH};
}

static bool in_padding(const struct jump_sites *sites, struct jump_site *site)
{
	const struct address_range reach = reach_from(site->addr);

	for (size_t i = gap_first(sites, reach.low_addr - REACH);
	     i < sites->n && sites->insns[i].addr < reach.high_addr; i++) {
		const struct code_insn *insn = &sites->insns[i];
		struct address_range padding = {.low_addr = insn->addr + insn->size};
		const struct code_insn *last;

		if (insn->part != PART_LAST)
			continue;
		last = &sites->insns[jump_run_padding(sites, i)];
		padding.high_addr = last->addr + last->size;
		site->gap_addr = free_in(sites, &padding, &reach);
		if (site->gap_addr)
			return true;
	}
	return false;
}

static bool can_lend(const struct code_insn *insn)
{
	return (insn->part == PART_PLAIN || insn->part == PART_NOP) && !insn->split && !insn->kept;
}

/* The end of what can be lent from instruction @first on; at most the longest lender. */
static uint64_t lendable_end(const struct jump_sites *sites, size_t first)
{
	const struct code_insn *insns = sites->insns;
	size_t i;

	for (i = first; i < sites->n && i - first < LENDER_INSNS; i++) {
		if (!can_lend(&insns[i]) ||
		    insns[i].addr + insns[i].size > insns[first].addr + LENDER_MAX)
			break;
		if (i > first && (insns[i].entered || !jump_run_follows(sites, i - 1)))
			break;
	}
	return i > first ? insns[i - 1].addr + insns[i - 1].size : insns[first].addr;
}

/* How many bytes of a run are moved for its gap alone; and then, how long it is. */
static unsigned lender_cost(const struct jump_sites *sites, size_t first, size_t size)
{
	enum { WEIGHT = 256 };
	unsigned cost = size;

	for (size_t i = first;
	     i < sites->n && sites->insns[i].addr < sites->insns[first].addr + size; i++)
		cost += sites->insns[i].moved ? 0 : sites->insns[i].size * WEIGHT;
	return cost;
}

/* The cheapest one; of those of equal cost the first. */
static bool in_lender(const struct jump_sites *sites, struct jump_site *site)
{
	const struct address_range reach = reach_from(site->addr);
	unsigned best = UINT_MAX;

	for (size_t i = gap_first(sites, reach.low_addr - LENDER_MAX);
	     i < sites->n && sites->insns[i].addr < reach.high_addr; i++) {
		const uint64_t addr = sites->insns[i].addr;
		const struct address_range rest = {addr + JUMP_SIZE, lendable_end(sites, i)};
		const uint64_t gap_addr = free_in(sites, &rest, &reach);
		const struct code_insn *last;
		unsigned cost;

		if (!gap_addr)
			continue;
		last = jump_sites_find(sites, gap_addr + JUMP_SIZE - 1);
		cost = lender_cost(sites, i, last->addr + last->size - addr);
		if (cost >= best)
			continue;
		best = cost;
		site->gap_addr = gap_addr;
		site->lender_addr = addr;
		site->lender_size = last->addr + last->size - addr;
	}
	return site->gap_addr;
}

void jump_gap_find(struct jump_sites *sites, uint64_t addr, struct jump_site *site)
{
	struct jump_site found;

	if (site->size)
		return;
	found = jump_run_at(sites, addr, SHORT_JUMP_SIZE);
	if (!found.size)
		return;
	run_see(sites, found.addr, found.size, true, true);
	if (!in_padding(sites, &found) && !in_lender(sites, &found))
		return;
	gap_use(sites, found.gap_addr);
	run_see(sites, found.lender_addr, found.lender_size, true, false);
	lender_see(sites, &found);
	*site = found;
}
