/*
 * Complete types: those that a unit only declares, taken from where they are defined.
 */
#pragma once

#include "type_definitions.h"
#include "type.h"

/*
 * type_of(), and if that is incomplete its definition. @definitions: NULL is fine, then there are
 * none.
 */
struct type complete_type(struct type_definitions *definitions, Dwarf_Die *die);
