/*
 * Finds functions. Demangling is expensive in large programs, so units are filtered first by the
 * names that they mention, then DIEs compared by plain names. pattern_resolve.c chooses among
 * candidates, suggestions.c finds names nearest to one that does not exist.
 */
#include "function_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/cxx_name.h"
#include "dwarf/file/debug_section.h"
#include "dwarf/file/line_table.h"
#include "dwarf/file/die_name.h"
#include "unit_filter.h"
#include "die_walk.h"

enum {
	ROUNDS_MAX = 4,         /* a clone, its origin, the origin's declaration */
	FILTER_DIES_MAX = 4096, /* with more, walk all units */
	ALIASES_MAX = 64,       /* more symbols of one name are unrelated */
};

void function_search_init(struct function_search *search, const struct elf_file *image,
			  const struct pattern *const *patterns, size_t n_patterns,
			  struct arena *arena)
{
	*search = (struct function_search){
		.image = image, .arena = arena, .patterns = patterns, .n_patterns = n_patterns};
}

void function_search_deinit(struct function_search *search)
{
	free(search->candidates);
	free(search->abstracts);
	free(search->aliases);
	*search = (struct function_search){0};
}

bool function_search_kind(Dwarf_Die *die, enum candidate_kind *ret)
{
	if (dwarf_hasattr(die, DW_AT_declaration))
		*ret = CANDIDATE_DECLARED;
	else if (dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges))
		*ret = CANDIDATE_CODE;
	else if (!dwarf_hasattr(die, DW_AT_abstract_origin))
		*ret = CANDIDATE_INLINED;
	else
		return false;
	return true;
}

/* `sort` and `sort<int>` have the plain name `sort`. */
static bool plain_fits(const struct pattern *pattern, const char *name)
{
	if (!pattern->plain)
		return true;
	return !strncmp(name, pattern->plain, pattern->n_plain) &&
	       (name[pattern->n_plain] == '\0' || name[pattern->n_plain] == '<' ||
		name[pattern->n_plain] == ' ');
}

static bool at_alias(const struct function_search *search, uint64_t addr)
{
	for (size_t i = 0; i < search->n_aliases; i++) {
		if (search->aliases[i].addr == addr)
			return true;
	}
	return false;
}

static bool name_fits(const struct function_search *search, Dwarf_Die *die, const char *name)
{
	const char *linkage = NULL;

	for (size_t i = 0; i < search->n_patterns; i++) {
		if (plain_fits(search->patterns[i], name))
			return true;
		linkage = linkage ? linkage : die_linkage(die);
		if (linkage && !strcmp(linkage, search->patterns[i]->name))
			return true;
	}
	return search->n_patterns == 0;
}

/* Take declarations only for plain names: a glob would match all of a header's. */
static bool wants_declared(const struct function_search *search)
{
	for (size_t i = 0; i < search->n_patterns; i++) {
		if (!search->patterns[i]->glob)
			return true;
	}
	return false;
}

const char *function_search_source(const struct candidate *candidate, unsigned *ret_line)
{
	Dwarf_Die die = candidate->die;
	const char *file = die_file(&die, DW_AT_decl_file);

	*ret_line = candidate->line > 0 ? (unsigned)candidate->line : 0;
	if (!file && candidate->kind == CANDIDATE_CODE &&
	    !line_table_source(&die, candidate->entry_addr, &file, ret_line))
		return NULL;
	return file;
}

bool function_search_matches(const struct pattern *pattern, const struct candidate *candidate)
{
	unsigned line;

	return cxx_name_matches(candidate->name, candidate->linkage, pattern->text) &&
	       (!pattern->source ||
		pattern_has_source(pattern, function_search_source(candidate, &line)));
}

bool function_search_is_alias(const struct function_search *search, const struct pattern *pattern,
			      const struct candidate *candidate)
{
	unsigned line;

	if (candidate->kind != CANDIDATE_CODE)
		return false;
	for (size_t i = 0; i < search->n_aliases; i++) {
		if (search->aliases[i].pattern == pattern &&
		    search->aliases[i].addr == candidate->entry_addr)
			return pattern_has_source(pattern,
						  function_search_source(candidate, &line));
	}
	return false;
}

