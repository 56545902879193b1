/* Chooses runs in a function's instructions, where nothing jumps into their middle. */
#include "jump_insn.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"

enum {
	TABLE_MAX = 65536,     /* entries of a table */
	FOREIGN_MAX = 4096,    /* that in turn lead elsewhere, without debug information */
	SHORT_REACH = 2 + 128, /* of a short jump, and its own size */
	BEFORE_MAX = 4096,     /* bytes to decode of what lies before a function */
};

const char jump_sites_why_targets[] = "the jumps of the function are not all understood";

static bool is_endbr(const struct insn *insn)
{
	return insn->size == 4 && insn->bytes[0] == 0xf3 && insn->bytes[1] == 0x0f &&
	       insn->bytes[2] == 0x1e && insn->bytes[3] == 0xfa;
}

static enum code_part part_of(const struct insn *insn)
{
	/* A signal may come in its middle, and no handler may begin inside of a pad. */
	if (insn_repeats(insn))
		return PART_STAYS;
	switch (insn->kind) {
	case INSN_PLAIN:
	case INSN_JUMP_IF:
	case INSN_LOOP:
		return PART_PLAIN;
	case INSN_NOP:
		return is_endbr(insn) ? PART_ENDBR : PART_NOP;
	case INSN_RETURN:
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT:
		return PART_LAST;
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		return PART_CALL;
	case INSN_TRAP:
		return insn->bytes[0] == 0xcc ? PART_INT3 : PART_STAYS;
	case INSN_UNMOVABLE:
		break;
	}
	return PART_STAYS;
}

static void insn_add(struct jump_sites *sites, const struct code_insn *insn)
{
	sites->insns =
		mem_grow(sites->insns, &sites->capacity, sites->n + 1, sizeof(*sites->insns));
	sites->insns[sites->n++] = *insn;
}

static void address_add(uint64_t **list, size_t *n, size_t *capacity, uint64_t addr)
{
	*list = mem_grow(*list, capacity, *n + 1, sizeof(**list));
	(*list)[(*n)++] = addr;
}

static void jump_add(struct jump_sites *sites, const struct insn *insn)
{
	if (insn->kind != INSN_JUMP && insn->kind != INSN_JUMP_IF && insn->kind != INSN_LOOP)
		return;
	sites->jumps = mem_grow(sites->jumps, &sites->jumps_capacity, sites->n_jumps + 1,
				sizeof(*sites->jumps));
	sites->jumps[sites->n_jumps++] = (struct code_jump){insn->address, insn->target};
}

void jump_sites_see(struct jump_sites *sites, const struct insn *insn)
{
	const struct code_insn ours = {
		.addr = insn->address, .size = insn->size, .part = part_of(insn)};

	insn_add(sites, &ours);
	jump_add(sites, insn);
	sites->added &= ~insn->writes;
	if (insn->arithmetic == INSN_ADD)
		sites->added |= UINT64_C(1) << insn->to;
	if (insn->arithmetic == INSN_ADDRESS)
		address_add(&sites->places, &sites->n_places, &sites->places_capacity,
			    insn->number);
}

void jump_sites_table(struct jump_sites *sites, const struct insn *jump)
{
	sites->leaves |= jump->operand.memory;
	sites->has_offsets |= !jump->operand.memory;
}

void jump_sites_exit(struct jump_sites *sites, const struct insn *jump)
{
	const int reg = jump->operand.base;

	sites->leaves = true;
	if (!jump->operand.memory && (reg < 0 || sites->added >> reg & 1))
		sites->why = jump_sites_why_targets;
}

void jump_sites_undecoded(struct jump_sites *sites)
{
	sites->why = "bytes of the function are no instructions";
}

void jump_sites_padding(struct jump_sites *sites, const struct code_source *code,
			const struct function *function, uint64_t high_addr)
{
	uint64_t addr = high_addr;
	struct insn insn;
	size_t size = 0;

	while (addr < high_addr + CODE_ALIGNED || addr % CODE_ALIGNED) {
		const uint8_t *bytes = elf_file_code(code->image, addr, &size);
		struct code_insn ours = {.addr = addr, .part = PART_STAYS, .entered = true};

		if (!bytes || jump_targets_has(code->targets, addr) ||
		    catalogue_contains(function, addr)) {
			insn_add(sites, &ours);
			return;
		}
		if (!insn_decode(code->decoder, bytes, size, addr, &insn))
			return;
		ours = (struct code_insn){.addr = addr, .size = insn.size, .part = part_of(&insn)};
		if (ours.part != PART_NOP && ours.part != PART_INT3)
			return;
		insn_add(sites, &ours);
		addr += insn.size;
	}
}

struct code_insn *jump_sites_find(const struct jump_sites *sites, uint64_t addr)
{
	const size_t low = BISECT_FIRST(i, sites->n, sites->insns[i].addr <= addr);

