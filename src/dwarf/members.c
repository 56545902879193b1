/* Going through the members of a class. What becomes of a member is the caller's business. */
#include "dwarf/members.h"

#include <string.h>

#include "dwarf/type.h"

enum { BASES_MAX = 8, MEMBERS_MAX = 4096 };

struct members {
	const struct frame *frame;
	struct arena *arena;
	bool (*each)(void *self, const struct member *member);
	void *self;
	unsigned n; /* DIEs looked at */
};

/*
 * Move @at to the member or base class @die. False: the debug information does not say where it is.
 */
static bool member_locate(const struct members *members, Dwarf_Die *die, struct location *at)
{
	const struct location object = *at;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute))
		return true; /* at the start, or a bit-field that has its own offset */
	if (dwarf_formudata(&attribute, &offset) == 0) {
		const struct type type = type_of(die);
		uint64_t size;

		location_part(at, offset, type_byte_size(&type, &size) ? size : 0, members->arena);
		return true;
	}
	/* Virtual bases: the expression starts with the object's address on the stack. */
	if (dwarf_getlocation(&attribute, &ops, &n) != 0)
		return false;
	location_compile(&attribute, ops, n, members->frame, &object, members->arena, at);
	return at->kind == LOCATION_MEMORY;
}

/* The first bit of the field, counted from the start of the object. */
static bool first_bit(Dwarf_Die *die, uint64_t n_bits, uint64_t unit, uint64_t *ret)
{
	uint64_t start = 0, from_top;

	if (die_number(die, DW_AT_data_bit_offset, ret))
		return true;
	/* DWARF 3 counts from the most significant bit of a storage unit. */
	if (!die_number(die, DW_AT_bit_offset, &from_top))
		return false;
	die_number(die, DW_AT_byte_size, &unit);
	die_number(die, DW_AT_data_member_location, &start);
	if (unit > 8 || from_top > unit * 8 || n_bits > unit * 8 - from_top || start > UINT32_MAX)
		return false;
	*ret = start * 8 + unit * 8 - from_top - n_bits;
	return true;
}

/* Find the aligned unit of the declared type that holds the field, and move @at there. */
static bool bits_locate(Dwarf_Die *die, uint64_t n_bits, struct arena *arena, struct location *at,
			struct member_bits *ret)
{
	const struct type type = type_of(die);
	uint64_t first, unit;

	if (!type_is_scalar(&type) || type.kind == TYPE_FLOAT || n_bits == 0 ||
	    n_bits > type.size * 8)
		return false;
	unit = type.size * 8;
	if (!first_bit(die, n_bits, type.size, &first) || first / 8 > UINT32_MAX ||
	    first % unit + n_bits > unit)
		return false;
	*ret = (struct member_bits){(unsigned)n_bits, (unsigned)(first % unit), type.size};
	location_part(at, first / unit * type.size, type.size, arena);
	return true;
}

void member_bits_load(const struct member_bits *bits, bool is_signed, struct steps *steps)
{
	steps_push(steps, PLAN_CONST, 64 - bits->n_bits - bits->shift);
	steps_push(steps, PLAN_SHL, 0);
	steps_push(steps, PLAN_CONST, 64 - bits->n_bits);
	steps_push(steps, is_signed ? PLAN_SHRA : PLAN_SHR, 0);
}

static bool is_data(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration) &&
	       !(name && (!strncmp(name, "_vptr", 5) || strchr(name, ' ')));
}

static bool record_each(struct members *members, Dwarf_Die *record, const struct location *at,
			const char *base, unsigned nesting);

static bool member_see(struct members *members, Dwarf_Die *die, const struct location *object,
		       const char *base, unsigned nesting)
{
	struct member member = {
		.name = dwarf_diename(die), .die = *die, .at = *object, .base = base};
	uint64_t n_bits;

	if (!is_data(die))
		return true;
	if (die_number(die, DW_AT_bit_size, &n_bits)) {
		if (!bits_locate(die, n_bits, members->arena, &member.at, &member.bits))
			return true;
	} else if (!member_locate(members, die, &member.at)) {
		return true;
	}
	if (!member.name) {
		struct type type = type_of(die);

		return type.kind != TYPE_RECORD ||
		       record_each(members, &type.die, &member.at, base, nesting + 1);
	}
	return !*member.name || members->each(members->self, &member);
}

static bool base_see(struct members *members, Dwarf_Die *die, const struct location *object,
		     unsigned nesting)
{
	struct location at = *object;
	struct type type = type_of(die);

	if (type.kind != TYPE_RECORD || !member_locate(members, die, &at))
		return true;
	return record_each(members, &type.die, &at, dwarf_diename(&type.die), nesting + 1);
}

static bool record_each(struct members *members, Dwarf_Die *record, const struct location *at,
			const char *base, unsigned nesting)
{
	Dwarf_Die child;

	if (nesting > BASES_MAX)
		return true;
	for (int bases = 0; bases < 2; bases++) {
		for (bool more = die_first(record, &child); more; more = die_next(&child)) {
			const int tag = dwarf_tag(&child);

			if (++members->n > MEMBERS_MAX)
				return false;
			if (!bases && tag == DW_TAG_member &&
			    !member_see(members, &child, at, base, nesting))
				return false;
			if (bases && tag == DW_TAG_inheritance &&
			    !base_see(members, &child, at, nesting))
				return false;
		}
	}
	return true;
}

void members_each(Dwarf_Die *record, const struct location *at, const struct frame *frame,
		  struct arena *arena, bool (*each)(void *self, const struct member *member),
		  void *self)
{
	struct members members = {frame, arena, each, self, 0};

	record_each(&members, record, at, NULL, 0);
}