static bool any_matches(const struct function_search *search, const struct candidate *candidate)
{
	for (size_t i = 0; i < search->n_patterns; i++) {
		if (function_search_matches(search->patterns[i], candidate) ||
		    function_search_is_alias(search, search->patterns[i], candidate))
			return true;
	}
	return search->n_patterns == 0;
}

static void abstract_add(struct function_search *search, const struct candidate *candidate)
{
	Dwarf_Die die = candidate->die;
	struct abstract abstract = {.name = candidate->name};

	if (!dwarf_hasattr(&die, DW_AT_abstract_origin))
		abstract.die = die;
	else if (!die_reference(&die, DW_AT_abstract_origin, &abstract.die))
		return;
	abstract.has_code = candidate->kind == CANDIDATE_CODE && abstract.die.addr != die.addr;
	search->abstracts = mem_grow(search->abstracts, &search->abstracts_capacity,
				     search->n_abstracts + 1, sizeof(abstract));
	search->abstracts[search->n_abstracts++] = abstract;
}

/* The function whose code begins at @addr. */
static bool function_at(const struct function_search *search, Dwarf_Addr addr, Dwarf_Die *ret)
{
	Dwarf_Die unit, *scopes = NULL;
	Dwarf_Addr entry;
	bool found = false;
	int n;

	if (!die_unit_at(search->image, addr, &unit))
		return false;
	n = dwarf_getscopes(&unit, addr, &scopes);
	for (int i = 0; i < n && !found; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && die_entry(&scopes[i], &entry) &&
		    entry == addr) {
			*ret = scopes[i];
			found = true;
		}
	free(scopes);
	return found;
}

/* The only symbol of that name. */
static bool symbol_find(const struct elf_file *image, const char *name, Dwarf_Addr *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < image->n_symbols; i++)
		if (!strcmp(image->symbols[i].name, name)) {
			*ret = image->symbols[i].addr;
			n++;
		}
	return n == 1;
}

/*
 * lld and mold drop code that is the same as another function's (--icf), and leave a symbol: its
 * candidate is then that function by another name.
 */
static void candidate_unfold(const struct function_search *search, struct candidate *candidate)
{
	struct die_naming other;
	Dwarf_Addr entry = 0;
	Dwarf_Die die;

	if (!symbol_find(search->image, candidate->linkage, &entry) ||
	    !function_at(search, entry, &die) ||
	    !die_name(search->image, &die, "", entry, search->arena, &other) ||
	    !strcmp(other.linkage, candidate->linkage))
		return;
	candidate->die = die;
	candidate->kind = CANDIDATE_CODE;
	candidate->entry_addr = entry;
}

/* Examine a DIE that may match. */
static void candidate_see(struct function_search *search, Dwarf_Die *die, const char *scope,
			  enum candidate_kind kind)
{
	struct candidate candidate = {.die = *die, .kind = kind};
	struct function code = {0};
	struct die_naming naming;

	if (kind == CANDIDATE_CODE && !die_ranges(search->image, die, search->arena, &code))
		candidate.kind = CANDIDATE_DROPPED;
	candidate.entry_addr = candidate.kind == CANDIDATE_CODE ? code.entry_addr : 0;
	if (!die_name(search->image, die, scope, candidate.entry_addr, search->arena, &naming))
		return;
	candidate.name = naming.name;
	candidate.linkage = naming.linkage;
	dwarf_decl_line(die, &candidate.line);
	if (!any_matches(search, &candidate))
		return;
	if (candidate.kind == CANDIDATE_DROPPED)
		candidate_unfold(search, &candidate);
	search->candidates = mem_grow(search->candidates, &search->capacity,
				      search->n_candidates + 1, sizeof(*search->candidates));
	search->candidates[search->n_candidates++] = candidate;
	abstract_add(search, &candidate);
}

