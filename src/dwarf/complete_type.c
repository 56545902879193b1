/* The type of a definition that was found elsewhere. Finding it is definition.c's. */
#include "dwarf/complete_type.h"

static struct type enumeration(Dwarf_Die *die)
{
	struct type type = {.kind = TYPE_ENUM, .die = *die};
	uint64_t size = 0, encoding = DW_ATE_signed;
	Dwarf_Die under;

	die_number(die, DW_AT_byte_size, &size);
	if (!die_number(die, DW_AT_encoding, &encoding) && die_reference(die, DW_AT_type, &under)) {
		const struct type number = type_of(die);

		encoding = number.is_signed ? DW_ATE_signed : DW_ATE_unsigned;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8)
		type.kind = TYPE_OTHER;
	type.size = (unsigned)size;
	type.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return type;
}

static struct type definition_type(const struct type *declared, Dwarf_Die *die)
{
	struct type type = {.kind = TYPE_RECORD, .die = *die, .is_const = declared->is_const};

	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return type;
	case DW_TAG_union_type:
		type.kind = TYPE_UNION;
		return type;
	case DW_TAG_enumeration_type:
		return enumeration(die);
	}
	return *declared;
}

struct type complete_type(struct definitions *definitions, Dwarf_Die *die)
{
	struct type type = type_of(die);
	Dwarf_Die definition;

	if (type.kind == TYPE_INCOMPLETE && definitions &&
	    definitions_find(definitions, &type.die, &definition))
		return definition_type(&type, &definition);
	return type;
}
