/*
 * Unit filters: which units can hold a DIE that is looked for, found out without looking at DIEs.
 *
 * To walk over all DIEs of a large program takes seconds, and most units do not even mention the
 * name that is looked for. A filter may let a unit pass that has nothing, never hold one back that
 * has.
 *
 * A DIE without a name of its own may take one from a DIE of another unit, to which it refers
 * (DW_AT_abstract_origin, DW_AT_specification; after dwz and link-time optimisation). Such units
 * mention the other DIE's offset: who cares for them adds those offsets when they are known, and
 * walks again.
 */
#pragma once

#include "dwarf/file/elf_file.h"

struct unit_filter;

/*
 * A filter for units with a DIE that is called (DW_AT_name) one of @names, or one of them followed
 * by template arguments, or that has one of them as its linkage name. @names are borrowed for as
 * long as the filter lives.
 */
struct unit_filter *unit_filter_create(const struct elf_file *image, const char *const *names,
				       size_t n);
void unit_filter_destroy(struct unit_filter *filter); /* NULL is fine */

/* Let units pass, too, that have @die, or refer to it. It may be added again. */
void unit_filter_add_die(struct unit_filter *filter, Dwarf_Die *die);

/* How many different ones were added. */
size_t unit_filter_dies(const struct unit_filter *filter);

/* Let units pass, too, whose code holds the link-time address @addr. */
void unit_filter_add_address(struct unit_filter *filter, uint64_t addr);

/* Can the unit with the DIE @unit (the split one, if it is split) have such a DIE? */
bool unit_filter_passes(const struct unit_filter *filter, Dwarf_Die *unit);

/*
 * Can a DIE below @die, which is in a unit that passes, have one of the names, or refer to a DIE
 * that was added? Where that cannot be known, or would take as long as looking, it can.
 */
bool unit_filter_below(const struct unit_filter *filter, Dwarf_Die *die);
