/*
 * Walking over the DIEs of all units, each once.
 */
#pragma once

#include "dwarf/file/elf_file.h"

/*
 * Called for every DIE with one of the tags that the walk goes into. @scope is the qualified name
 * of what encloses it, or of what encloses the declaration of a function that is defined outside.
 */
struct walk_visitor {
	void (*subprogram)(void *self, Dwarf_Die *die, const char *scope); /* NULL: none */
	void (*inlined)(void *self, Dwarf_Die *die); /* NULL: do not go into what was inlined */
	/*
	 * Structures, classes, unions and enumerations, declared ones too; @local: in a function.
	 * With it, type units are walked as well.
	 */
	void (*type)(void *self, Dwarf_Die *die, const char *scope, bool local); /* NULL: none */
	/* Not local; static members are DW_TAG_member before DWARF 5. */
	void (*variable)(void *self, Dwarf_Die *die, const char *scope); /* NULL: none */
	/* Go into @die? NULL: into all that can have functions. */
	bool (*enters)(void *self, Dwarf_Die *die);
	void *self;
	bool outside; /* do not go into functions */
};

struct unit_filter;

/*
 * To go through the units, split ones instead of their skeletons, and behind those the type units
 * of their file: all zero, then die_walk_next_unit().
 */
struct unit_cursor {
	Dwarf_Die die;
	bool is_type;                /* a type unit */
	Dwarf_CU *unit, *split_unit; /* private: the last of the image, and of the split file */
	Dwarf *split;                /* private: the last split file */
	Dwarf *alternate;            /* private: gone through after all others; dwz made it */
	bool in_split;               /* private */
};

bool die_walk_next_unit(const struct elf_file *image, struct unit_cursor *cursor);

/*
 * Walk over the units that @filter lets pass, NULL: all of them; those of an alternate file (dwz)
 * come last. It ends whatever the file holds: within a unit, offsets of DIEs grow.
 */
void die_walk_units(const struct elf_file *image, const struct unit_filter *filter,
		    const struct walk_visitor *visitor);

/* Walk over the one unit whose DIE is @unit. */
void die_walk_unit(const struct walk_visitor *visitor, Dwarf_Die *unit);
