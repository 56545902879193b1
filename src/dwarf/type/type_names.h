/*
 * The qualified names of types, which DIEs only tell those who come from above.
 */
#pragma once

#include "dwarf/file/die.h"

struct type_name {
	const char *name;  /* canonical: "ns::Class<int>" */
	const char *plain; /* the last component without template arguments: "Class" */
	/* in a function or an unnamed namespace: other units may use the name too */
	bool unit_only;
};

/* The types of the units that were asked about, each unit gathered once. */
struct type_names;

enum type_word { TYPE_WORD_RECORD, TYPE_WORD_UNION, TYPE_WORD_ENUM };

/* A type that a unit declares or defines. */
struct type_entry {
	Dwarf_Die die;
	const char *plain;   /* DW_AT_name, NULL if it has none */
	const char *scope;   /* of what encloses it */
	enum type_word word; /* structures and classes are alike */
	bool local;          /* in a function */
	bool is_declared;
	struct type_name name; /* private; without a name: not made yet */
};

/*
 * The types of the unit with the DIE @unit, in the order of the debug information; *@ret lives as
 * long as @names. @whole: those in functions too, which takes longer.
 */
size_t type_names_of_unit(struct type_names *names, Dwarf_Die *unit, bool whole,
			  struct type_entry **ret);

struct type_names *type_names_create(void);
void type_names_destroy(struct type_names *names); /* NULL is fine */

/*
 * The name of the structure, class, union or enumeration @die. False: it has none. Strings live as
 * long as @names.
 */
bool type_names_find(struct type_names *names, Dwarf_Die *die, struct type_name *ret);

/* The same for an entry. */
bool type_names_entry(struct type_names *names, struct type_entry *entry, struct type_name *ret);

/* Is the unit of @die written in C++? */
bool type_names_is_cplusplus(Dwarf_Die *die);
