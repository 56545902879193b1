/* Choosing the probe address from the parameters' locations and the line table. */
#include "dwarf/probe.h"

#include <string.h>

#include "dwarf/frame.h"
#include "dwarf/lines.h"
#include "dwarf/spill.h"

enum { PARAMETERS_MAX = 256, SLOTS_MAX = 32, ROWS_MAX = 64 };

/* What is known of a function's parameters; those without any location do not count. */
struct parameters {
	Dwarf_Attribute lists[PARAMETERS_MAX]; /* location lists */
	size_t n_lists;
	bool in_slots; /* some are in slots of the frame, which the prologue fills */
	struct spill slots[SLOTS_MAX]; /* those at a known offset */
	size_t n_slots;
};

/* How many bytes of a slot to wait for; 0 if that is not known. */
static size_t parameter_size(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	Dwarf_Word size;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &type) || dwarf_aggregate_size(&type, &size) != 0)
		return 0;
	return size <= SPILL_SIZE_MAX ? size : 0;
}

/* The offset of the frame base from the CFA. False: they are not based on the same register. */
static bool base_offset(const struct frame *frame, int64_t *ret)
{
	int64_t base, cfa;
	unsigned base_reg, cfa_reg;

	if (frame->base.kind != LOCATION_VALUE ||
	    !frame_register_offset(&frame->base.steps, &base_reg, &base) ||
	    !frame_register_offset(&frame->cfa.steps, &cfa_reg, &cfa) || base_reg != cfa_reg)
		return false;
	*ret = base - cfa;
	return true;
}

/*
 * See to a parameter whose location is one expression. What the caller put on the stack is at the
 * CFA or above it; a slot below is filled by the function itself.
 */
static void expression_see(Dwarf_Die *die, Dwarf_Attribute *attribute, const struct frame *frame,
			   struct parameters *ret)
{
	int64_t offset;
	size_t n, size;
	Dwarf_Op *ops;

	if (dwarf_getlocation(attribute, &ops, &n) != 0 || n == 0)
		return;
	if (ops[0].atom != DW_OP_fbreg || !base_offset(frame, &offset)) {
		ret->in_slots |= ops[0].atom == DW_OP_fbreg ||
				 (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31);
		return;
	}
	offset = (int64_t)(ops[0].number + (uint64_t)offset);
	if (offset >= 0)
		return;
	ret->in_slots = true;
	size = n == 1 ? parameter_size(die)
		      : sizeof(uint64_t); /* more operators: a pointer to it */
	if (size && ret->n_slots < SLOTS_MAX)
		ret->slots[ret->n_slots++] = (struct spill){.offset = offset, .size = size};
}

static void parameter_see(Dwarf_Die *die, const struct frame *frame, struct parameters *ret)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return;
	if (!location_is_list(&attribute))
		expression_see(die, &attribute, frame, ret);
	else if (ret->n_lists < PARAMETERS_MAX)
		ret->lists[ret->n_lists++] = attribute;
}

static void parameters_see(Dwarf_Die *function, const struct frame *frame, struct parameters *ret)
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

static size_t valid_lists(struct parameters *parameters, uint64_t addr)
{
	size_t valid = 0;

	for (size_t i = 0; i < parameters->n_lists; i++) {
		Dwarf_Op *ops;
		size_t n;

		if (dwarf_getlocation_addr(&parameters->lists[i], addr, &ops, &n, 1) > 0 && n > 0)
			valid++;
	}
	return valid;
}

/* The first address at which most lists are valid, up to @end. */
static uint64_t most_valid(Dwarf_Die *die, const struct function *function,
			   struct parameters *parameters, uint64_t end)
{
	uint64_t best = function->entry_addr;
	size_t best_valid = valid_lists(parameters, best);
	struct lines lines;
	Dwarf_Addr addr;
	bool marked;

	if (best_valid == parameters->n_lists || !lines_open(die, &lines))
		return best;
	for (int i = 0; i < ROWS_MAX && lines_next(&lines, &addr, &marked) && addr <= end; i++) {
		const size_t valid = valid_lists(parameters, addr);

		if (valid > best_valid) {
			best = addr;
			best_valid = valid;
		}
	}
	return best;
}

/* Behind the prologue, and behind the stores that fill the slots. */
static uint64_t slots_filled(const struct image *image, struct insn_decoder *decoder,
			     Dwarf_Die *die, const struct function *function, struct arena *arena)
{
	const uint64_t end = lines_prologue_end(die);
	struct parameters parameters = {.n_lists = 0};
	struct frame frame;
	const char *why;

	/* A frame base that is a register is only known in terms of the CFA where it is set up. */
	if (!frame_init(image, die, end, arena, &frame, &why))
		return end;
	parameters_see(die, &frame, &parameters);
	return spill_end(image, decoder, function, parameters.slots, parameters.n_slots, end);
}

uint64_t probe_address(const struct image *image, struct insn_decoder *decoder, Dwarf_Die *die,
		       const struct function *function, struct arena *arena)
{
	struct parameters parameters = {.n_lists = 0};
	struct frame frame;
	const char *why;

	if (!frame_init(image, die, function->entry_addr, arena, &frame, &why))
		return function->entry_addr;
	parameters_see(die, &frame, &parameters);
	if (parameters.in_slots)
		return slots_filled(image, decoder, die, function, arena);
	if (!parameters.n_lists)
		return function->entry_addr;
	return most_valid(die, function, &parameters, code_straight_end(image, decoder, function));
}
