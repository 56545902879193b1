/* Counting inlined instances of functions in one walk. */
#include "dwarf/inlined.h"

#include <stdlib.h>

#include "dwarf/walk.h"

struct origin {
	const void *die; /* the address of the abstract instance */
	struct inlined_places *places;
};

struct count {
	struct arena *arena;
	struct origin *origins; /* sorted */
	size_t n;
};

static int origin_order(const void *a, const void *b)
{
	const char *x = ((const struct origin *)a)->die, *y = ((const struct origin *)b)->die;

	return x < y ? -1 : x > y;
}

static void inlined_see(void *self, Dwarf_Die *die)
{
	struct count *count = self;
	struct origin key, *found;
	Dwarf_Die abstract;
	const char *file;
	uint64_t line = 0;

	if (!die_reference(die, DW_AT_abstract_origin, &abstract))
		return;
	key.die = abstract.addr;
	found = bsearch(&key, count->origins, count->n, sizeof(key), origin_order);
	if (!found || found->places->n++ > 0)
		return;
	file = die_file(die, DW_AT_call_file);
	found->places->file = file ? arena_strdup(count->arena, file) : NULL;
	die_number(die, DW_AT_call_line, &line);
	found->places->line = line <= UINT32_MAX ? (unsigned)line : 0;
}

void inlined_count(const struct search *search, struct arena *arena, struct inlined_places *ret)
{
	struct count count = {.arena = arena};
	const struct walk_visitor visitor = {.inlined = inlined_see, .self = &count};

	count.origins = mem_alloc(search->n_candidates * sizeof(*count.origins));
	for (size_t i = 0; i < search->n_candidates; i++) {
		const struct candidate *candidate = &search->candidates[i];

		if (candidate->chosen && candidate->kind == CANDIDATE_INLINED)
			count.origins[count.n++] = (struct origin){candidate->die.addr, &ret[i]};
	}
	if (count.n) {
		qsort(count.origins, count.n, sizeof(*count.origins), origin_order);
		walk_units(search->image, NULL, &visitor);
	}
	free(count.origins);
}
