/*
 * Inlined copies in one walk. A copy refers to an abstract instance, which each unit that uses the
 * function has; function_search.c noted those, and here they are matched to functions.
 */
#include "inlined.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "unit_filter.h"
#include "die_walk.h"

enum { FILTER_DIES_MAX = 4096 };

/* Identifies a function across units: its name and place of declaration. */
struct identity {
	const char *name; /* canonical; a clone's suffix is ignored */
	int line;
	uint64_t file; /* hash of the path */
};

/* The copies of one function. */
struct group {
	struct identity identity;
	struct inlined_copy *copies;
	size_t n_copies, capacity;
	size_t n;
};

struct origin {
	const void *die; /* the address of an abstract instance */
	struct group *group;
	Dwarf_Die abstract;
};

struct inlining {
	struct arena *arena;
	struct group *groups; /* sorted */
	size_t n_groups;
	struct origin *origins; /* sorted */
	size_t n_origins;
};

static uint64_t file_hash(Dwarf_Die *die)
{
	const char *file = die_file(die, DW_AT_decl_file);
	struct arena *arena;
	uint64_t hash = 0xcbf29ce484222325;

	if (!file)
		return 0;
	arena = arena_create();
	for (const char *at = pattern_clean_path(file, arena); *at; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
	arena_destroy(arena);
	return hash;
}

static struct identity identity_of(Dwarf_Die die, const char *name)
{
	struct identity identity = {.name = name, .file = file_hash(&die)};

	dwarf_decl_line(&die, &identity.line);
	return identity;
}

static int group_order(const void *a, const void *b)
{
	const struct identity *x = &((const struct group *)a)->identity,
			      *y = &((const struct group *)b)->identity;
	const int names = function_search_base_order(x->name, y->name);

	if (names)
		return names;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static int origin_order(const void *a, const void *b)
{
	const char *x = ((const struct origin *)a)->die, *y = ((const struct origin *)b)->die;

	return x < y ? -1 : x > y;
}

static int copy_order(const void *a, const void *b)
{
	const struct inlined_copy *x = a, *y = b;
	const int files = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	return files ? files : x->line < y->line ? -1 : x->line > y->line;
}

static bool inlined_is_wanted(const struct candidate *candidate, bool all)
{
	return candidate->chosen &&
	       (candidate->kind == CANDIDATE_INLINED || (all && candidate->kind == CANDIDATE_CODE));
}

static void groups_find(struct inlining *inlining, const struct function_search *search, bool all)
{
	size_t kept = 0;

	inlining->groups = mem_alloc(search->n_candidates * sizeof(*inlining->groups));
	for (size_t i = 0; i < search->n_candidates; i++) {
		const struct candidate *candidate = &search->candidates[i];

		if (inlined_is_wanted(candidate, all))
			inlining->groups[inlining->n_groups++].identity =
				identity_of(candidate->die, candidate->name);
	}
	qsort(inlining->groups, inlining->n_groups, sizeof(*inlining->groups), group_order);
	for (size_t i = 0; i < inlining->n_groups; i++) {
		if (!kept || group_order(&inlining->groups[kept - 1], &inlining->groups[i]) != 0)
			inlining->groups[kept++] = inlining->groups[i];
	}
	inlining->n_groups = kept;
}

static struct group *inlined_group_of(const struct inlining *inlining, Dwarf_Die die,
				      const char *name)
{
	const struct group key = {.identity = identity_of(die, name)};

	return bsearch(&key, inlining->groups, inlining->n_groups, sizeof(key), group_order);
}

/* Does a chosen function have that name? Asked first, since source files are slow to find. */
static bool inlined_is_named(const struct inlining *inlining, const char *name)
{
	const struct group *groups = inlining->groups;
	const size_t n = inlining->n_groups;
	const size_t at =
		BISECT_FIRST(i, n, function_search_base_order(groups[i].identity.name, name) < 0);

	return at < n && !function_search_base_order(groups[at].identity.name, name);
}

static void origins_find(struct inlining *inlining, const struct function_search *search)
{
	inlining->origins = mem_alloc(search->n_abstracts * sizeof(*inlining->origins));
	for (size_t i = 0; i < search->n_abstracts; i++) {
		const struct abstract *abstract = &search->abstracts[i];
		struct origin origin = {.die = abstract->die.addr, .abstract = abstract->die};

		if (dwarf_hasattr(&origin.abstract, DW_AT_declaration) ||
		    !inlined_is_named(inlining, abstract->name))
			continue;
		origin.group = inlined_group_of(inlining, abstract->die, abstract->name);
		if (origin.group)
			inlining->origins[inlining->n_origins++] = origin;
	}
	qsort(inlining->origins, inlining->n_origins, sizeof(*inlining->origins), origin_order);
}

static void inlined_see(void *self, Dwarf_Die *die)
{
	struct inlining *inlining = self;
	struct inlined_copy copy = {.file = NULL};
	const struct origin *found;
	struct origin key;
	struct group *group;
	Dwarf_Die abstract;
	uint64_t line = 0;

	if (!die_reference(die, DW_AT_abstract_origin, &abstract))
		return;
	key.die = abstract.addr;
	found = bsearch(&key, inlining->origins, inlining->n_origins, sizeof(key), origin_order);
	if (!found || found->group->n++ >= INLINED_MAX)
		return;
	group = found->group;
	copy.file = die_file(die, DW_AT_call_file); /* libdw's, while the image is open */
	if (die_number(die, DW_AT_call_line, &line) && line <= UINT32_MAX)
		copy.line = (unsigned)line;
	group->copies =
		mem_grow(group->copies, &group->capacity, group->n_copies + 1, sizeof(copy));
	group->copies[group->n_copies++] = copy;
}

/* Sort the copies, drop duplicates, and copy their texts to @arena. */
static void group_finish(struct group *group, struct arena *arena)
{
	const char *last = NULL, *own = NULL;
	size_t kept = 0;

	if (group->n_copies)
		qsort(group->copies, group->n_copies, sizeof(*group->copies), copy_order);
	for (size_t i = 0; i < group->n_copies; i++) {
		struct inlined_copy copy = group->copies[i];

		if (copy.file && (!last || strcmp(last, copy.file) != 0)) {
			last = copy.file;
			own = arena_strdup(arena, copy.file);
		}
		copy.file = copy.file ? own : NULL;
		if (!kept || copy_order(&group->copies[kept - 1], &copy) != 0)
			group->copies[kept++] = copy;
	}
	group->n_copies = kept;
}

static void units_walk(struct inlining *inlining, const struct function_search *search)
{
	const struct walk_visitor visitor = {.inlined = inlined_see, .self = inlining};
	struct unit_filter *filter = NULL;

	if (!inlining->n_origins)
		return;
	if (inlining->n_origins < FILTER_DIES_MAX)
		filter = unit_filter_create(search->image, NULL, 0);
	for (size_t i = 0; filter && i < inlining->n_origins; i++)
		unit_filter_add_die(filter, &inlining->origins[i].abstract);
	die_walk_units(search->image, filter, &visitor);
	unit_filter_destroy(filter);
}

static void result_fill(const struct inlining *inlining, const struct function_search *search,
			bool all, struct arena *arena, struct inlined_places *ret)
{
	for (size_t i = 0; i < inlining->n_groups; i++)
		group_finish(&inlining->groups[i], arena);
	for (size_t i = 0; i < search->n_candidates; i++) {
		const struct candidate *candidate = &search->candidates[i];
		const struct group *group =
			inlined_is_wanted(candidate, all)
				? inlined_group_of(inlining, candidate->die, candidate->name)
				: NULL;

		if (!group || !group->n)
			continue;
		ret[i].n = group->n;
		ret[i].n_copies = group->n_copies;
		ret[i].copies =
			arena_copy(arena, group->copies, group->n_copies * sizeof(*group->copies));
	}
}

void inlined_find(const struct function_search *search, bool all, struct arena *arena,
		  struct inlined_places *ret)
{
	struct inlining inlining = {.arena = arena};

	groups_find(&inlining, search, all);
	if (inlining.n_groups) {
		origins_find(&inlining, search);
		units_walk(&inlining, search);
		result_fill(&inlining, search, all, arena, ret);
	}
	for (size_t i = 0; i < inlining.n_groups; i++)
		free(inlining.groups[i].copies);
	free(inlining.groups);
	free(inlining.origins);
}
