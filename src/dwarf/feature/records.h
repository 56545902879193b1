/*
 * Pushes members as nodes, with the expressions that name them. Private to feature_list.h.
 */
#pragma once

#include "feature_search.h"

/* An object and how to reach its members. */
struct record_view {
	const struct node *node; /* its origin: depth and marks */
	const char *expression;
	enum operand operand;
	const struct location *at;
	Dwarf_Die *record;
	bool is_const;
	/* As in struct member_visitor: such members are not pushed. */
	bool (*skips)(void *self, Dwarf_Die *base, const struct location *at);
	void *self;
};

/* Push the object's members as nodes one step away. False: there are none. */
bool records_push(struct feature_search *finder, const struct record_view *view);

/*
 * Push the members of the object @node, named by its own expression. Of a base that is a container
 * what the container says is pushed instead.
 */
void records_expand(struct feature_search *finder, const struct node *node, enum operand operand);
