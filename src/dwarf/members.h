/*
 * Members of structures and classes: base classes' and anonymous structures' included.
 */
#ifndef FATHOM_DWARF_MEMBERS_H
#define FATHOM_DWARF_MEMBERS_H

#include "dwarf/location.h"

/* A bit-field, or no bits at all. */
struct member_bits {
	unsigned n_bits;
	unsigned shift; /* of the lowest bit in the loaded word */
	unsigned size;  /* bytes to load */
};

struct member {
	const char *name;
	Dwarf_Die die; /* DW_TAG_member */
	struct location at;
	struct member_bits bits;
	const char *base; /* the base class that it comes from, NULL if it is the object's own */
};

/*
 * Call @each for the data members of @record, whose object is at @at in memory: its own members
 * first, then its bases'. It ends when @each returns false. Static members and virtual tables are
 * left out, and so is what lies in unions.
 */
void members_each(Dwarf_Die *record, const struct location *at, const struct frame *frame,
		  struct arena *arena, bool (*each)(void *self, const struct member *member),
		  void *self);

/*
 * Append what turns a bit-field's unit, loaded, into its value, of the declared type's full size.
 */
void member_bits_load(const struct member_bits *bits, bool is_signed, struct steps *steps);

#endif
