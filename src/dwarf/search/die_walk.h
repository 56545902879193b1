/*
 * Walks over the DIEs of all units, each once.
 */
#pragma once

#include "dwarf/file/elf_file.h"

/*
 * Callbacks for the DIEs that the walk enters. @scope is the qualified name of the enclosing
 * scopes; for a function defined outside of its declaration's scope, those of the declaration.
 */
struct walk_visitor {
	void (*subprogram)(void *self, Dwarf_Die *die, const char *scope); /* NULL: none */
	void (*inlined)(void *self, Dwarf_Die *die); /* NULL: skip inlined copies */
	/*
	 * Structures, classes, unions and enumerations, also declarations; @local: in a function.
	 * If set, type units are walked as well.
	 */
	void (*type)(void *self, Dwarf_Die *die, const char *scope, bool local); /* NULL: none */
	/* Not local ones; static members are DW_TAG_member before DWARF 5. */
	void (*variable)(void *self, Dwarf_Die *die, const char *scope); /* NULL: none */
	/* Enter @die? NULL: everything that can contain functions. */
	bool (*enters)(void *self, Dwarf_Die *die);
	void *self;
	bool outside; /* do not enter functions */
};

struct unit_filter;

/*
 * Iterates over units, split ones instead of their skeletons, each followed by the type units of
 * its split file. Start all zero, then call die_walk_next_unit().
 */
struct unit_cursor {
	Dwarf_Die die;
	bool is_type;                /* a type unit */
	Dwarf_CU *unit, *split_unit; /* private: last of the image, and of the split file */
	Dwarf *split;                /* private: the last split file */
	Dwarf *alternate;            /* private: walked last; made by dwz */
	bool in_split;               /* private */
};

bool die_walk_next_unit(const struct elf_file *image, struct unit_cursor *cursor);

/*
 * Walk over the units that @filter (NULL: none) passes; those of an alternate file (dwz) come last.
 * It terminates on any input, since offsets of DIEs must grow within a unit.
 */
void die_walk_units(const struct elf_file *image, const struct unit_filter *filter,
		    const struct walk_visitor *visitor);

/* Walk over the one unit whose DIE is @unit. */
void die_walk_unit(const struct walk_visitor *visitor, Dwarf_Die *unit);
