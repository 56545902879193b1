/* Rows of the line tables of all units. */
#include "line_addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dwarf/search/die_walk.h"

struct line_search {
	const char *file;
	unsigned line;
	bool statements; /* only where a statement begins, if one does */
	unsigned next;   /* the first line with code behind it; 0: none */
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
	bool before = false, here, end, begins;
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
		here = (unsigned)line == search->line &&
		       (!search->statements ||
			(dwarf_linebeginstatement(row, &begins) == 0 && begins));
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

static void search_units(struct line_search *search, const struct elf_file *image)
{
	struct unit_cursor cursor = {.unit = NULL};

	while (image->dwarf && die_walk_next_unit(image, &cursor))
		if (!cursor.is_type)
			search_unit(search, &cursor.die);
}

static void search_take(struct line_search *search, struct arena *arena, struct line_places *ret)
{
	if (search->n)
		qsort(search->addrs, search->n, sizeof(*search->addrs), compare_addresses);
	ret->addrs = arena_copy(arena, search->addrs, search->n * sizeof(*search->addrs));
	ret->n = search->n;
	free(search->addrs);
}

bool line_addresses_has(const struct elf_file *image, const char *file)
{
	struct line_search search = {.file = file};

	search_units(&search, image);
	free(search.addrs);
	return search.has_file;
}

bool line_addresses_of(const struct elf_file *image, const char *path, const struct line *line,
		       struct arena *arena, struct line_places *ret, struct err *err)
{
	struct line_search search = {.file = line->file, .line = line->number, .statements = true};

	search_units(&search, image);
	if (!search.n) {
		search.statements = false;
		search_units(&search, image);
	}
	if (!search.n && !line_explain(&search, path, err))
		return false;
	search_take(&search, arena, ret);
	return true;
}

bool line_addresses_find(const char *path, const char *debuginfo_path, const char *file,
			 unsigned line, struct arena *arena, const uint64_t **ret, size_t *ret_n,
			 struct err *err)
{
	struct line_search search = {.file = file, .line = line};
	struct line_places places;
	struct elf_file *image;

	if (!elf_file_open_any(path, debuginfo_path, &image, err))
		return false;
	search_units(&search, image);
	elf_file_close(image);
	if (!search.n)
		return line_explain(&search, path, err);
	search_take(&search, arena, &places);
	*ret = places.addrs;
	*ret_n = places.n;
	return true;
}
