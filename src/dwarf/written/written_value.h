/*
 * Values of parts of a written expression: where they are or how they are computed. Private to
 * written_feature.h.
 *
 * The functions change @value in place. False: that is not possible, and @maker's `why` says why in
 * a phrase.
 */
#pragma once

#include "dwarf/feature/feature_search.h"
#include "written_parse.h"

/* A type, and pointers to it that the debug information need not have. */
struct written_type {
	struct type type;
	unsigned pointers;
};

/* "struct node", "a pointer", for messages; in the finder's arena. */
const char *written_value_type_name(struct feature_search *finder, const struct written_type *type);

struct written_value {
	struct written_type of;
	struct location at;
	struct member_bits bits;
	bool is_computed;   /* @at's steps leave the number, extended to 64 bits; else the object */
	unsigned n_indexed; /* dimensions of an array that are chosen already */
};

struct written_maker {
	struct feature_search *finder;
	Dwarf_Die *function;
	const char *why;
	/* What a name means, unless names are members of a container. */
	bool (*find)(struct written_maker *maker, const char *name, struct written_value *ret);
	const struct written_value *container; /* NULL: none */
	unsigned nesting;                      /* containers within containers */
	unsigned depth;                        /* steps, as features count them */
};

bool written_value_fail(struct written_maker *maker, const char *why);

/* What @pointer points to. False: it is no pointer; _target() says so in @maker's `why`. */
bool written_value_points_to(struct feature_search *finder, const struct written_type *pointer,
			     struct written_type *ret);
bool written_value_target(struct written_maker *maker, const struct written_value *value,
			  struct written_type *ret);

/* In bytes. False: it has none. */
bool written_value_size(const struct written_type *type, uint64_t *ret);
bool written_value_is_pointer(const struct written_value *value);
bool written_value_is_integer(const struct written_value *value);

struct type written_value_integer(unsigned size, bool is_signed);

/* The type of an array's elements, behind the dimensions that are chosen. False: no array. */
bool written_value_element(struct written_maker *maker, const struct written_value *array,
			   struct written_type *ret, struct array_shape *shape);

/* The steps of @value leave a number of @type from now on. */
void written_value_compute(struct written_value *value, struct type type);

/* The word of an object on the stack: an integer, a pointer, or the address of an array. */
bool written_value_load(struct written_maker *maker, struct written_value *value);

/* A reference becomes what it refers to. */
bool written_value_settle(struct written_maker *maker, struct written_value *value);

bool written_value_dereference(struct written_maker *maker, struct written_value *value);
bool written_value_address(struct written_maker *maker, struct written_value *value);
bool written_value_member(struct written_maker *maker, struct written_value *value,
			  const char *name);
bool written_value_index(struct written_maker *maker, struct written_value *value,
			 const struct written_value *index);

struct written_value written_value_number(const struct written *number);
