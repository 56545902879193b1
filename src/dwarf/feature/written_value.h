/*
 * Values of parts of a written expression: where they are or how they are computed. Private to
 * written_feature.h.
 *
 * The functions change @value in place. False: that is not possible, and @maker's `why` says why in
 * a phrase.
 */
#pragma once

#include "feature_search.h"
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
};

bool written_value_fail(struct written_maker *maker, const char *why);

/* A reference becomes what it refers to. */
bool written_value_settle(struct written_maker *maker, struct written_value *value);

bool written_value_dereference(struct written_maker *maker, struct written_value *value);
bool written_value_address(struct written_maker *maker, struct written_value *value);
bool written_value_member(struct written_maker *maker, struct written_value *value,
			  const char *name);
bool written_value_index(struct written_maker *maker, struct written_value *value,
			 const struct written_value *index);
bool written_value_cast(struct written_maker *maker, struct written_value *value,
			const struct written_type *to);
bool written_value_strlen(struct written_maker *maker, struct written_value *value);
bool written_value_unary(struct written_maker *maker, struct written_value *value,
			 enum written_kind kind);
bool written_value_binary(struct written_maker *maker, struct written_value *left,
			  const struct written_value *right, enum written_kind kind);

struct written_value written_value_number(const struct written *number);
