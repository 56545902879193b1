/*
 * Classes with virtual functions: which class an object can have at run time, and where the members
 * of derived classes are.
 *
 * Source: Itanium C++ ABI, chapter 2.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/type/type_names.h"

/* All that is known of one image's classes; found out when it is first asked for. */
struct classes;

/* @module: the image's index in the catalogue; @first_cast: the number of casts already there. */
struct classes *classes_create(const struct elf_file *image, struct type_names *names,
			       unsigned module, unsigned first_cast, struct arena *arena);
void classes_destroy(struct classes *classes); /* NULL is fine */

/* Do objects of @record start with a pointer to a vtable? */
bool classes_is_dynamic(struct classes *classes, Dwarf_Die *record);

struct derived_class {
	Dwarf_Die die;    /* its definition */
	const char *name; /* canonical: "ns::Derived" */
	unsigned cast;    /* @arg of PLAN_CAST */
};

/*
 * The classes that derive from @record, directly or not, and that have a definition: nearest first,
 * then by name. *@ret lives as long as @classes.
 */
size_t classes_derived(struct classes *classes, Dwarf_Die *record,
		       const struct derived_class **ret);

/* Is the base class @base of a class derived from @record one that @record's own features cover? */
bool classes_covers(struct classes *classes, Dwarf_Die *record, Dwarf_Die *base);

/*
 * Add to the classes, vtables and casts of @catalogue: all classes with a vtable symbol in the
 * image, if classes_is_dynamic() was ever asked for one and said yes, else none. A class that the
 * catalogue has already (from another module) is not added again. Classes stay sorted by name,
 * which moves indices: those in the catalogue's vtables and casts are moved with them.
 */
void classes_publish(struct classes *classes, struct catalogue *catalogue);
