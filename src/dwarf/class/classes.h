/*
 * Classes with virtual functions: which class an object can have at run time, and where members of
 * derived classes are.
 *
 * Source: Itanium C++ ABI, chapter 2.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/type/type_names.h"
#include "tags.h"

/* Cache of one image's classes, filled on demand. */
struct classes;

/* @module: the image's index in the catalogue; @first_cast: the number of casts already there. */
struct classes *classes_create(const struct elf_file *image, struct type_names *names,
			       unsigned module, unsigned first_cast, struct arena *arena);
void classes_destroy(struct classes *classes); /* NULL is fine */

/* Do objects of @record start with a pointer to a vtable? */
bool classes_is_dynamic(struct classes *classes, Dwarf_Die *record);

/* The tag of objects that begin with @record (tags.h), NULL: none. */
const struct tag_base *classes_tag(struct classes *classes, Dwarf_Die *record);

struct derived_class {
	Dwarf_Die die;    /* its definition */
	const char *name; /* canonical: "ns::Derived"; with a tag as a cast names it */
	unsigned cast;    /* @arg of PLAN_CAST */
};

/*
 * The classes with a definition that derive from @record, directly or not: nearest first, then by
 * name. *@ret lives as long as @classes. Returns their number.
 */
size_t classes_derived(struct classes *classes, Dwarf_Die *record,
		       const struct derived_class **ret);

/*
 * The same of what begins with @record, which has a tag, in the order of tags; at most @max.
 */
size_t classes_tagged(struct classes *classes, Dwarf_Die *record, size_t max,
		      struct derived_class *ret);

/* Do the features of @record itself cover the base class @base of a class derived from it? */
bool classes_covers(struct classes *classes, Dwarf_Die *record, Dwarf_Die *base);

/*
 * Add the classes, vtables and casts of the image to @catalogue: all classes with a vtable symbol
 * if classes_is_dynamic() was ever true or classes_tag() found one, else none. Classes already in
 * the catalogue (from another module) are not added again. Classes stay sorted by name; indices in
 * the catalogue's vtables and casts are adjusted.
 */
void classes_publish(struct classes *classes, struct catalogue *catalogue);
