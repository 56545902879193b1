/*
 * Features: what can be read at a function's probe address and at its return.
 */
#pragma once

#include "dwarf/feature/function_features.h"

/*
 * Add those of @required [n] that are meant for @function (NULL: it has no name), in their order,
 * to the limits @ret; plain names may match other functions, too. Texts live in @arena.
 */
void feature_list_require(const struct required_feature *required, size_t n, const char *function,
			  struct arena *arena, struct feature_limits *ret);

/*
 * Set @ret's features: those reached from parameters (of a block, before them, from local
 * variables), then from the return value, then from
 * globals, last the system's. Each group breadth first: the variables in their order, then what is
 * one step away, and so on. A step is a member, an element or a dereference; `p->m` is one step, as
 * are the length of a string and the sum of an array. References, base classes and anonymous
 * structures are free.
 *
 * Required features that these do not have are made from their expressions (written_feature.h).
 *
 * Unreadable variables, members or arrays become features without a plan, with the reason. Also
 * sets @ret's counts of features cut, places too deep, and local variables.
 */
void feature_list_find(Dwarf_Die *die, const struct frame_base *frame,
		       const struct function_features *sources, const struct feature_limits *limits,
		       struct arena *arena, struct function *ret);

/* The features of a function known only by its symbol: the argument registers, and the system's. */
void feature_list_bare(const struct feature_limits *limits, struct arena *arena,
		       struct function *ret);
