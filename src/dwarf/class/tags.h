/*
 * Tags: static objects that say of what structure an object is that points to them, as CPython's
 * PyList_Type does of a PyListObject that is known as a PyObject.
 *
 * A structure has a tag if a member points to a structure with pointers to functions whose first
 * parameter is a pointer to the former. What such a function of a static object says of its own
 * first parameter, the objects with that tag are: `list_dealloc(PyListObject *)` in PyList_Type.
 * Where functions contradict each other, or none says more, a tag says nothing; nor is told what
 * tags are themselves.
 */
#pragma once

#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"

struct tag {
	const char *name; /* of the static object, unique in the image */
	uint64_t addr;
	const char *
		structure; /* as a cast names it: "PyListObject", "struct square"; NULL: not told */
	Dwarf_Die record;  /* its definition; it begins with the structure that has the tag */
	size_t n_functions; /* how many take a pointer to it first, where tags' functions are */
	bool is_known;      /* in the unit of the structure that was asked for */
};

/* The structure at the beginning of objects that has the pointer to the tag, and the tags. */
struct tag_base {
	int64_t offset;         /* of the pointer, from the beginning of an object */
	const char *path;       /* to it: "ob_base.ob_type" */
	const struct tag *tags; /* first those that are known, then those of most functions */
	size_t n;
};

/* What is known of an image's tags, found on demand. */
struct tags;

struct tags *tags_create(const struct elf_file *image, struct arena *arena);
void tags_destroy(struct tags *tags); /* NULL is fine */

/*
 * The tag of objects of the structure @record, or NULL: it has none, or the image has no static
 * object for it. Not of C++: its classes have vtables.
 */
const struct tag_base *tags_find(struct tags *tags, Dwarf_Die *record);

/*
 * Does an object of @record begin with one of @base, or is it of the same structure, wherever they
 * are defined? @ret_path (may be NULL): to it, "" if it is the same.
 */
bool tags_begins(Dwarf_Die *record, Dwarf_Die *base, struct arena *arena, const char **ret_path);

/* Has any structure that was asked for tags? */
bool tags_are(const struct tags *tags);

/* Those of all structures that were asked for, in @ret, in @arena. Returns their number. */
size_t tags_all(const struct tags *tags, struct arena *arena, struct tag **ret);

/* The name that the target of the parameter or pointer @die is declared with; NULL: none. */
const char *tags_declared_name(Dwarf_Die *die);
