/*
 * Types that a unit only declares, completed from where they are defined.
 */
#pragma once

#include "type_definitions.h"
#include "type.h"

/* type_of(), replaced by its definition if incomplete. @definitions: NULL: none are known. */
struct type complete_type(struct type_definitions *definitions, Dwarf_Die *die);
