/*
 * Roots: the variables from which features are reached. Private to function_features.h.
 */
#pragma once

#include "feature_search.h"

/* Push the parameters of the function @die, in their order. */
void root_variables_parameters(struct feature_search *finder, Dwarf_Die *die);

/* Push what it returns, as `return`. */
void root_variables_returned(struct feature_search *finder, Dwarf_Die *die);

/* Push those of @which global variables that are not pushed yet. */
void root_variables_globals(struct feature_search *finder, Dwarf_Die *die, enum globals which);

/* How many local variables it has that live in its frame. */
size_t root_variables_count_locals(Dwarf_Die *die);
