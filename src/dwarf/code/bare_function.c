/* What compilers put elsewhere, as unlikely to be executed, is a part: gcc's *.cold. */
#include "bare_function.h"

#include "base/arena.h"
#include "base/bisect.h"
#include "core/catalogue/insn.h"
#include "dwarf/file/die.h"
#include "dwarf/location/exception_table.h"
#include "dwarf/location/frame_base.h"

enum { BARE_PARTS_MAX = 8, STUB_INSNS_MAX = 4, DWARF_RSP = 7 };

struct bare_parts {
	const struct elf_file *image;
	struct insn_decoder *decoder;
	const struct address_range *all; /* of the file */
	uint8_t *judged; /* of each: how many parts there were when it was found to be none */
	size_t n_all;
	struct address_range list[BARE_PARTS_MAX];
	size_t n;
};

static bool bare_parts_have(const struct bare_parts *parts, uint64_t addr)
{
	for (size_t i = 0; i < parts->n; i++)
		if (addr - parts->list[i].low_addr <
		    parts->list[i].high_addr - parts->list[i].low_addr)
			return true;
	return false;
}

/* Is only the return address on the stack, as where a call enters? */
static bool is_frameless(const struct bare_parts *parts, uint64_t addr)
{
	struct arena *scratch = arena_create();
	struct frame_base frame;
	const char *why;
	unsigned reg;
	int64_t offset;
	const bool found = frame_base_cfa(parts->image, addr, scratch, &frame, &why) &&
			   frame_base_register_offset(&frame.cfa.steps, &reg, &offset) &&
			   reg == DWARF_RSP && offset == 8;

	arena_destroy(scratch);
	return found;
}

/* The linker's stubs for functions of other modules lie in one entry of .eh_frame. */
static bool is_linkage_stub(const struct bare_parts *parts, uint64_t addr)
{
	struct insn insn;
	size_t size = 0;
	const uint8_t *code = elf_file_code(parts->image, addr, &size);

	for (int i = 0; code && i < STUB_INSNS_MAX; i++) {
		if (!insn_decode(parts->decoder, code, size, addr, &insn))
			return false;
		if (insn.kind != INSN_NOP)
			return insn.kind == INSN_JUMP_INDIRECT && insn.operand.memory;
		code += insn.size;
		size -= insn.size;
		addr += insn.size;
	}
	return false;
}

typedef bool jump_visitor(struct bare_parts *parts, uint64_t target);

/* Until @visit is true of the target of a jump. False: of none. */
static bool each_jump(struct bare_parts *parts, struct address_range range, jump_visitor *visit)
{
	uint64_t addr = range.low_addr;
	size_t size = 0;
	const uint8_t *code = elf_file_code(parts->image, addr, &size);

	while (code && size && addr < range.high_addr) {
		struct insn insn;
		size_t step = 1;

		if (insn_decode(parts->decoder, code, size, addr, &insn)) {
			if ((insn.kind == INSN_JUMP || insn.kind == INSN_JUMP_IF) &&
			    visit(parts, insn.target))
				return true;
			step = insn.size;
		}
		addr += step;
		code += step;
		size -= step;
	}
	return false;
}

static bool is_within_part(struct bare_parts *parts, uint64_t target)
{
	for (size_t i = 0; i < parts->n; i++)
		if (target > parts->list[i].low_addr && target < parts->list[i].high_addr)
			return true;
	return false;
}

/* The one with @addr, or the number of all. */
static size_t part_find(const struct bare_parts *parts, uint64_t addr)
{
	const size_t i = BISECT_FIRST(k, parts->n_all, parts->all[k].high_addr <= addr);

	return i < parts->n_all && parts->all[i].low_addr <= addr ? i : parts->n_all;
}

/* What .eh_frame says may be no code. */
static bool part_around(const struct bare_parts *parts, uint64_t addr, struct address_range *ret)
{
	const size_t i = part_find(parts, addr);

	if (i == parts->n_all)
		return false;
	*ret = parts->all[i];
	return die_range_clamp(parts->image, ret);
}

/* Tail calls lead to where a function is entered; all other jumps stay in one. */
static bool is_part(struct bare_parts *parts, struct address_range range, uint64_t target)
{
	return range.low_addr != target || !is_frameless(parts, target) ||
	       each_jump(parts, range, is_within_part);
}

/* Many jumps may lead to one function: it is looked at again when there are more parts alone. */
static bool jump_follow(struct bare_parts *parts, uint64_t target)
{
	struct address_range range;
	uint8_t *judged;

	if (parts->n == BARE_PARTS_MAX || bare_parts_have(parts, target) ||
	    is_linkage_stub(parts, target) || !part_around(parts, target, &range))
		return false;
	judged = &parts->judged[part_find(parts, target)];
	if (range.low_addr == target && *judged == parts->n)
		return false;
	if (is_part(parts, range, target))
		parts->list[parts->n++] = range;
	else
		*judged = (uint8_t)parts->n;
	return false;
}

static uint64_t bare_entry(const struct bare_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		if (is_frameless(parts, parts->list[i].low_addr))
			return parts->list[i].low_addr;
	return parts->list[0].low_addr;
}

static bool bare_parts_find(struct bare_parts *parts, uint64_t addr)
{
	struct err err;

	if (!part_around(parts, addr, &parts->list[0]) ||
	    !insn_decoder_create(&parts->decoder, &err))
		return false;
	parts->n = 1;
	for (size_t i = 0; i < parts->n; i++)
		each_jump(parts, parts->list[i], jump_follow);
	insn_decoder_destroy(parts->decoder);
	return true;
}

bool bare_function_find(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct function *ret)
{
	struct arena *scratch = arena_create();
	struct bare_parts parts = {.image = image};
	bool found;

	parts.n_all = exception_table_parts(image, scratch, &parts.all);
	parts.judged = arena_array(scratch, uint8_t, parts.n_all);
	found = bare_parts_find(&parts, addr);
	arena_destroy(scratch);
	if (!found)
		return false;
	ret->entry_addr = bare_entry(&parts);
	parts.n = die_ranges_merge(parts.list, parts.n);
	ret->ranges = arena_copy(arena, parts.list, parts.n * sizeof(*parts.list));
	ret->n_ranges = parts.n;
	return true;
}
