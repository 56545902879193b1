/* Follows a prologue's stores to slots. core/catalogue/insn.c decodes them. */
#include "spill.h"

#include <string.h>

#include "dwarf/location/frame_base.h"

enum { INSNS_MAX = 256 };

/* The store's offset from the CFA. False: the CFA is unknown in terms of the store's register. */
static bool store_offset(const struct elf_file *image, const struct insn *insn,
			 struct arena *scratch, int64_t *ret)
{
	struct frame_base frame;
	const char *why;
	int64_t offset;
	unsigned reg;

	if (!frame_base_cfa(image, insn->address, scratch, &frame, &why) ||
	    !frame_base_register_offset(&frame.cfa.steps, &reg, &offset) ||
	    (int)reg != insn->store.base)
		return false;
	*ret = insn->store.displacement - offset;
	return true;
}

/* Mark the stored bytes; true if this fills the slot. */
static bool spill_see(struct spill *spill, int64_t offset, size_t size)
{
	bool changed = false;

	for (size_t i = 0; i < spill->size; i++) {
		const int64_t at = spill->offset + (int64_t)i;
		const uint8_t bit = 1 << i % 8;

		if (at >= offset && at < offset + (int64_t)size && (spill->missing[i / 8] & bit)) {
			spill->missing[i / 8] &= ~bit;
			changed = true;
		}
	}
	for (size_t i = 0; i < sizeof(spill->missing); i++)
		changed &= !spill->missing[i];
	return changed;
}

static void spill_init(struct spill *spill)
{
	memset(spill->missing, 0, sizeof(spill->missing));
	for (size_t i = 0; i < spill->size; i++)
		spill->missing[i / 8] |= 1 << i % 8;
}

static bool falls_through(const struct insn *insn)
{
	return insn->kind == INSN_PLAIN || insn->kind == INSN_NOP || insn->kind == INSN_CALL ||
	       insn->kind == INSN_CALL_INDIRECT;
}

uint64_t spill_end(const struct elf_file *image, struct insn_decoder *decoder,
		   const struct function *function, struct spill *spills, size_t n, uint64_t from)
{
	struct arena *scratch = arena_create();
	uint64_t addr = function->entry_addr, end = from;
	size_t size = 0, open = n;
	const uint8_t *code = elf_file_code(image, addr, &size);

	for (size_t i = 0; i < n; i++)
		spill_init(&spills[i]);
	for (int k = 0; k < INSNS_MAX && open && code && catalogue_contains(function, addr); k++) {
		struct insn insn;
		int64_t offset;

		if (!insn_decode(decoder, code, size, addr, &insn) || !falls_through(&insn))
			break;
		code += insn.size;
		size -= insn.size;
		addr += insn.size;
		if (!insn.store.size || !store_offset(image, &insn, scratch, &offset))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (!spill_see(&spills[i], offset, insn.store.size))
				continue;
			open--;
			if (addr > end)
				end = addr;
		}
	}
	arena_destroy(scratch);
	return end;
}
