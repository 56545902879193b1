/*
 * Walking over the DIEs of all units, each once.
 */
#ifndef FATHOM_DWARF_WALK_H
#define FATHOM_DWARF_WALK_H

#include "dwarf/image.h"

/*
 * Called for every DIE with one of the tags that the walk goes into. @scope is the qualified name
 * of what encloses it, or of what encloses the declaration of a function that is defined outside.
 */
struct walk_visitor {
	void (*subprogram)(void *self, Dwarf_Die *die, const char *scope); /* NULL: none */
	void (*inlined)(void *self, Dwarf_Die *die); /* NULL: do not go into what was inlined */
	/* Structures, classes and unions, declared ones too; with it, type units are walked as well. */
	void (*record)(void *self, Dwarf_Die *die, const char *scope);   /* NULL: none */
	void (*variable)(void *self, Dwarf_Die *die, const char *scope); /* not local; NULL: none */
	void *self;
};

struct unit_filter;

/*
 * Walk over the units that @filter lets pass, NULL: all of them; those of an alternate file (dwz)
 * come last. It ends whatever the file holds: within a unit, offsets of DIEs grow.
 */
void walk_units(const struct image *image, const struct unit_filter *filter,
		const struct walk_visitor *visitor);

/*
 * Does the list of units end in a broken one? Then no one knows what comes behind it; *@ret_offset is
 * where in .debug_info the last good unit starts.
 */
bool walk_is_cut(const struct image *image, uint64_t *ret_offset);

/* Walk over the one unit whose DIE is @unit. */
void walk_unit(const struct walk_visitor *visitor, Dwarf_Die *unit);

#endif
