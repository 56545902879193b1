/*
 * Interpreters: which function of the interpreted program one of their functions runs, as a
 * feature. Private to feature_list.h.
 */
#pragma once

#include "dwarf/feature/feature_search.h"

/* Add the feature if the table of interpreters has the function @die. */
void written_interpreter_find(struct feature_search *finder, Dwarf_Die *die);
