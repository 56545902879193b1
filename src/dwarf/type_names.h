/*
 * The qualified names of types, which DIEs only tell those who come from above.
 */
#ifndef FATHOM_DWARF_TYPE_NAMES_H
#define FATHOM_DWARF_TYPE_NAMES_H

#include "dwarf/die.h"

struct type_name {
	const char *name;  /* canonical: "ns::Class<int>" */
	const char *plain; /* the last component without template arguments: "Class" */
	bool unit_only; /* in a function or an unnamed namespace: other units may use the name too */
};

/* The names of all types of the units that were asked about. */
struct type_names;

struct type_names *type_names_create(void);
void type_names_destroy(struct type_names *names); /* NULL is fine */

/*
 * The name of the structure, class, union or enumeration @die. False: it has none. Strings live as
 * long as @names.
 */
bool type_names_find(struct type_names *names, Dwarf_Die *die, struct type_name *ret);

/* The same for a type that a walk came by: @scope and @local are as walk.h gives them. */
bool type_names_visited(struct type_names *names, Dwarf_Die *die, const char *scope, bool local,
			struct type_name *ret);

/* Is the unit of @die written in C++? */
bool type_names_is_cplusplus(Dwarf_Die *die);

#endif
