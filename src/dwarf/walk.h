/*
 * Walking over the DIEs of all units, each once.
 */
#ifndef FATHOM_DWARF_WALK_H
#define FATHOM_DWARF_WALK_H

#include "dwarf/image.h"

/*
 * Called for every DIE with one of the tags that the walk goes into. @scope is the qualified name
 * of what encloses it.
 */
struct walk_visitor {
	void (*subprogram)(void *self, Dwarf_Die *die, const char *scope);
	void (*inlined)(void *self, Dwarf_Die *die); /* NULL: do not go into what was inlined */
	void *self;
};

/* It ends whatever the file holds: within a unit, offsets of DIEs grow. */
void walk_units(const struct image *image, const struct walk_visitor *visitor);

#endif
