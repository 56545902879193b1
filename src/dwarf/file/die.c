/*
 * Attributes, children and code ranges of DIEs. libdw bounds chains of references and keeps
 * siblings in order.
 */
#include "die.h"

#include <stdlib.h>

#include "base/mem.h"
#include "elf_file.h"

enum { RANGES_MAX = 4096 };

bool die_flag(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	bool flag = false;

	if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formflag(&found, &flag) != 0)
		return false;
	return flag;
}

bool die_number(Dwarf_Die *die, unsigned attribute, uint64_t *ret)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) != 0)
		return false;
	*ret = number;
	return true;
}

const char *die_linkage(Dwarf_Die *die)
{
	Dwarf_Attribute found;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &found) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &found))
		name = dwarf_formstring(&found);
	return name && *name ? name : NULL;
}

/*
 * Not dwarf_decl_file(): it takes number 0 for none, but since DWARF 5 that is the unit's own file.
 */
const char *die_file(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute found;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t n;

	if (!dwarf_attr_integrate(die, attribute, &found) ||
	    dwarf_formudata(&found, &number) != 0 ||
	    dwarf_cu_info(found.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) != 0 ||
	    dwarf_getsrcfiles(&unit, &files, &n) != 0 || number >= n ||
	    (number == 0 && version < 5))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret)
{
	Dwarf_Attribute found;

	return dwarf_attr_integrate(die, attribute, &found) && dwarf_formref_die(&found, ret);
}

bool die_first(Dwarf_Die *parent, Dwarf_Die *ret)
{
	return dwarf_child(parent, ret) == 0;
}

bool die_next(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || next.addr <= die->addr)
		return false;
	*die = next;
	return true;
}

static int range_order(const void *a, const void *b)
{
	const struct address_range *x = a, *y = b;

	return x->low_addr < y->low_addr ? -1 : x->low_addr > y->low_addr;
}

bool die_unit_at(const struct elf_file *image, uint64_t addr, Dwarf_Die *ret)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	if (dwarf_addrdie(image->dwarf, addr, ret))
		return true;
	while (dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (dwarf_haspc(&die, addr) > 0) {
			*ret = die;
			return true;
		}
	return false;
}

bool die_range_clamp(const struct elf_file *image, struct address_range *range)
{
	size_t size;

	if (range->high_addr <= range->low_addr || !elf_file_code(image, range->low_addr, &size))
		return false;
	if (range->high_addr - range->low_addr > size)
		range->high_addr = range->low_addr + size;
	return true;
}

size_t die_ranges_merge(struct address_range *ranges, size_t n)
{
	size_t kept = 0;

	qsort(ranges, n, sizeof(*ranges), range_order);
	for (size_t i = 0; i < n; i++) {
		if (kept && ranges[i].low_addr <= ranges[kept - 1].high_addr) {
			if (ranges[i].high_addr > ranges[kept - 1].high_addr)
				ranges[kept - 1].high_addr = ranges[i].high_addr;
		} else {
			ranges[kept++] = ranges[i];
		}
	}
	return kept;
}

bool die_entry(Dwarf_Die *die, Dwarf_Addr *ret)
{
	Dwarf_Addr base, end;

	return dwarf_entrypc(die, ret) == 0 || dwarf_ranges(die, 0, &base, ret, &end) > 0;
}

bool die_ranges(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
		struct function *ret)
{
	struct address_range *ranges = NULL;
	size_t capacity = 0, n = 0;
	Dwarf_Addr base, low, high, entry = 0;
	ptrdiff_t at = 0;

	die_entry(die, &entry);
	while (n < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct address_range range = {low, high};

		if (!die_range_clamp(image, &range))
			continue;
		ranges = mem_grow(ranges, &capacity, n + 1, sizeof(*ranges));
		ranges[n++] = range;
	}
	n = n ? die_ranges_merge(ranges, n) : 0;
	ret->ranges = n ? arena_copy(arena, ranges, n * sizeof(*ranges)) : NULL;
	ret->n_ranges = n;
	ret->entry_addr = entry;
	free(ranges);
	return n && catalogue_contains(ret, entry);
}
