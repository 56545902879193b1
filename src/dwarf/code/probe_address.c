/*
 * Chooses the probe address by the parameters' locations and the line table: a feature's location
 * is the one valid at that address.
 */
#include "probe_address.h"

#include <string.h>

#include "dwarf/location/die_location.h"
#include "dwarf/location/entry_hook.h"
#include "dwarf/location/frame_base.h"
#include "dwarf/file/line_table.h"
#include "spill.h"
#include "dwarf/type/type.h"

enum { PARAMETERS_MAX = 256, SLOTS_MAX = 32, CANDIDATES_MAX = 64, LIST_MAX = 4096 };

/* A function's parameters; those without any location do not count. */
struct parameters {
	/* With location lists, or where an argument points to. */
	Dwarf_Die lists[PARAMETERS_MAX];
	size_t n_lists;
	size_t n_in_slots;             /* filled by the prologue: slots of the frame, registers */
	struct spill slots[SLOTS_MAX]; /* slots at a known offset */
	size_t n_slots;
};

struct probe {
	const struct elf_file *image;
	struct insn_decoder *decoder;
	Dwarf_Die *die;
	const struct function *function;
	struct arena *arena; /* scratch */
};

/* Bytes of a slot to wait for; 0 if unknown. */
static size_t parameter_size(Dwarf_Die *die)
{
	const struct type type = type_of(die);
	uint64_t size;

	if (type.kind == TYPE_LONG_DOUBLE)
		return 10; /* the rest is padding */
	if (!type_byte_size(&type, &size) || size > SPILL_SIZE_MAX)
		return 0;
	return size;
}

/*
 * Note a parameter whose location is one expression. What the caller passed on the stack is at or
 * above the CFA; the function itself fills the slots below.
 */
static void expression_see(Dwarf_Die *die, Dwarf_Attribute *attribute,
			   const struct frame_base *frame, struct parameters *ret)
{
	int64_t offset;
	size_t n, size;
	Dwarf_Op *ops;

	if (dwarf_getlocation(attribute, &ops, &n) != 0 || n == 0)
		return;
	if (!frame_base_slot_offset(frame, &ops[0], &offset)) {
		ret->n_in_slots += location_is_own_register(&ops[0]) ||
				   ops[0].atom == DW_OP_fbreg ||
				   (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31);
		return;
	}
	if (offset >= 0)
		return;
	ret->n_in_slots++;
	size = n == 1 ? parameter_size(die)
		      : sizeof(uint64_t); /* with more operators, a pointer to it */
	if (size && ret->n_slots < SLOTS_MAX)
		ret->slots[ret->n_slots++] = (struct spill){.offset = offset, .size = size};
}

static bool is_by_argument(Dwarf_Attribute *attribute)
{
	Dwarf_Op *ops;
	size_t n;

	return dwarf_getlocation(attribute, &ops, &n) == 0 && n > 0 &&
	       location_is_by_argument(&ops[0]);
}

static void parameter_see(Dwarf_Die *die, const struct frame_base *frame, struct parameters *ret)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return;
	if (!location_is_list(&attribute) && !is_by_argument(&attribute))
		expression_see(die, &attribute, frame, ret);
	else if (ret->n_lists < PARAMETERS_MAX)
		ret->lists[ret->n_lists++] = *die;
}

static void parameters_see(Dwarf_Die *function, const struct frame_base *frame,
			   struct parameters *ret)
{
	Dwarf_Die child;

	for (bool more = die_first(function, &child); more; more = die_next(&child)) {
		if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack) {
			Dwarf_Die inner;

			for (bool go = die_first(&child, &inner); go; go = die_next(&inner))
				parameter_see(&inner, frame, ret);
		} else if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
			parameter_see(&child, frame, ret);
		}
	}
}

/* 2: the parameter can be read, 1: some pieces can be, 0: nothing. */
static unsigned location_score(const struct location *at)
{
	if (at->kind == LOCATION_ABSENT)
		return 0;
	for (size_t i = 0; at->kind == LOCATION_PIECES && i < at->n_pieces; i++)
		if (at->pieces[i].at.kind == LOCATION_ABSENT)
			return 1;
	return 2;
}

/* How much of the parameters can be read at @addr, with slots filled from @filled on. */
static unsigned score(const struct probe *probe, struct parameters *parameters, uint64_t addr,
		      uint64_t filled)
{
	unsigned sum = addr >= filled ? 2 * (unsigned)parameters->n_in_slots : 0;
	struct frame_base frame;
	const char *why;

	if (!frame_base_init(probe->image, probe->die, addr, probe->arena, &frame, &why))
		return 0;
	for (size_t i = 0; i < parameters->n_lists; i++) {
		struct location at;

		die_location(&parameters->lists[i], &frame, probe->arena, &at);
		sum += location_score(&at);
	}
	return sum;
}

/* Addresses at which something becomes readable, sorted. */
struct candidates {
	uint64_t addrs[CANDIDATES_MAX];
	size_t n;
};

static void candidate_add(struct candidates *candidates, uint64_t addr)
{
	size_t at = candidates->n;

	while (at > 0 && candidates->addrs[at - 1] > addr)
		at--;
	if ((at > 0 && candidates->addrs[at - 1] == addr) || candidates->n == CANDIDATES_MAX)
		return;
	memmove(&candidates->addrs[at + 1], &candidates->addrs[at],
		(candidates->n - at) * sizeof(addr));
	candidates->addrs[at] = addr;
	candidates->n++;
}

