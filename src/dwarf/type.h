/*
 * Types, as far as reading values needs them.
 */
#ifndef FATHOM_DWARF_TYPE_H
#define FATHOM_DWARF_TYPE_H

#include "core/feature.h"
#include "dwarf/die.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INTEGER,
	TYPE_BOOL,
	TYPE_FLOAT,
	TYPE_ENUM,
	TYPE_CHAR, /* plain char: a pointer to it is taken for a C string */
	TYPE_POINTER,
	TYPE_REFERENCE,
	TYPE_RECORD, /* structure or class */
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_FUNCTION,
	TYPE_INCOMPLETE, /* only declared here */
	TYPE_OTHER,
};

struct type {
	enum type_kind kind;
	Dwarf_Die die; /* without typedefs and qualifiers; not of TYPE_VOID */
	unsigned size; /* bytes, of numbers and pointers: 1, 2, 4 or 8 */
	bool is_signed;
};

/*
 * The type of the thing, or behind the pointer, that @die describes. It never fails: what makes no
 * sense is TYPE_OTHER.
 */
struct type type_of(Dwarf_Die *die);

/* Is it a number that a feature can be? */
bool type_is_scalar(const struct type *type);

/* The type of a feature with this type. */
enum feature_type type_feature(const struct type *type);

/* A phrase with article for people: "a union". */
const char *type_phrase(const struct type *type);

#endif
