/* Rows of the line table, in the order of addresses. */
#include "line_table.h"

#include "base/bisect.h"
#include "die.h"

enum { RANGES_MAX = 4096 };

/* The range that contains the entry. */
static bool entry_range(Dwarf_Die *function, uint64_t *ret_low, uint64_t *ret_high)
{
	Dwarf_Addr base, low, high, entry;
	ptrdiff_t at = 0;

	if (!die_entry(function, &entry))
		return false;
	*ret_low = *ret_high = entry;
	for (int i = 0; i < RANGES_MAX; i++) {
		at = dwarf_ranges(function, at, &base, &low, &high);
		if (at <= 0)
			break;
		if (entry >= low && entry < high)
			*ret_high = high;
	}
	return *ret_high > *ret_low;
}

static Dwarf_Addr row_addr(const struct line_table *lines, size_t row)
{
	Dwarf_Addr ret = 0;

	dwarf_lineaddr(dwarf_onesrcline(lines->rows, row), &ret);
	return ret;
}

/* The first row at or after @addr; libdw sorts rows by address. */
static size_t first_row(const struct line_table *lines, uint64_t addr)
{
	return BISECT_FIRST(i, lines->n, row_addr(lines, i) < addr);
}

bool line_table_open(Dwarf_Die *function, struct line_table *ret)
{
	Dwarf_Die unit;

	if (!entry_range(function, &ret->low_addr, &ret->high_addr) ||
	    !dwarf_diecu(function, &unit, NULL, NULL) ||
	    dwarf_getsrclines(&unit, &ret->rows, &ret->n) != 0)
		return false;
	ret->at = first_row(ret, ret->low_addr);
	return true;
}

bool line_table_next(struct line_table *lines, Dwarf_Addr *ret_addr, bool *ret_prologue_end)
{
	while (lines->at < lines->n) {
		Dwarf_Line *line = dwarf_onesrcline(lines->rows, lines->at++);
		bool sequence_end = false;

		*ret_prologue_end = false;
		if (!line || dwarf_lineaddr(line, ret_addr) != 0 || *ret_addr >= lines->high_addr)
			return false;
		dwarf_lineendsequence(line, &sequence_end);
		dwarf_lineprologueend(line, ret_prologue_end);
		if (!sequence_end && *ret_addr >= lines->low_addr)
			return true;
	}
	return false;
}

uint64_t line_table_prologue_end(Dwarf_Die *function)
{
	struct line_table lines;
	Dwarf_Addr entry = 0;
	Dwarf_Addr second, addr;
	bool marked;

	die_entry(function, &entry);
	second = entry;
	if (!line_table_open(function, &lines))
		return entry;
	while (line_table_next(&lines, &addr, &marked)) {
		if (marked)
			return addr;
		if (second == entry)
			second = addr;
	}
	return second;
}

bool line_table_source(Dwarf_Die *function, uint64_t addr, const char **ret_file,
		       unsigned *ret_line)
{
	Dwarf_Line *row;
	const char *file;
	Dwarf_Die unit;
	int line = 0;

	if (!dwarf_diecu(function, &unit, NULL, NULL))
		return false;
	row = dwarf_getsrc_die(&unit, addr);
	file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(row, &line) != 0 || line <= 0)
		return false;
	*ret_file = file;
	*ret_line = (unsigned)line;
	return true;
}