/* Add the starts of the ranges of the parameter's list, up to @end. */
static void list_add(Dwarf_Die *die, uint64_t entry, uint64_t end, struct candidates *ret)
{
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attribute;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return;
	for (int i = 0; i < LIST_MAX; i++) {
		at = dwarf_getlocations(&attribute, at, &base, &low, &high, &ops, &n);
		if (at <= 0)
			return;
		if (low > entry && low <= end)
			candidate_add(ret, low);
	}
}

/* The function's instructions from its entry on. */
struct code_walk {
	const struct probe *probe;
	const uint8_t *code; /* [size]; NULL: there is none */
	size_t size;
	uint64_t at; /* of the next one */
};

static struct code_walk code_walk_begin(const struct probe *probe)
{
	struct code_walk ret = {.probe = probe, .at = probe->function->entry_addr};

	ret.code = elf_file_code(probe->image, ret.at, &ret.size);
	return ret;
}

static bool code_walk_next(struct code_walk *walk, struct insn *ret)
{
	if (!insn_decode(walk->probe->decoder, walk->code, walk->size, walk->at, ret))
		return false;
	walk->code += ret->size;
	walk->size -= ret->size;
	walk->at += ret->size;
	return true;
}

/*
 * The first instruction at or after @addr: ranges may start within an instruction, breakpoints may
 * not.
 */
static uint64_t instruction_at(const struct probe *probe, uint64_t addr)
{
	struct code_walk walk = code_walk_begin(probe);
	struct insn insn;

	while (walk.code && walk.at < addr)
		if (!code_walk_next(&walk, &insn))
			return probe->function->entry_addr;
	return walk.at;
}

/*
 * The first address at which most is readable: before the first transfer, or where slots are
 * filled.
 */
static uint64_t most_readable(const struct probe *probe, struct parameters *parameters,
			      uint64_t filled)
{
	const uint64_t entry = probe->function->entry_addr;
	const unsigned all = 2 * (unsigned)(parameters->n_lists + parameters->n_in_slots);
	struct candidates candidates = {.n = 0};
	unsigned best_score = score(probe, parameters, entry, filled);
	uint64_t best = entry, end;

	if (best_score == all)
		return best;
	end = function_code_straight_end(probe->image, probe->decoder, probe->function,
					 entry_hook_end(probe->image, probe->die, entry));
	for (size_t i = 0; i < parameters->n_lists; i++)
		list_add(&parameters->lists[i], entry, end, &candidates);
	if (parameters->n_in_slots)
		candidate_add(&candidates, filled);
	for (size_t i = 0; i < candidates.n && best_score < all; i++) {
		const uint64_t addr = candidates.addrs[i] == filled
					      ? filled
					      : instruction_at(probe, candidates.addrs[i]);
		const unsigned found = score(probe, parameters, addr, filled);

		if ((addr > end && addr != filled) || found <= best_score)
			continue;
		best = addr;
		best_score = found;
	}
	return best;
}

/* The address after the prologue and the stores that fill the slots. */
static uint64_t slots_filled(const struct probe *probe)
{
	const uint64_t end = line_table_prologue_end(probe->die);
	struct parameters parameters = {.n_lists = 0};
	struct frame_base frame;
	const char *why;

	/* A frame base in a register is known in terms of the CFA only where it is set up. */
	if (!frame_base_init(probe->image, probe->die, end, probe->arena, &frame, &why))
		return end;
	parameters_see(probe->die, &frame, &parameters);
	return spill_end(probe->image, probe->decoder, probe->function, parameters.slots,
			 parameters.n_slots, end);
}

static uint64_t probe_choose(const struct probe *probe)
{
	const uint64_t entry = probe->function->entry_addr;
	struct parameters parameters = {.n_lists = 0};
	struct frame_base frame;
	const char *why;

	if (!frame_base_init(probe->image, probe->die, entry, probe->arena, &frame, &why))
		return entry;
	parameters_see(probe->die, &frame, &parameters);
	if (parameters.n_in_slots && !parameters.n_lists)
		return slots_filled(probe);
	return most_readable(probe, &parameters,
			     parameters.n_in_slots ? slots_filled(probe) : entry);
}

/*
 * Does every call pass @addr? Not if code before it jumps beyond it: the later parts of a coroutine
 * begin behind a jump that the line table has before the end of the prologue.
 */
static bool is_always_passed(const struct probe *probe, uint64_t addr)
{
	struct code_walk walk = code_walk_begin(probe);
	struct insn insn;

	while (walk.code && walk.at < addr && code_walk_next(&walk, &insn))
		if (insn.kind == INSN_JUMP_INDIRECT ||
		    ((insn.kind == INSN_JUMP || insn.kind == INSN_JUMP_IF) && insn.target > addr))
			return false;
	return true;
}

uint64_t probe_address(const struct elf_file *image, struct insn_decoder *decoder, Dwarf_Die *die,
		       const struct function *function)
{
	struct probe probe = {image, decoder, die, function, arena_create()};
	uint64_t addr;

	addr = probe_choose(&probe);
	if (!is_always_passed(&probe, addr))
		addr = function->entry_addr;
	arena_destroy(probe.arena);
	return addr;
}

static bool is_before_slots(const struct probe *probe)
{
	struct parameters parameters = {.n_lists = 0};
	struct frame_base frame;
	const char *why;

	if (!frame_base_init(probe->image, probe->die, probe->function->entry_addr, probe->arena,
			     &frame, &why))
		return false;
	parameters_see(probe->die, &frame, &parameters);
	return parameters.n_in_slots && probe->function->probe_addr < slots_filled(probe);
}

bool probe_address_before_slots(const struct elf_file *image, struct insn_decoder *decoder,
				Dwarf_Die *die, const struct function *function)
{
	struct probe probe = {image, decoder, die, function, arena_create()};
	bool before;

	before = is_before_slots(&probe);
	arena_destroy(probe.arena);
	return before;
}
