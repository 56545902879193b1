/*
 * Members of structures, classes and unions: base classes' and anonymous structures' included.
 */
#pragma once

#include "complete_type.h"
#include "dwarf/location/location.h"

/* A bit-field, or no bits at all. */
struct member_bits {
	unsigned n_bits;
	unsigned shift; /* of the lowest bit in the loaded word */
	unsigned size;  /* bytes to load */
};

/* A base class within an object, and how it was reached. Two of one class are two of these. */
struct base_path {
	const struct base_path *up; /* NULL: a base of the object's own class */
	Dwarf_Die die;
};

struct member {
	const char *name;
	struct type type;
	struct location at; /* LOCATION_ABSENT: it cannot be read, and why */
	struct member_bits bits;
	const struct base_path *base; /* that it comes from, NULL if it is the object's own */
	bool in_union;                /* that has no name */
	bool is_skipped;              /* it belongs to a base that `skips` is for */
};

struct member_visitor {
	const struct frame_base *frame;
	struct arena *arena;                  /* of paths and texts */
	struct type_definitions *definitions; /* NULL is fine */
	/* Called for each member; to return false is to end it. */
	bool (*each)(void *self, const struct member *member);
	/* Is nothing wanted of this base but what its members are called? NULL: of none. */
	bool (*skips)(void *self, Dwarf_Die *base);
	void *self;
};

/*
 * Visit the data members of @record, whose object is at @at, wherever that is: its own members
 * first, then its bases'. Static members and virtual tables are left out; a virtual base is visited
 * once.
 */
void members_each(const struct member_visitor *visitor, Dwarf_Die *record,
		  const struct location *at);

/* Append what makes a bit-field's value, of the declared type's full size, the top of the stack. */
void members_load_bits(const struct member_bits *bits, bool is_signed, struct location *at);
