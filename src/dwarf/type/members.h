/*
 * Members of structures, classes and unions, including those of base classes and anonymous
 * structures.
 */
#pragma once

#include "complete_type.h"
#include "dwarf/location/location.h"

/* A bit-field; all zero for other members. */
struct member_bits {
	unsigned n_bits;
	unsigned shift; /* of the lowest bit in the loaded word */
	unsigned size;  /* bytes to load */
};

/* A base class within an object, and the path to it. The same class twice is two of these. */
struct base_path {
	const struct base_path *up; /* NULL: a direct base of the object's class */
	Dwarf_Die die;
};

struct member {
	const char *name;
	struct type type;
	struct location at; /* LOCATION_ABSENT: unreadable, with the reason */
	struct member_bits bits;
	const struct base_path *base; /* the base it comes from, NULL: the object's own */
	bool in_union;                /* an unnamed one */
	bool is_skipped;              /* it belongs to a base that `skips` accepts */
};

struct member_visitor {
	const struct frame_base *frame;
	struct arena *arena;                  /* paths and texts live here */
	struct type_definitions *definitions; /* NULL is fine */
	/* Called for each member; false stops. */
	bool (*each)(void *self, const struct member *member);
	/* Are only the names of the members of this base, which is at @at, needed? NULL: never. */
	bool (*skips)(void *self, Dwarf_Die *base, const struct location *at);
	/*
	 * Visit variants (Rust's enumerations), too: `Some`, whether or not it is the one that
	 * counts, and the truth `is_Some`, unless it is the one that all others are not.
	 */
	bool variants;
	void *self;
};

/*
 * Visit the data members of @record, whose object is at @at (any kind of location): its own members
 * first, then its bases'. Static members and vtable pointers are left out; a virtual base is
 * visited once.
 */
void members_each(const struct member_visitor *visitor, Dwarf_Die *record,
		  const struct location *at);

/* Append steps that leave a bit-field's value, widened to the declared type, on the stack. */
void members_load_bits(const struct member_bits *bits, bool is_signed, struct location *at);
