/* Rows of the line tables of all units. */
#include "line_addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/search/die_walk.h"

struct line_search {
	const char *file;
	unsigned line;
	unsigned next; /* the first line with code behind it; 0: none */
	bool has_file;
	uint64_t *addrs;
	size_t n, capacity;
};

/* Is @file the end of @path, from a slash on? */
static bool is_end_of_path(const char *path, const char *file)
{
	const size_t length = strlen(path), wanted = strlen(file);

	return length >= wanted && !strcmp(path + length - wanted, file) &&
	       (length == wanted || path[length - wanted - 1] == '/');
}

static bool is_of_file(const struct line_search *search, Dwarf_Line *row)
{
	const char *path = dwarf_linesrc(row, NULL, NULL);

	return path && is_end_of_path(path, search->file);
}

static void add_address(struct line_search *search, uint64_t addr)
{
	for (size_t i = 0; i < search->n; i++)
		if (search->addrs[i] == addr)
			return;
	search->addrs =
		mem_grow(search->addrs, &search->capacity, search->n + 1, sizeof(*search->addrs));
	search->addrs[search->n++] = addr;
}

/* Rows of one unit, which libdw sorts by address. Each run of rows of the line is one place. */
static void search_unit(struct line_search *search, Dwarf_Die *unit)
{
	bool before = false, here, end;
	Dwarf_Lines *rows;
	Dwarf_Addr addr;
	size_t n, i;
	int line;

	if (dwarf_getsrclines(unit, &rows, &n) != 0)
		return;
	for (i = 0; i < n; i++, before = here) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);

		here = end = false;
		if (!row || dwarf_lineno(row, &line) != 0 || dwarf_lineaddr(row, &addr) != 0 ||
		    dwarf_lineendsequence(row, &end) != 0 || end || line <= 0 ||
		    !is_of_file(search, row))
			continue;
		search->has_file = true;
		here = (unsigned)line == search->line;
		if (here && !before)
			add_address(search, addr);
		if ((unsigned)line > search->line &&
		    (!search->next || (unsigned)line < search->next))
			search->next = (unsigned)line;
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static bool line_explain(const struct line_search *search, const char *path, struct err *err)
{
	if (!search->has_file)
		return err_set(err, ERR_NOT_FOUND,
			       "the line tables of %s name no file %s: was it compiled with -g?",
			       path, search->file);
	if (!search->next)
		return err_set(err, ERR_NOT_FOUND, "%s has no code of line %u or behind it",
			       search->file, search->line);
	return err_set(err, ERR_NOT_FOUND,
		       "line %u of %s has no code; the next that has some is %u", search->line,
		       search->file, search->next);
}

bool line_addresses_find(const char *path, const char *debuginfo_path, const char *file,
			 unsigned line, struct arena *arena, const uint64_t **ret, size_t *ret_n,
			 struct err *err)
{
	struct line_search search = {.file = file, .line = line};
	struct unit_cursor cursor = {.unit = NULL};
	struct elf_file *image;

	if (!elf_file_open_any(path, debuginfo_path, &image, err))
		return false;
	while (image->dwarf && die_walk_next_unit(image, &cursor))
		if (!cursor.is_type)
			search_unit(&search, &cursor.die);
	elf_file_close(image);
	if (search.n) {
		qsort(search.addrs, search.n, sizeof(*search.addrs), compare_addresses);
		*ret = arena_copy(arena, search.addrs, search.n * sizeof(*search.addrs));
		*ret_n = search.n;
	}
	free(search.addrs);
	return search.n || line_explain(&search, path, err);
}
