/* Visits the members of a class, and locates them. Callers use the members. */
#include "members.h"

#include <string.h>

enum {
	NESTING_MAX = 16,
	MEMBERS_MAX = 4096,
	VIRTUAL_BASES_MAX = 64,
	BITS_SIZE_MAX = 8,
};

struct members {
	const struct member_visitor *visitor;
	unsigned n; /* DIEs looked at */
	void *virtual_bases[VIRTUAL_BASES_MAX];
	unsigned n_virtual_bases;
};

/* The part of the object whose members are visited. */
struct place {
	const struct location *at; /* of that part */
	uint64_t size;             /* of that part, 0: unknown */
	const struct base_path *base;
	bool in_union;
	bool is_skipped;
	unsigned nesting;
};

/* Virtual bases: the expression starts with the object's address on the stack. */
static void computed_locate(const struct members *members, Dwarf_Attribute *attribute,
			    struct location *at)
{
	const struct location object = *at;
	Dwarf_Op *ops;
	size_t n;

	if (object.kind != LOCATION_MEMORY || dwarf_getlocation(attribute, &ops, &n) != 0) {
		location_absent(at, ABSENT_UNSUPPORTED,
				"the debug information does not say where it is");
		return;
	}
	location_compile(attribute, ops, n, members->visitor->frame, &object,
			 members->visitor->arena, at);
	if (at->kind != LOCATION_MEMORY && at->kind != LOCATION_ABSENT)
		location_absent(at, ABSENT_UNSUPPORTED, "it is no part of its object's memory");
}

/* Move @at to the member or base class @die, of type @type. */
static void member_locate(const struct members *members, Dwarf_Die *die, const struct type *type,
			  struct location *at)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;
	uint64_t size = 0;

	/* Without the attribute it is at offset 0, or a bit-field with its own offset. */
	if (dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute) &&
	    dwarf_formudata(&attribute, &offset) != 0) {
		computed_locate(members, &attribute, at);
		return;
	}
	if (!type_byte_size(type, &size))
		size = 0;
	location_part(at, offset, size, members->visitor->arena);
}

/* The first bit of the field, counted from the start of the object. */
static bool member_first_bit(Dwarf_Die *die, uint64_t n_bits, uint64_t unit, uint64_t *ret)
{
	uint64_t start = 0, from_top;
	int64_t first;

	if (die_number(die, DW_AT_data_bit_offset, ret))
		return true;
	/*
	 * DWARF 3 counts from the most significant bit of a storage unit; so does clang in all
	 * versions, even beyond the unit.
	 */
	if (!die_number(die, DW_AT_bit_offset, &from_top))
		return false;
	die_number(die, DW_AT_byte_size, &unit);
	die_number(die, DW_AT_data_member_location, &start);
	if (unit > 8 || start > UINT32_MAX || from_top + 64 > 2 * 64)
		return false;
	first = (int64_t)(start * 8 + unit * 8 - n_bits) - (int64_t)from_top;
	*ret = (uint64_t)first;
	return first >= 0;
}

/*
 * Bytes to load, from *@ret_start on: the aligned unit of the declared type if it lies within the
 * object, else the fewest that contain the field. 0: none.
 */
static unsigned bits_window(uint64_t first, uint64_t n_bits, unsigned unit, uint64_t object_size,
			    uint64_t *ret_start)
{
	uint64_t start = first / 8 / unit * unit;
	unsigned size = 1;

	*ret_start = start;
	if (first % (unit * 8) + n_bits <= unit * 8 &&
	    (!object_size || start + unit <= object_size))
		return unit;
	start = first / 8;
	while (size < BITS_SIZE_MAX && size * 8 < first % 8 + n_bits)
		size *= 2;
	if (object_size >= size && start + size > object_size)
		start = object_size - size;
	*ret_start = start;
	return first >= start * 8 && first - start * 8 + n_bits <= size * 8 ? size : 0;
}

static void bits_locate(const struct members *members, Dwarf_Die *die, const struct place *place,
			uint64_t n_bits, struct member *member)
{
	const struct type *type = &member->type;
	uint64_t first, start = 0;
	unsigned size = 0;

	if (type_is_scalar(type) && type->kind != TYPE_FLOAT && n_bits > 0 &&
	    n_bits <= type->size * 8 && member_first_bit(die, n_bits, type->size, &first) &&
	    first / 8 <= UINT32_MAX)
		size = bits_window(first, n_bits, type->size, place->size, &start);
	if (!size) {
		location_absent(&member->at, ABSENT_UNSUPPORTED,
				"a bit-field that does not lie within a word");
		return;
	}
	member->bits = (struct member_bits){(unsigned)n_bits, (unsigned)(first - start * 8), size};
	location_part(&member->at, start, size, members->visitor->arena);
}

void members_load_bits(const struct member_bits *bits, bool is_signed, struct location *at)
{
	location_load(at, bits->size);
	location_push(&at->steps, PLAN_CONST, 64 - bits->n_bits - bits->shift);
	location_push(&at->steps, PLAN_SHL, 0);
	location_push(&at->steps, PLAN_CONST, 64 - bits->n_bits);
	location_push(&at->steps, is_signed ? PLAN_SHRA : PLAN_SHR, 0);
}

static bool is_data(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration) &&
	       !(name && (!strncmp(name, "_vptr", 5) || strchr(name, ' ')));
}

static bool record_each(struct members *members, Dwarf_Die *record, struct place place);

