/*
 * Records: members as nodes, under the expressions that name them. Private to function_features.h.
 */
#pragma once

#include "feature_search.h"

/* The type of expression that names an object. */
enum operand {
	OPERAND_OBJECT,  /* itself: `o.m` */
	OPERAND_POINTER, /* a pointer to it: `p->m` */
};

/* An object whose members are wanted. */
struct record_view {
	const struct node *node; /* that it was reached from: depth and marks */
	const char *expression;
	enum operand operand;
	const struct location *at;
	Dwarf_Die *record;
	bool is_const;
	/* As in struct member_visitor: their members are not pushed. */
	bool (*skips)(void *self, Dwarf_Die *base);
	void *self;
};

/* Push the members of the object as nodes one step away; returns whether there are any. */
bool records_push(struct feature_search *finder, const struct record_view *view);

/* The members of the object @node, known by its own expression. */
void records_expand(struct feature_search *finder, const struct node *node, enum operand operand);
