/*
 * Run-time classes: an object's vtable pointer says which class it has.
 *
 * Source: Itanium C++ ABI, section 2.5: an object of a dynamic class starts with a pointer into the
 * virtual table of its class (symbol _ZTV…), or of a base within it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct class_type {
	const char *name; /* canonical (core/cxx_name.h) */
	/*
	 * What PLAN_CLASS gives for its objects: a hash of the name, the same in every run and
	 * build, and a whole number that a double holds exactly.
	 */
	uint64_t number;
};

struct vtable {
	uint64_t low_addr, high_addr; /* [low, high), link-time */
	unsigned module;
	unsigned class_type; /* index */
};

/* Where the class `target` lies in complete objects of the classes that contain it. */
struct class_cast {
	const char *target; /* the class that the expression casts to, canonical */
	const struct class_cast_entry {
		unsigned class_type; /* index */
		int64_t offset;      /* of the target in a complete object of this class */
	} * entries;                 /* sorted by class_type */
	size_t n_entries;
};

/* What numbers stand for names: vtables at run-time addresses (PLAN_CLASS, PLAN_CAST), texts. */
struct class_map {
	const struct class_map_range {
		uint64_t low, high; /* [low, high), run-time */
		unsigned class_type;
	} * ranges; /* sorted, disjoint */
	size_t n_ranges;
	const struct class_type *classes;
	const struct class_cast *casts;
	size_t n_casts;
	struct text_pool *texts; /* what PLAN_TEXT reads goes there; NULL: nowhere */
};

uint64_t class_type_number(const char *name);