/* Visit the members of an unnamed structure or union; unnamed padding has none. */
static bool nameless_see(struct members *members, const struct member *member, struct place place)
{
	struct type type = member->type;

	if ((type.kind != TYPE_RECORD && type.kind != TYPE_UNION) || member->bits.n_bits)
		return true;
	place.at = &member->at;
	place.in_union |= type.kind == TYPE_UNION;
	place.nesting++;
	return record_each(members, &type.die, place);
}

static bool member_see(struct members *members, Dwarf_Die *die, const struct place *place)
{
	const struct member_visitor *visitor = members->visitor;
	struct member member = {
		.name = dwarf_diename(die),
		.type = complete_type(visitor->definitions, die),
		.at = *place->at,
		.base = place->base,
		.in_union = place->in_union,
		.is_skipped = place->is_skipped,
	};
	uint64_t n_bits;

	if (!is_data(die))
		return true;
	if (die_number(die, DW_AT_bit_size, &n_bits))
		bits_locate(members, die, place, n_bits, &member);
	else
		member_locate(members, die, &member.type, &member.at);
	if (!member.name || !*member.name)
		return nameless_see(members, &member, *place);
	return visitor->each(visitor->self, &member);
}

/* False: visited before. */
static bool virtual_base_enter(struct members *members, Dwarf_Die *base)
{
	for (unsigned i = 0; i < members->n_virtual_bases; i++)
		if (members->virtual_bases[i] == base->addr)
			return false;
	if (members->n_virtual_bases == VIRTUAL_BASES_MAX)
		return false;
	members->virtual_bases[members->n_virtual_bases++] = base->addr;
	return true;
}

static bool base_see(struct members *members, Dwarf_Die *die, const struct place *place)
{
	const struct member_visitor *visitor = members->visitor;
	struct type type = complete_type(visitor->definitions, die);
	struct location at = *place->at;
	struct base_path *path;
	struct place inner;
	uint64_t virtuality = DW_VIRTUALITY_none;

	die_number(die, DW_AT_virtuality, &virtuality);
	if (type.kind != TYPE_RECORD ||
	    (virtuality != DW_VIRTUALITY_none && !virtual_base_enter(members, &type.die)))
		return true;
	member_locate(members, die, &type, &at);
	path = arena_new(visitor->arena, struct base_path);
	*path = (struct base_path){place->base, type.die};
	inner = (struct place){
		.at = &at,
		.base = path,
		.in_union = place->in_union,
		.is_skipped = place->is_skipped ||
			      (visitor->skips && visitor->skips(visitor->self, &type.die, &at)),
		.nesting = place->nesting + 1,
	};
	return record_each(members, &type.die, inner);
}

/* `is_NAME`: the discriminant at @tag, of @size bytes, has the value of @variant. */
static bool variant_test(struct members *members, Dwarf_Die *variant, const char *name,
			 struct location tag, unsigned size)
{
	struct member member = {.type = {.kind = TYPE_BOOL, .size = 1}, .at = tag};
	uint64_t value;

	if (!name || !die_number(variant, DW_AT_discr_value, &value) || !size || size > 8)
		return true;
	if (tag.kind != LOCATION_ABSENT) {
		location_load(&member.at, size);
		location_push(&member.at.steps, PLAN_CONST,
			      (int64_t)(value & UINT64_MAX >> (64 - 8 * size)));
		location_push(&member.at.steps, PLAN_EQUAL, 0);
		member.at.kind = LOCATION_VALUE;
		member.at.where = LOCATION_COMPUTED;
	}
	member.name = arena_printf(members->visitor->arena, "is_%s", name);
	return members->visitor->each(members->visitor->self, &member);
}

static bool variants_see(struct members *members, Dwarf_Die *part, const struct place *place)
{
	struct location tag = *place->at;
	Dwarf_Die discriminant, variant, child;
	struct type type = {.kind = TYPE_OTHER};

	if (die_reference(part, DW_AT_discr, &discriminant)) {
		type = complete_type(members->visitor->definitions, &discriminant);
		member_locate(members, &discriminant, &type, &tag);
	}
	for (bool more = die_first(part, &variant); more; more = die_next(&variant))
		if (dwarf_tag(&variant) == DW_TAG_variant && die_first(&variant, &child) &&
		    dwarf_tag(&child) == DW_TAG_member &&
		    (!member_see(members, &child, place) ||
		     !variant_test(members, &variant, dwarf_diename(&child), tag,
				   type_is_scalar(&type) ? type.size : 0)))
			return false;
	return true;
}

static bool record_each(struct members *members, Dwarf_Die *record, struct place place)
{
	const struct type type = {.kind = TYPE_RECORD, .die = *record};
	Dwarf_Die child;

	if (place.nesting > NESTING_MAX)
		return true;
	if (!type_byte_size(&type, &place.size))
		place.size = 0;
	for (int bases = 0; bases < 2; bases++) {
		for (bool more = die_first(record, &child); more; more = die_next(&child)) {
			const int tag = dwarf_tag(&child);

			if (++members->n > MEMBERS_MAX)
				return false;
			if (!bases && tag == DW_TAG_member && !member_see(members, &child, &place))
				return false;
			if (!bases && tag == DW_TAG_variant_part && members->visitor->variants &&
			    !variants_see(members, &child, &place))
				return false;
			if (bases && tag == DW_TAG_inheritance &&
			    !base_see(members, &child, &place))
				return false;
		}
	}
	return true;
}

void members_each(const struct member_visitor *visitor, Dwarf_Die *record,
		  const struct location *at)
{
	struct members members = {.visitor = visitor};

	record_each(&members, record, (struct place){.at = at});
}