	if (!low || addr - sites->insns[low - 1].addr >= sites->insns[low - 1].size)
		return NULL;
	return &sites->insns[low - 1];
}

static void jump_mark(const struct jump_sites *sites, uint64_t addr)
{
	struct code_insn *insn = jump_sites_find(sites, addr);

	if (insn && insn->addr == addr)
		insn->entered = true;
	else if (insn)
		insn->split = true;
}

/* In hand-written code, jumps lead to functions nearby. */
static void nearby_decode(struct jump_sites *sites, const struct code_source *code, uint64_t from,
			  uint64_t to)
{
	size_t size = 0;
	const uint8_t *bytes = elf_file_code(code->image, from, &size);
	struct insn insn;

	while (bytes && from < to) {
		if (insn_decode(code->decoder, bytes, size, from, &insn))
			jump_add(sites, &insn);
		else
			insn.size = 1;
		if (insn.size >= size)
			return;
		bytes += insn.size;
		size -= insn.size;
		from += insn.size;
	}
}

static void nearby_see(struct jump_sites *sites, const struct code_source *code,
		       const struct address_range *range)
{
	const struct elf_symbol *symbols = code->image->symbols;
	size_t before = code->image->n_symbols;

	while (before > 0 && symbols[before - 1].addr + SHORT_REACH > range->low_addr)
		before--;
	if (before > 0 && range->low_addr - symbols[before - 1].addr <= BEFORE_MAX)
		nearby_decode(sites, code, symbols[before - 1].addr, range->low_addr);
	nearby_decode(sites, code, range->high_addr, range->high_addr + SHORT_REACH);
}

/* Is @addr in the function, or where a case that cannot happen leads: directly behind it? */
static bool is_own(const struct function *function, uint64_t addr)
{
	return catalogue_contains(function, addr) || catalogue_contains(function, addr - 1);
}

/*
 * Mark the targets of a table of 4-byte offsets from @base_addr, if there is one at @addr. The end
 * is not known: what follows may be another table, so a target within an instruction is none. Code
 * without debug information may have parts elsewhere.
 */
static bool table_mark(const struct jump_sites *sites, const struct code_source *code,
		       const struct function *function, uint64_t addr, uint64_t base_addr)
{
	size_t size = 0, foreign = 0, room;
	const uint8_t *bytes = elf_file_data(code->image, addr, &size);
	bool found = false;

	for (size_t i = 0; bytes && i < TABLE_MAX && 4 * i + 4 <= size; i++) {
		int32_t offset;
		struct code_insn *insn;

		memcpy(&offset, bytes + 4 * i, sizeof(offset));
		insn = jump_sites_find(sites, base_addr + offset);
		if (insn && insn->addr == base_addr + offset)
			insn->foreign = found = true;
		if (is_own(function, base_addr + offset))
			continue;
		if (!code->by_hand || foreign++ == FOREIGN_MAX ||
		    !elf_file_code(code->image, base_addr + offset, &room))
			break;
	}
	return found;
}

static bool is_label(const struct jump_sites *sites, const struct function *function, uint64_t addr)
{
	return addr != function->entry_addr && jump_sites_find(sites, addr);
}

/* Any address that the function computes may be that of a table, or of what offsets count from. */
static void tables_mark(struct jump_sites *sites, const struct code_source *code,
			const struct function *function)
{
	bool found = false, labels = false;

	for (size_t i = 0; i < sites->n_places; i++) {
		const uint64_t addr = sites->places[i];

		if (is_label(sites, function, addr)) {
			labels = true;
			continue;
		}
		found |= table_mark(sites, code, function, addr, addr);
	}
	if ((sites->has_offsets && !found) || (sites->leaves && labels))
		sites->why = jump_sites_why_targets;
}

void jump_sites_finish(struct jump_sites *sites, const struct code_source *code,
		       const struct function *function)
{
	if (!sites->why)
		sites->why = jump_targets_unknown(code->targets);
	if (sites->why)
		return;
	for (size_t i = 0; code->by_hand && i < function->n_ranges; i++)
		nearby_see(sites, code, &function->ranges[i]);
	for (size_t i = 0; i < sites->n_jumps; i++)
		jump_mark(sites, sites->jumps[i].target_addr);
	for (size_t i = 0; i < sites->n; i++)
		sites->insns[i].foreign = jump_targets_has(code->targets, sites->insns[i].addr);
	if (sites->has_offsets || sites->leaves)
		tables_mark(sites, code, function);
	for (size_t i = 0; i < sites->n; i++)
		sites->insns[i].entered |= sites->insns[i].foreign;
}

void jump_sites_deinit(struct jump_sites *sites)
{
	free(sites->insns);
	free(sites->jumps);
	free(sites->places);
	*sites = (struct jump_sites){0};
}
