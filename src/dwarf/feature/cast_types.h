/*
 * What a parameter that points to nothing known, or to a base structure, really points to. Private
 * to feature_list.h.
 */
#pragma once

#include "feature_search.h"

/*
 * Where a call of the function @die begins, some variable of it or parameter of a function inlined
 * there may be in the very place of @parameter: then it is the same pointer, and has a type of its
 * own, of a structure for `void *`, or of one whose first member is what @parameter points to. If
 * all such have the same type, set @ret to @parameter with that type, as a cast, and its
 * `known_as`. False: there is none, or more than one.
 */
bool cast_types_find(struct feature_search *finder, Dwarf_Die *die, const struct node *parameter,
		     struct node *ret);
