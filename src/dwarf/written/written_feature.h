/*
 * Features that somebody names by an expression which the search does not come to. Private to
 * feature_list.h.
 */
#pragma once

#include "dwarf/feature/feature_search.h"

/*
 * Find the required features of the function @die that the search has not found, by compiling their
 * expressions; sets @finder->limits->why of those that cannot be.
 */
void written_feature_find(struct feature_search *finder, Dwarf_Die *die);
