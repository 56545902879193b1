/*
 * Qualified names of types. A DIE does not refer to its parent, so they need a walk from the unit's
 * root.
 */
#pragma once

#include "dwarf/file/die.h"

struct type_name {
	const char *name;  /* canonical: "ns::Class<int>" */
	const char *plain; /* the last component without template arguments: "Class" */
	/* in a function or unnamed namespace: other units may reuse the name */
	bool unit_only;
};

/* The types of units, each unit gathered once, on request. */
struct type_names;

enum type_word { TYPE_WORD_RECORD, TYPE_WORD_UNION, TYPE_WORD_ENUM };

/* A type that a unit declares or defines. */
struct type_entry {
	Dwarf_Die die;
	const char *plain;   /* DW_AT_name, NULL if it has none */
	const char *scope;   /* of the enclosing scopes */
	enum type_word word; /* same for structures and classes */
	bool local;          /* in a function */
	bool is_declared;
	struct type_name name; /* private; made on demand */
};

/*
 * The types of the unit with the DIE @unit, in the order of the debug information; *@ret lives as
 * long as @names. @whole: also those in functions, which is slower. Returns their number.
 */
size_t type_names_of_unit(struct type_names *names, Dwarf_Die *unit, bool whole,
			  struct type_entry **ret);

struct type_names *type_names_create(void);
void type_names_destroy(struct type_names *names); /* NULL is fine */

/*
 * The name of the structure, class, union or enumeration @die; strings live as long as @names.
 * False: unnamed.
 */
bool type_names_find(struct type_names *names, Dwarf_Die *die, struct type_name *ret);

/* The same for an entry. */
bool type_names_entry(struct type_names *names, struct type_entry *entry, struct type_name *ret);

/* Is the unit of @die written in C++? */
bool type_names_is_cplusplus(Dwarf_Die *die);
