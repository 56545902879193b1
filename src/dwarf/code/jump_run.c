/* Chooses the shortest run for a probe, into whose middle nothing jumps. */
#include "jump_run.h"

#include <limits.h>

enum {
	REACH_BACK = 8,    /* bytes before a probed instruction */
	CLOSED_INSNS = 24, /* with the runs that it overlaps they still fit into a pad */
	CLOSED_MAX = 128,  /* bytes: jumps over more are foreign */
};

static const char why_entered[] = "a jump may lead between the instructions around it";
static const char why_call[] = "a call is in the way";
static const char why_stays[] = "an instruction that cannot be moved is in the way";
static const char why_short[] = "too few bytes belong together with it";
static const char why_endbr[] = "a jump leads behind its endbr64";

bool jump_run_follows(const struct jump_sites *sites, size_t i)
{
	return i + 1 < sites->n &&
	       sites->insns[i + 1].addr == sites->insns[i].addr + sites->insns[i].size;
}

/* Why @insn cannot be in a run; NULL: it can. */
static const char *why_not_moved(const struct code_insn *insn)
{
	if (insn->split)
		return why_entered;
	switch ((enum code_part)insn->part) {
	case PART_PLAIN:
	case PART_NOP:
	case PART_LAST:
	case PART_CALL:
		return NULL;
	case PART_INT3:
	case PART_STAYS:
	case PART_ENDBR:
		break;
	}
	return why_stays;
}

/* Why the instruction behind @i cannot be in its run. */
static const char *why_not_next(const struct jump_sites *sites, size_t i)
{
	const struct code_insn *next = &sites->insns[i + 1];

	if (sites->insns[i].part == PART_CALL)
		return why_call;
	if (sites->insns[i].part == PART_LAST || !jump_run_follows(sites, i))
		return why_short;
	return next->entered ? why_entered : why_not_moved(next);
}

size_t jump_run_padding(const struct jump_sites *sites, size_t i)
{
	const size_t behind = i;
	uint64_t end_addr = sites->insns[i].addr + sites->insns[i].size;

	for (; jump_run_follows(sites, i) && !sites->insns[i + 1].entered; i++) {
		const struct code_insn *next = &sites->insns[i + 1];

		if ((next->part != PART_NOP && next->part != PART_INT3) || next->split)
			break;
		end_addr += next->size;
	}
	if (end_addr % CODE_ALIGNED &&
	    (!jump_run_follows(sites, i) || !sites->insns[i + 1].entered))
		return behind;
	return i;
}

/*
 * The size of a run that ends in padding behind instruction @i, which is never run on from; @size:
 * of the run up to there. 0: there is too little of it, or it may be something else.
 */
static size_t padded_size(const struct jump_sites *sites, size_t i, size_t size, size_t wanted)
{
	const size_t last = jump_run_padding(sites, i);
	size_t padded = size;

	while (i < last && padded < wanted)
		padded += sites->insns[++i].size;
	return padded < wanted ? 0 : padded;
}

/* The run from instruction @first on that has @probed, which belongs to it. */
static struct jump_site run_from(const struct jump_sites *sites, size_t first, size_t probed,
				 size_t wanted)
{
	const struct code_insn *insns = sites->insns;
	size_t size = insns[probed].addr + insns[probed].size - insns[first].addr;
	const char *why = NULL;
	size_t i = probed;

	for (; size < wanted && !why; i++) {
		why = why_not_next(sites, i);
		if (why && insns[i].part == PART_LAST)
			size = padded_size(sites, i, size, wanted);
		else if (!why)
			size += insns[i + 1].size;
		if (why && size >= wanted)
			why = NULL;
	}
	return why ? (struct jump_site){.why = why}
		   : (struct jump_site){.addr = insns[first].addr, .size = size};
}

/*
 * What a run is judged by: its size, but a call in a pad makes the processor guess wrong where it
 * returns to.
 */
static unsigned run_cost(const struct jump_sites *sites, const struct jump_site *site)
{
	enum { CALL_COST = 256 };
	const struct code_insn *last = jump_sites_find(sites, site->addr + site->size - 1);

	if (!site->size)
		return UINT_MAX;
	return site->size + (last->part == PART_CALL ? CALL_COST : 0);
}

/* Later beginnings are preferred among runs of the same size. */
static struct jump_site shortest_run(const struct jump_sites *sites, size_t probed, size_t wanted)
{
	const struct code_insn *insn = &sites->insns[probed];
	struct jump_site best = {.why = why_not_moved(insn)};

