/*
 * A DWARF expression while it is compiled: what location_compile.c and the files that it is divided
 * into share.
 *
 * Each word of the expression's stack has a type: the generic one (an address-sized integer of no
 * particular sign), or a base type, in whose width integers are kept extended. Floats are their
 * bits. Source: DWARF 5, sections 2.5.1 and 2.6.1.
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
	bool has_base; /* the text in `where` describes the top of the stack but for `offset` */
	bool nested;   /* in an entry value */
	struct word_type types[PLAN_STACK];
	unsigned depth;
};

/* The name of a DWARF operator, for explanations. */
const char *expression_operator_name(unsigned atom, struct arena *arena);

/* Make the location absent: "DW_OP_… @why". */
void expression_refuse(struct expression *e, const Dwarf_Op *op, const char *why);

/* The same of an expression that makes no sense. */
void expression_broken(struct expression *e);

/* The word on top describes nothing that has a name. */
void expression_unclear(struct expression *e);

/*
 * Say of the word that is about to be pushed what it is: @where, and @offset from that. Only if it
 * is the first.
 */
void expression_name(struct expression *e, const char *where, int64_t offset);

/* Follow the stack. False: too deep, or not that many words; the location is absent then. */
bool expression_push(struct expression *e, struct word_type type);
bool expression_pop(struct expression *e, unsigned n);

/* Bring an integer on top into its type's width. */
void expression_normalise(struct expression *e, struct word_type type);

/* Compile an expression for one place. @start as location_compile() has it. */
void location_compile_expression(struct expression *e, const Dwarf_Op *ops, size_t n,
				 const struct location *start);

/* DW_OP_entry_value and DW_OP_implicit_value. */
void implicit_values_entry_value(struct expression *e, const Dwarf_Op *op);
void implicit_values_constant(struct expression *e, const Dwarf_Op *op);

/* Compile an expression in which operators are pieces_is_piece(). */
void pieces_compile(struct expression *e, const Dwarf_Op *ops, size_t n);
bool pieces_is_piece(const Dwarf_Op *op);

/* Compile @op if it computes or moves words of the stack; false: it does something else. */
bool arithmetic_compile(struct expression *e, const Dwarf_Op *op);

/*
 * The type of @op's operand @offset. False: none that words can have; the location is absent then.
 */
bool typed_ops_find(struct expression *e, const Dwarf_Op *op, struct word_type *ret);

/* DW_OP_convert, DW_OP_reinterpret and DW_OP_const_type, and their GNU forms. */
void typed_ops_convert(struct expression *e, const Dwarf_Op *op);
void typed_ops_reinterpret(struct expression *e, const Dwarf_Op *op);
void typed_ops_constant(struct expression *e, const Dwarf_Op *op);
