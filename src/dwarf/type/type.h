/*
 * Types, as far as reading values needs them.
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
	TYPE_COMPLEX,     /* two numbers, the real one first; type_complex_part() */
	TYPE_ENUM,
	TYPE_CHAR, /* plain char: a pointer to it is taken for a C string */
	TYPE_POINTER,
	TYPE_REFERENCE,
	TYPE_MEMBER_POINTER, /* C++: an offset, or a function and what to add to `this` */
	TYPE_NULLPTR,        /* std::nullptr_t, which has one value */
	TYPE_RECORD,         /* structure or class */
	TYPE_UNION,
	TYPE_ARRAY,
	TYPE_VECTOR, /* of the processor (__m128): an array, but passed in a register */
	TYPE_FUNCTION,
	TYPE_INCOMPLETE, /* only declared here */
	TYPE_OTHER,
};

struct type {
	enum type_kind kind;
	Dwarf_Die die; /* without typedefs and qualifiers; not of TYPE_VOID */
	/*
	 * Bytes, of numbers and pointers: 1, 2, 4 or 8; TYPE_INT128 and TYPE_LONG_DOUBLE: 16; of
	 * complex numbers both parts. 0 for all else.
	 */
	unsigned size;
	bool is_signed;
	bool is_const;    /* a qualifier that was taken off says so */
	const char *what; /* TYPE_OTHER: what it is ("a decimal number"), or NULL */
};

/*
 * The type of the thing, or behind the pointer, that @die describes. It never fails: what makes no
 * sense is TYPE_OTHER.
 */
struct type type_of(Dwarf_Die *die);

/* The type that @die itself defines. */
struct type type_defined(Dwarf_Die *die);

/*
 * Is it a number of at most 8 bytes? Its location can be loaded with location_load(). scalar_load()
 * (scalar.h) also reads TYPE_INT128 and TYPE_LONG_DOUBLE.
 */
bool type_is_scalar(const struct type *type);

/* The type of a feature with this type. */
enum feature_type type_feature(const struct type *type);

/* A phrase with article for people: "a union". */
const char *type_phrase(const struct type *type);

/* The size of any type in bytes. False: it is not known, or depends on the run. */
bool type_byte_size(const struct type *type, uint64_t *ret);

enum { ARRAY_DIMENSIONS_MAX = 8, LABELS_MAX = 4096 };

struct array_shape {
	struct type element;
	uint64_t element_size; /* bytes from one to the next; 0: not known */
	unsigned n_dimensions;
	uint64_t counts[ARRAY_DIMENSIONS_MAX]; /* of elements, the first dimension first */
	uint64_t n;                            /* elements in all dimensions together */
};

/*
 * The shape of a TYPE_ARRAY or TYPE_VECTOR. False: it is not one, or its length is not known
 * (flexible members, variable-length arrays), or more than fits into 32 bits of bytes. Indices that
 * do not start at 0 are not read either.
 */
bool type_array(const struct type *type, struct array_shape *ret);

/*
 * The type of a part of a TYPE_COMPLEX: TYPE_FLOAT or TYPE_LONG_DOUBLE. The imaginary one is behind
 * the real.
 */
struct type type_complex_part(const struct type *type);

/*
 * The enumerators of a TYPE_ENUM, sorted by number; of several with one number the first. At most
 * LABELS_MAX; names live in the arena. Returns how many; *@ret is NULL if there are none.
 */
size_t type_labels(const struct type *type, struct arena *arena, const struct label **ret);
