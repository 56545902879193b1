/*
 * A DWARF expression during its compilation: shared by location_compile.c and the files that
 * compile its groups of operators.
 *
 * Each word on the expression's stack has a type: the generic one (an address-sized integer without
 * a particular sign) or a base type, to whose width integers are kept extended. Floats are stored
 * as bits. Source: DWARF 5, sections 2.5.1 and 2.6.1.
 */
#pragma once

#include "location.h"

struct word_type {
	unsigned size; /* 1, 2, 4 or 8 bytes; 0: the generic type */
	bool is_signed, is_float;
};

struct expression {
	Dwarf_Attribute *attribute;
	const struct frame_base *frame;
	struct arena *arena;
	struct location *at;
	bool has_base; /* `where` describes the top of the stack, without `offset` */
	bool nested;   /* in an entry value */
	struct word_type types[PLAN_STACK];
	unsigned depth;
};

/* The name of a DWARF operator, for messages. */
const char *expression_operator_name(unsigned atom, struct arena *arena);

/* Make the location absent: "DW_OP_… @why". */
void expression_refuse(struct expression *e, const Dwarf_Op *op, const char *why);

/* Make the location absent: the expression is malformed. */
void expression_broken(struct expression *e);

/* The word on top has no description any more. */
void expression_unclear(struct expression *e);

/* Describe the word about to be pushed as @where plus @offset, if it is the first. */
void expression_name(struct expression *e, const char *where, int64_t offset);

/* Track the stack's depth and types. False: overflow or underflow; the location is then absent. */
bool expression_push(struct expression *e, struct word_type type);
bool expression_pop(struct expression *e, unsigned n);

/* Truncate or extend the integer on top to its type's width. */
void expression_normalise(struct expression *e, struct word_type type);

/* Compile an expression without pieces. @start as in location_compile(). */
void location_compile_expression(struct expression *e, const Dwarf_Op *ops, size_t n,
				 const struct location *start);

/* DW_OP_entry_value, DW_OP_GNU_parameter_ref and DW_OP_implicit_value. */
void implicit_values_entry_value(struct expression *e, const Dwarf_Op *op);
void implicit_values_parameter(struct expression *e, const Dwarf_Op *op);
void implicit_values_constant(struct expression *e, const Dwarf_Op *op);

/* A constant by its bytes, in memory's order: a word, or pieces. False: it has an odd size. */
bool implicit_values_block(const Dwarf_Block *block, struct arena *arena, struct location *ret);

/* Compile an expression that contains pieces_is_piece() operators. */
void pieces_compile(struct expression *e, const Dwarf_Op *ops, size_t n);
bool pieces_is_piece(const Dwarf_Op *op);

/* Compile @op if it computes or moves words; false: another kind of operator. */
bool arithmetic_compile(struct expression *e, const Dwarf_Op *op);

/* The base type that @op refers to. False: unsupported for words; the location is then absent. */
bool typed_ops_find(struct expression *e, const Dwarf_Op *op, struct word_type *ret);

/* DW_OP_convert, DW_OP_reinterpret and DW_OP_const_type, and their GNU forms. */
void typed_ops_convert(struct expression *e, const Dwarf_Op *op);
void typed_ops_reinterpret(struct expression *e, const Dwarf_Op *op);
void typed_ops_constant(struct expression *e, const Dwarf_Op *op);