static void subprogram_see(void *self, Dwarf_Die *die, const char *scope)
{
	struct function_search *search = self;
	const char *plain = dwarf_diename(die);
	enum candidate_kind kind;
	Dwarf_Addr entry;
	bool fits;

	if (!plain)
		return;
	fits = name_fits(search, die, plain);
	if (fits && search->filter && search->refers)
		unit_filter_add_die(search->filter, die);
	if (!function_search_kind(die, &kind) ||
	    (kind == CANDIDATE_DECLARED && !wants_declared(search)))
		return;
	if (!fits && kind == CANDIDATE_CODE && search->n_aliases)
		fits = die_entry(die, &entry) && at_alias(search, entry);
	if (fits)
		candidate_see(search, die, scope, kind);
}

static int candidate_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	const int bases = function_search_base_order(x->name, y->name);

	if (bases)
		return bases;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->entry_addr != y->entry_addr)
		return x->entry_addr < y->entry_addr ? -1 : 1;
	return x->die.addr < y->die.addr ? -1 : x->die.addr > y->die.addr;
}

/* Those with code first. */
static int abstract_order(const void *a, const void *b)
{
	const struct abstract *x = a, *y = b;

	if (x->die.addr != y->die.addr)
		return x->die.addr < y->die.addr ? -1 : 1;
	return x->has_code == y->has_code ? 0 : x->has_code ? -1 : 1;
}

/*
 * Is it the abstract instance of a function with code? gcc omits part of a constructor's name
 * there.
 */
static bool has_code(const struct function_search *search, const struct candidate *candidate)
{
	const size_t low = BISECT_FIRST(i, search->n_abstracts,
					search->abstracts[i].die.addr < candidate->die.addr);

	return candidate->kind == CANDIDATE_INLINED && low < search->n_abstracts &&
	       search->abstracts[low].die.addr == candidate->die.addr &&
	       search->abstracts[low].has_code;
}

/* The end of the candidates named like the one at @first. *@ret: one of them is defined. */
static size_t name_end(const struct function_search *search, size_t first, bool *ret)
{
	const struct candidate *list = search->candidates;
	size_t end = first;

	*ret = false;
	for (; end < search->n_candidates &&
	       !function_search_base_order(list[first].name, list[end].name);
	     end++)
		*ret = *ret || list[end].kind != CANDIDATE_DECLARED;
	return end;
}

/*
 * Of candidates with one name and place of declaration keep the best kind only, and one DIE per
 * piece of code. Drop declarations of functions that are defined.
 */
static void candidates_thin(struct function_search *search)
{
	struct candidate *list = search->candidates;
	size_t kept = 0;
	bool defined;

	for (size_t first = 0, end; first < search->n_candidates; first = end) {
		const size_t group = kept;

		end = name_end(search, first, &defined);
		for (size_t i = first; i < end; i++) {
			const struct candidate *last = kept > group ? &list[kept - 1] : NULL;

			if ((list[i].kind == CANDIDATE_DECLARED && defined) ||
			    has_code(search, &list[i]))
				continue;
			if (last && last->line == list[i].line &&
			    (list[i].kind != CANDIDATE_CODE ||
			     list[i].entry_addr == last->entry_addr))
				continue;
			list[kept++] = list[i];
		}
	}
	search->n_candidates = kept;
}

