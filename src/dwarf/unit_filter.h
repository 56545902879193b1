/*
 * Unit filters: which units can hold a DIE of a given name, found out without looking at DIEs.
 *
 * To walk over all DIEs of a large program takes seconds, and most units do not even mention the name
 * that is looked for. A filter may let a unit pass that does not have it, never hold one back that does.
 */
#ifndef FATHOM_DWARF_UNIT_FILTER_H
#define FATHOM_DWARF_UNIT_FILTER_H

#include "dwarf/image.h"

struct unit_filter;

/*
 * A filter for units with a DIE that is called (DW_AT_name) one of @names, or one of them followed by
 * template arguments, or that has one of them as its linkage name.
 */
struct unit_filter *unit_filter_create(const struct image *image, const char *const *names,
				       size_t n);
void unit_filter_destroy(struct unit_filter *filter); /* NULL is fine */

/* Can the unit with the DIE @unit (the split one, if it is split) have such a DIE? */
bool unit_filter_passes(const struct unit_filter *filter, Dwarf_Die *unit);

#endif
