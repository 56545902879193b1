/*
 * Which class derives from which, over all units of an image.
 *
 * Classes are numbered from 0; equal qualified names mean one class. Only units that can contain a
 * requested class are walked. Classes local to functions are known if they have a vtable.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "dwarf/type/type_names.h"

enum {
	HIERARCHY_NONE = -1,
	HIERARCHY_DERIVED_MAX = 64, /* of one class */
};

struct base_class {
	int base;
	int64_t offset;
	bool is_virtual; /* or its offset is unknown: only the object has it */
};

struct class_node {
	int number;
	struct type_name name;
	Dwarf_Die die; /* its definition */
	bool is_defined;
	const struct base_class *bases; /* direct ones */
	size_t n_bases;
};

struct hierarchy;

/* @names is borrowed while the hierarchy lives. */
struct hierarchy *hierarchy_create(const struct elf_file *image, struct type_names *names);
void hierarchy_destroy(struct hierarchy *hierarchy); /* NULL is fine */

/* The number of the class @record; HIERARCHY_NONE if it has no name, or there are too many. */
int hierarchy_find(struct hierarchy *hierarchy, Dwarf_Die *record);

/* Valid until the next class is found. */
const struct class_node *hierarchy_node(const struct hierarchy *hierarchy, int number);

/*
 * The defined classes that derive from @base, directly or not: nearest first, then by name; at most
 * HIERARCHY_DERIVED_MAX. Returns their number.
 */
size_t hierarchy_derived(struct hierarchy *hierarchy, int base, int ret[HIERARCHY_DERIVED_MAX]);

/* Is @base a base of @derived, at any distance? */
bool hierarchy_is_base(const struct hierarchy *hierarchy, int base, int derived);

/*
 * The offset of @base in a complete object of @derived (0: the same class). False: not a base,
 * ambiguous, or reached only through a virtual base.
 */
bool hierarchy_offset(const struct hierarchy *hierarchy, int base, int derived, int64_t *ret);
