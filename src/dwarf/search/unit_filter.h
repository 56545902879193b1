/*
 * Filters units by whether they can contain a DIE of a given name, without reading DIEs.
 *
 * Walking over all DIEs of a large program takes seconds, and most units do not even mention the
 * name. A filter may pass a unit that has no such DIE, but never reject one that has.
 *
 * A DIE may take its name from a DIE of another unit (DW_AT_abstract_origin, DW_AT_specification;
 * after dwz and link-time optimisation). Its unit mentions the other DIE's offset: add such offsets
 * once they are known, and walk again.
 */
#pragma once

#include "dwarf/file/elf_file.h"

struct unit_filter;

/*
 * A filter for units with a DIE whose name (DW_AT_name) or linkage name is one of @names, or whose
 * name is one of them plus template arguments. @names[n] is borrowed while the filter lives.
 */
struct unit_filter *unit_filter_create(const struct elf_file *image, const char *const *names,
				       size_t n);
void unit_filter_destroy(struct unit_filter *filter); /* NULL is fine */

/* Also pass units that contain or refer to @die. It may be added again. */
void unit_filter_add_die(struct unit_filter *filter, Dwarf_Die *die);

/* The number of distinct DIEs added. */
size_t unit_filter_dies(const struct unit_filter *filter);

/* Also pass units with code at the link-time address @addr. */
void unit_filter_add_address(struct unit_filter *filter, uint64_t addr);

/* Can the unit with the DIE @unit (the split one, if split) contain a matching DIE? */
bool unit_filter_passes(const struct unit_filter *filter, Dwarf_Die *unit);

/*
 * Can a DIE below @die, in a unit that passes, have one of the names, or refer to an added DIE?
 * True if unknown, or if checking would take as long as walking.
 */
bool unit_filter_below(const struct unit_filter *filter, Dwarf_Die *die);