static int pattern_order(const void *a, const void *b)
{
	const struct pattern *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int pattern_compare(const void *name, const void *pattern)
{
	return strcmp(name, (*(const struct pattern *const *)pattern)->name);
}

static void alias_add(struct function_search *search, uint64_t addr, const struct pattern *pattern)
{
	size_t n = 0;

	while (n < search->n_aliases && n < ALIASES_MAX &&
	       search->aliases[search->n_aliases - 1 - n].pattern == pattern)
		n++;
	if (n == ALIASES_MAX)
		return;
	search->aliases = mem_grow(search->aliases, &search->aliases_capacity,
				   search->n_aliases + 1, sizeof(*search->aliases));
	search->aliases[search->n_aliases++] = (struct alias){addr, pattern};
}

/* The symbol table has names that the debug information lacks. */
static void aliases_find(struct function_search *search)
{
	const struct elf_file *image = search->image;
	const struct pattern **sorted;
	const size_t size = search->n_patterns * sizeof(const struct pattern *);

	if (!search->n_patterns)
		return;
	sorted = mem_alloc(size);
	memcpy(sorted, search->patterns, size);
	qsort(sorted, search->n_patterns, sizeof(*sorted), pattern_order);
	for (size_t i = 0; i < image->n_symbols; i++) {
		const struct pattern **found =
			bsearch(image->symbols[i].name, sorted, search->n_patterns, sizeof(*sorted),
				pattern_compare);

		if (found)
			alias_add(search, image->symbols[i].addr, *found);
	}
	free(sorted);
}

/* The filter for the patterns' names; NULL if some match any name. */
static struct unit_filter *filter_create(struct function_search *search)
{
	const char **names = arena_array(search->arena, const char *, 2 * search->n_patterns + 1);
	struct unit_filter *filter;
	size_t n = 0;

	for (size_t i = 0; i < search->n_patterns; i++) {
		const struct pattern *pattern = search->patterns[i];

		if (!pattern->plain || !pattern->n_plain)
			return NULL;
		names[n++] =
			arena_printf(search->arena, "%.*s", (int)pattern->n_plain, pattern->plain);
		if (strcmp(pattern->name, names[n - 1]) != 0)
			names[n++] = pattern->name;
	}
	if (!n)
		return NULL;
	filter = unit_filter_create(search->image, names, n);
	for (size_t i = 0; i < search->n_aliases; i++)
		unit_filter_add_address(filter, search->aliases[i].addr);
	return filter;
}

static bool refers_to_units(const struct elf_file *image)
{
	return debug_section_has_references(image->dwarf) || dwarf_getalt(image->dwarf);
}

/*
 * A DIE may take its name from one in another unit, whose offset is known only after a walk over
 * that unit: then walk over the units that refer to it, too.
 */
static bool die_enters(void *self, Dwarf_Die *die)
{
	const struct function_search *search = self;

	return !search->filter || unit_filter_below(search->filter, die);
}

static void units_search(struct function_search *search)
{
	const struct walk_visitor visitor = {
		.subprogram = subprogram_see, .enters = die_enters, .self = search};
	size_t before = 0;

	search->filter = filter_create(search);
	search->refers = search->filter && refers_to_units(search->image);
	die_walk_units(search->image, search->filter, &visitor);
	for (unsigned i = 1; search->refers && i < ROUNDS_MAX; i++) {
		const size_t n = unit_filter_dies(search->filter);

		if (n == before)
			break;
		before = n;
		die_walk_units(search->image, n < FILTER_DIES_MAX ? search->filter : NULL,
			       &visitor);
	}
	unit_filter_destroy(search->filter);
	search->filter = NULL;
}

void function_search_run(struct function_search *search)
{
	if (!search->image->dwarf)
		return;
	aliases_find(search);
	units_search(search);
	if (!search->n_candidates)
		return;
	if (search->n_abstracts)
		qsort(search->abstracts, search->n_abstracts, sizeof(*search->abstracts),
		      abstract_order);
	qsort(search->candidates, search->n_candidates, sizeof(*search->candidates),
	      candidate_order);
	candidates_thin(search);
}

size_t function_search_base_length(const char *name)
{
	const char *suffix = strstr(name, " [clone ");

	return suffix ? (size_t)(suffix - name) : strlen(name);
}

int function_search_base_order(const char *a, const char *b)
{
	const size_t n_a = function_search_base_length(a), n_b = function_search_base_length(b);
	const int order = memcmp(a, b, n_a < n_b ? n_a : n_b);

	return order ? order : n_a < n_b ? -1 : n_a > n_b;
}
