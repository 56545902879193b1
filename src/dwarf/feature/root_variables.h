/*
 * Roots: the variables from which features are reached. Private to feature_list.h.
 */
#pragma once

#include "feature_search.h"

/* Push the parameters of the function @die, in their order. */
void root_variables_parameters(struct feature_search *finder, Dwarf_Die *die);

/*
 * Push the local variables of the function @die whose scopes contain the frame's address and that
 * are declared before @line, those of inner scopes first.
 */
void root_variables_locals(struct feature_search *finder, Dwarf_Die *die, unsigned line);

/* Push the return value, as `return`. */
void root_variables_returned(struct feature_search *finder, Dwarf_Die *die);

/* Push the global variables of @which that are not pushed yet. */
void root_variables_globals(struct feature_search *finder, Dwarf_Die *die, enum globals which);

/* The number of its local variables that live in its frame. */
size_t root_variables_count_locals(Dwarf_Die *die);
