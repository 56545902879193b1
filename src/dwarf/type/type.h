/*
 * Types, as far as reading values requires.
 *
 * Source: DWARF 5, chapter 5; System V x86-64 psABI, figure 3.1 (sizes and formats).
 */
#pragma once

#include "base/arena.h"
#include "core/feature.h"
#include "dwarf/file/die.h"

enum type_kind {
	TYPE_VOID,
	TYPE_INTEGER,
	TYPE_INT128, /* __int128, signed or not: 16 bytes */
	TYPE_BOOL,
	TYPE_FLOAT,
	TYPE_LONG_DOUBLE, /* the x87's format in 16 bytes */
	TYPE_COMPLEX,     /* two numbers, real first; type_complex_part() */
	TYPE_ENUM,
	TYPE_CHAR, /* plain char: a pointer to it counts as a C string */
	TYPE_POINTER,
	TYPE_REFERENCE,
	TYPE_MEMBER_POINTER, /* C++: an offset, or a function and an adjustment of `this` */
	TYPE_NULLPTR,        /* std::nullptr_t, with one value */
	TYPE_RECORD,         /* structure or class */
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_VECTOR, /* SIMD (__m128): an array, but passed in a register */
	TYPE_FUNCTION,
	TYPE_INCOMPLETE, /* only declared here */
	TYPE_OTHER,
};

struct type {
	enum type_kind kind;
	Dwarf_Die die; /* without typedefs and qualifiers; unset for TYPE_VOID */
	/*
	 * Bytes of numbers and pointers: 1, 2, 4 or 8; TYPE_INT128 and TYPE_LONG_DOUBLE: 16; of
	 * complex numbers, both parts. 0 for all else.
	 */
	unsigned size;
	bool is_signed;
	bool is_const;    /* one of the stripped qualifiers is const */
	const char *what; /* TYPE_OTHER: what it is ("a decimal number"), or NULL */
};

/*
 * The type of the variable or member @die, or the target type of a pointer DIE. Never fails:
 * malformed types are TYPE_OTHER.
 */
struct type type_of(Dwarf_Die *die);

/* The type that @die itself defines. */
struct type type_defined(Dwarf_Die *die);

/*
 * Is it a number of at most 8 bytes, which location_load() loads? scalar_load() (scalar.h) also
 * reads TYPE_INT128 and TYPE_LONG_DOUBLE.
 */
bool type_is_scalar(const struct type *type);

/* The feature type for values of @type. */
enum feature_type type_feature(const struct type *type);

/* A phrase with its article, for messages: "a union". */
const char *type_phrase(const struct type *type);

/* The size of any type in bytes. False: unknown, or only known at run time. */
bool type_byte_size(const struct type *type, uint64_t *ret);

enum { ARRAY_DIMENSIONS_MAX = 8, LABELS_MAX = 4096 };

struct array_shape {
	struct type element;
	uint64_t element_size; /* bytes from one to the next; 0: unknown */
	unsigned n_dimensions;
	uint64_t counts[ARRAY_DIMENSIONS_MAX]; /* [n_dimensions], of elements */
	uint64_t n;                            /* total number of elements */
};

/*
 * The shape of a TYPE_ARRAY or TYPE_VECTOR. False: another type, unknown length (flexible members,
 * variable-length arrays), 2^32 bytes or more, or indices that do not start at 0.
 */
bool type_array(const struct type *type, struct array_shape *ret);

/*
 * The type of each part of a TYPE_COMPLEX: TYPE_FLOAT or TYPE_LONG_DOUBLE. The imaginary part
 * follows the real one.
 */
struct type type_complex_part(const struct type *type);

/*
 * The enumerators of a TYPE_ENUM (at most LABELS_MAX), sorted by number; of equal numbers the
 * first. Names live in @arena. Returns their number; *@ret is NULL if 0.
 */
size_t type_labels(const struct type *type, struct arena *arena, const struct label **ret);
