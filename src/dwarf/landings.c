/* From calls that look like some, by way of their callers' instructions, to landings. */
#include "landings.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "dwarf/code/function_code.h"

struct direct_call {
	uint64_t addr, entry_addr;
};

struct landing_search {
	const struct code_source *code;
	struct function *functions;
	size_t n_functions;
	uint64_t *entries; /* sorted, each once; [n_entries] as are the other two */
	size_t *n_found, *n_landed;
	size_t n_entries;
	struct direct_call *calls; /* by address within each section */
	size_t n_calls, calls_capacity;
};

static bool may_tail_call(const struct function *function)
{
	if (function->block || function->unmeasurable)
		return false;
	for (size_t i = 0; i < function->n_exits; i++)
		if (exit_is_jump(function->exits[i].kind))
			return true;
	return false;
}

static int order_entries(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void direct_call_see(void *self, uint64_t addr, uint64_t entry_addr)
{
	struct landing_search *search = self;

	search->calls = mem_grow(search->calls, &search->calls_capacity, search->n_calls + 1,
				 sizeof(*search->calls));
	search->calls[search->n_calls++] = (struct direct_call){addr, entry_addr};
}

/* The function that has @addr; one of the symbol table is made in *@room. NULL: none is known. */
static const struct function *find_calling(const struct landing_search *search, uint64_t addr,
					   struct function *room, struct address_range *range)
{
	const struct elf_file *image = search->code->image;
	size_t i;

	for (i = 0; i < search->n_functions; i++)
		if (!search->functions[i].block && catalogue_contains(&search->functions[i], addr))
			return &search->functions[i];
	i = BISECT_FIRST(j, image->n_symbols, image->symbols[j].addr <= addr);
	if (!i || addr - image->symbols[i - 1].addr >= image->symbols[i - 1].size)
		return NULL;
	range->low_addr = image->symbols[i - 1].addr;
	range->high_addr = range->low_addr + image->symbols[i - 1].size;
	*room = (struct function){.ranges = range, .n_ranges = 1, .entry_addr = range->low_addr};
	return room;
}

static bool meets(const struct jump_site *site, uint64_t addr, uint64_t size)
{
	return size && addr < site->addr + site->size && site->addr < addr + size;
}

/* Bytes that another probe's jump needs for itself. */
static bool meets_gap(const struct jump_site *site, const struct jump_site *other)
{
	return meets(site, other->gap_addr, other->gap_addr ? JUMP_SIZE : 0) ||
	       meets(site, other->lender_addr, other->lender_size);
}

static bool is_in_use(const struct function *caller, const struct jump_site *site)
{
	if (meets_gap(site, &caller->site))
		return true;
	for (size_t i = 0; i < caller->n_exits; i++)
		if (meets_gap(site, &caller->exits[i].site))
			return true;
	for (size_t i = 0; i < caller->n_branches; i++)
		if (meets_gap(site, &caller->branches[i].site))
			return true;
	return false;
}

static size_t find_entry(const struct landing_search *search, uint64_t entry_addr)
{
	return BISECT_FIRST(i, search->n_entries, search->entries[i] < entry_addr);
}

static void count_call(struct landing_search *search, uint64_t entry_addr, bool lands)
{
	const size_t i = find_entry(search, entry_addr);

	search->n_found[i]++;
	search->n_landed[i] += lands;
}

static void landing_add(struct landings *landings, unsigned module, const struct jump_site *site)
{
	landings->list = mem_grow(landings->list, &landings->capacity, landings->n + 1,
				  sizeof(*landings->list));
	landings->list[landings->n++] =
		(struct landing){.module = module, .addr = site->addr, .site = *site};
}

/* The calls from number @first on that are in the same function; returns how many. */
static size_t caller_look(struct landing_search *search, struct landings *landings, size_t first,
			  unsigned module)
{
	struct function room;
	struct address_range range;
	const struct function *caller =
		find_calling(search, search->calls[first].addr, &room, &range);
	struct jump_site *sites;
	uint64_t *addrs;
	size_t n = 1;

	if (!caller) {
		count_call(search, search->calls[first].entry_addr, false);
		return 1;
	}
	while (first + n < search->n_calls &&
	       search->calls[first + n].addr > search->calls[first].addr &&
	       catalogue_contains(caller, search->calls[first + n].addr))
		n++;
	sites = mem_alloc(n * sizeof(*sites));
	addrs = mem_alloc(n * sizeof(*addrs));
	for (size_t i = 0; i < n; i++)
		addrs[i] = search->calls[first + i].addr;
	function_code_landings(search->code, caller, addrs, n, sites);
	for (size_t i = 0; i < n; i++) {
		const bool lands = sites[i].size && !is_in_use(caller, &sites[i]);

		if (sites[i].size || sites[i].why)
			count_call(search, search->calls[first + i].entry_addr, lands);
		if (lands)
			landing_add(landings, module, &sites[i]);
	}
	free(sites);
	free(addrs);
	return n;
}

static void entries_collect(struct landing_search *search)
{
	size_t n = 0;

	search->entries = mem_alloc((search->n_functions + 1) * sizeof(*search->entries));
	for (size_t i = 0; i < search->n_functions; i++)
		if (may_tail_call(&search->functions[i]))
			search->entries[n++] = search->functions[i].entry_addr;
	qsort(search->entries, n, sizeof(*search->entries), order_entries);
	for (size_t i = 0; i < n; i++)
		if (!i || search->entries[i] != search->entries[i - 1])
			search->entries[search->n_entries++] = search->entries[i];
	search->n_found = mem_alloc((n + 1) * sizeof(*search->n_found));
	search->n_landed = mem_alloc((n + 1) * sizeof(*search->n_landed));
}

void landings_find(struct landings *landings, const struct code_source *code,
		   struct function *functions, size_t n, unsigned module)
{
	struct landing_search search = {.code = code, .functions = functions, .n_functions = n};

	entries_collect(&search);
	jump_targets_calls(code->targets, search.entries, search.n_entries, direct_call_see,
			   &search);
	for (size_t i = 0; i < search.n_calls;)
		i += caller_look(&search, landings, i, module);
	for (size_t i = 0; i < n; i++) {
		if (!may_tail_call(&functions[i]))
			continue;
		functions[i].n_calls = search.n_found[find_entry(&search, functions[i].entry_addr)];
		functions[i].n_landings =
			search.n_landed[find_entry(&search, functions[i].entry_addr)];
	}
	free(search.entries);
	free(search.n_found);
	free(search.n_landed);
	free(search.calls);
}
