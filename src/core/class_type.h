/*
 * Run-time classes: which class an object has says the vtable that it points to.
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
	 * What its objects' PLAN_CLASS gives: a hash of the name, which is the same in every run
	 * and build and a whole number that a double holds exactly.
	 */
	uint64_t number;
};

struct vtable {
	uint64_t low_addr, high_addr; /* [low, high), link-time */
	unsigned module;
	unsigned class_type; /* index */
};

/* Classes that have a member, and how far it is from the start of their complete objects. */
struct class_cast {
	const char *target; /* the class that an expression casts to, canonical */
	const struct class_cast_entry {
		unsigned class_type; /* index */
		int64_t offset;      /* of the target in a complete object of this class */
	} * entries;                 /* sorted by class_type */
	size_t n_entries;
};

/* Vtables at run-time addresses, for PLAN_CLASS and PLAN_CAST. */
struct class_map {
	const struct class_map_range {
		uint64_t low, high; /* [low, high), run-time */
		unsigned class_type;
	} * ranges; /* sorted, disjoint */
	size_t n_ranges;
	const struct class_type *classes;
	const struct class_cast *casts;
	size_t n_casts;
};

/* The number of the class called @name. */
uint64_t class_type_number(const char *name);
