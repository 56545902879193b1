/* Replaces an incomplete type by its definition, which type_definitions.c finds. */
#include "complete_type.h"

struct type complete_type(struct type_definitions *definitions, Dwarf_Die *die)
{
	const struct type declared = type_of(die);
	Dwarf_Die declaration = declared.die, definition;
	struct type type;

	if (declared.kind != TYPE_INCOMPLETE || !definitions ||
	    !type_definitions_find(definitions, &declaration, &definition))
		return declared;
	type = type_defined(&definition);
	type.is_const = declared.is_const;
	return type;
}