	if (best.why)
		return best;
	best = run_from(sites, probed, probed, wanted);
	for (size_t first = probed; first > 0 && insn->addr - sites->insns[first].addr < REACH_BACK;
	     first--) {
		struct jump_site site = {.why = why_not_next(sites, first - 1)};

		if (!site.why)
			site.why = why_not_moved(&sites->insns[first - 1]);
		if (site.why) {
			if (!best.size && insn->part == PART_LAST &&
			    jump_run_follows(sites, first - 1))
				best.why = site.why;
			break;
		}
		site = run_from(sites, first - 1, probed, wanted);
		if (run_cost(sites, &site) < run_cost(sites, &best))
			best = site;
	}
	return best;
}

struct jump_site jump_run_at(const struct jump_sites *sites, uint64_t addr, size_t wanted)
{
	const struct code_insn *insn = jump_sites_find(sites, addr);
	size_t probed;

	if (sites->why || !insn || insn->addr != addr)
		return (struct jump_site){.why = sites->why ? sites->why : jump_sites_why_targets};
	probed = insn - sites->insns;
	if (insn->part == PART_ENDBR && jump_run_follows(sites, probed)) {
		if (sites->insns[++probed].entered)
			return (struct jump_site){.why = why_endbr};
	}
	return shortest_run(sites, probed, wanted);
}

/* Instructions [first, last]. */
struct stretch {
	size_t first, last;
};

static uint64_t stretch_end(const struct jump_sites *sites, struct stretch stretch)
{
	return sites->insns[stretch.last].addr + sites->insns[stretch.last].size;
}

/* Does @addr lie in it, and not at its beginning? */
static bool is_inner(const struct jump_sites *sites, struct stretch stretch, uint64_t addr)
{
	return addr > sites->insns[stretch.first].addr && addr < stretch_end(sites, stretch);
}

/* Together with @addr, an instruction's; false: there is none. */
static bool reach_to(const struct jump_sites *sites, struct stretch *stretch, uint64_t addr)
{
	const struct code_insn *insn = jump_sites_find(sites, addr);
	const size_t i = insn ? (size_t)(insn - sites->insns) : 0;

	if (!insn)
		return false;
	if (i < stretch->first)
		stretch->first = i;
	if (i > stretch->last)
		stretch->last = i;
	return true;
}

/* Make it larger by what jumps into it. False: that is not possible. */
static bool take_jumps_in(const struct jump_sites *sites, struct stretch *stretch)
{
	for (size_t i = 0; i < sites->n_jumps; i++) {
		const struct code_jump *jump = &sites->jumps[i];
		const uint64_t addr = sites->insns[stretch->first].addr;

		if (!is_inner(sites, *stretch, jump->target_addr))
			continue;
		if (!reach_to(sites, stretch, jump->addr))
			return false;
		if (jump->target_addr > addr && jump->target_addr - addr < JUMP_SIZE &&
		    stretch->first-- == 0)
			return false;
	}
	return true;
}

/* May all of it be moved, but for jumps to the first, and be entered from nowhere else? */
static bool is_closed(const struct jump_sites *sites, struct stretch stretch)
{
	for (size_t i = stretch.first; i <= stretch.last; i++) {
		const struct code_insn *insn = &sites->insns[i];

		if (why_not_moved(insn) || insn->lends || insn->used ||
		    (i > stretch.first && insn->foreign) ||
		    (i < stretch.last && (insn->part == PART_CALL || !jump_run_follows(sites, i))))
			return false;
	}
	return true;
}

void jump_run_closed(const struct jump_sites *sites, uint64_t addr, struct jump_site *site)
{
	const struct code_insn *insn = jump_sites_find(sites, addr);
	struct stretch now, before;

	if (site->size || sites->why || !insn || insn->addr != addr)
		return;
	now = (struct stretch){insn - sites->insns, insn - sites->insns};
	do {
		before = now;
		if (stretch_end(sites, now) - sites->insns[now.first].addr < JUMP_SIZE &&
		    now.first-- == 0)
			return;
		if (!take_jumps_in(sites, &now) || now.last - now.first >= CLOSED_INSNS)
			return;
	} while (now.first != before.first || now.last != before.last);
	if (stretch_end(sites, now) - sites->insns[now.first].addr <= CLOSED_MAX &&
	    is_closed(sites, now))
		*site = (struct jump_site){.addr = sites->insns[now.first].addr,
					   .size = stretch_end(sites, now) -
						   sites->insns[now.first].addr,
					   .closed = true};
}
