/*
 * From a structure to the static objects that its pointer may lead to, their functions, and the
 * structures that these take. Structures of several units are the same by name, size, file and
 * line.
 */
#include "tags.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "dwarf/file/relocated_words.h"
#include "dwarf/search/die_walk.h"
#include "dwarf/search/unit_filter.h"
#include "dwarf/type/type.h"
#include "dwarf/type/type_definitions.h"
#include "dwarf/type/type_names.h"

enum { NESTED_MAX = 8, SLOTS_MAX = 128, TAGS_MAX = 1024 };

/* A static object that may be a tag; its functions are wanted. */
struct candidate {
	const struct elf_symbol *symbol;
	struct tag tag; /* what its functions say so far */
	bool is_heard, contradicts;
};

/* A function in a candidate's slot. */
struct wanted {
	uint64_t addr;
	struct candidate *of;
};

/* The pointers to functions in the structure that tags are of. */
struct slots {
	Dwarf_Die tag; /* that structure */
	uint64_t size; /* of a tag */
	uint64_t offsets[SLOTS_MAX];
	size_t n;
};

struct answer {
	const void *addr; /* of the DIE */
	const struct tag_base *base;
	UT_hash_handle hh;
};

/* A structure with a tag, whichever unit's. */
struct rooted {
	Dwarf_Die root;
	const struct tag *tags;
	size_t n;
	struct rooted *next;
};

struct tags {
	const struct elf_file *image;
	struct arena *arena;
	struct answer *answers;
	struct rooted *rooted;
	struct relocated_word *words;
	size_t n_words;
	bool has_words;
};

struct tags *tags_create(const struct elf_file *image, struct arena *arena)
{
	struct tags *tags = mem_alloc(sizeof(*tags));

	tags->image = image;
	tags->arena = arena;
	return tags;
}

void tags_destroy(struct tags *tags)
{
	if (!tags)
		return;
	HASH_CLEAR(hh, tags->answers);
	free(tags->words);
	free(tags);
}

static bool tag_is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	const char *left = dwarf_diename(a), *right = dwarf_diename(b);

	return a->addr == b->addr || ((left && right ? !strcmp(left, right) : left == right) &&
				      type_definitions_are_same(a, b));
}

/* The structure that begins objects of *@record, in @ret_member. False: none does. */
static bool first_member(Dwarf_Die *record, Dwarf_Die *ret_member, Dwarf_Die *ret)
{
	uint64_t offset = 0;
	struct type type;
	bool more = die_first(record, ret_member);

	while (more && dwarf_tag(ret_member) != DW_TAG_member)
		more = die_next(ret_member);
	if (!more || !dwarf_diename(ret_member) ||
	    !die_number(ret_member, DW_AT_data_member_location, &offset) || offset)
		return false;
	type = type_of(ret_member);
	*ret = type.die;
	return type.kind == TYPE_RECORD;
}

bool tags_begins(Dwarf_Die *record, Dwarf_Die *base, struct arena *arena, const char **ret_path)
{
	Dwarf_Die at = *record, member;
	const char *path = "";

	for (int i = 0; i < NESTED_MAX; i++) {
		if (tag_is_same(&at, base)) {
			if (ret_path)
				*ret_path = path;
			return true;
		}
		if (!first_member(&at, &member, &at))
			return false;
		if (ret_path)
			path = arena_printf(arena, "%s%s%s", path, *path ? "." : "",
					    dwarf_diename(&member));
	}
	return false;
}

const char *tags_declared_name(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;

	for (int i = 0; i < NESTED_MAX && die_reference(&at, DW_AT_type, &next); i++) {
		at = next;
		if (dwarf_tag(&at) == DW_TAG_typedef && dwarf_diename(&at))
			return dwarf_diename(&at);
	}
	return NULL;
}

/* As a cast names it. */
static const char *structure_name(Dwarf_Die *parameter, Dwarf_Die *record, struct arena *arena)
{
	const char *declared = tags_declared_name(parameter);

	if (declared || !dwarf_diename(record))
		return declared;
	return arena_printf(arena, "struct %s", dwarf_diename(record));
}

/* The structure that a function with the DIE @die takes a pointer to first. */
static bool first_parameter(Dwarf_Die *die, Dwarf_Die *ret_parameter, Dwarf_Die *ret)
{
	struct type type;
	bool more = die_first(die, ret_parameter);

	while (more && dwarf_tag(ret_parameter) != DW_TAG_formal_parameter)
		more = die_next(ret_parameter);
	if (!more)
		return false;
	type = type_of(ret_parameter);
	if (type.kind != TYPE_POINTER)
		return false;
	type = type_of(&type.die);
	*ret = type.die;
	return type.kind == TYPE_RECORD;
}

/* Is the member a pointer to functions that take a pointer to @root first? */
static bool is_slot(Dwarf_Die *member, Dwarf_Die *root)
{
	struct type type = type_of(member);
	Dwarf_Die parameter, record;

	if (type.kind != TYPE_POINTER)
		return false;
	type = type_of(&type.die);
	return type.kind == TYPE_FUNCTION && first_parameter(&type.die, &parameter, &record) &&
	       tag_is_same(&record, root);
}

/* Does the member of @root point to structures with slots? */
static bool find_slots(Dwarf_Die *member, Dwarf_Die *root, struct slots *ret)
{
	struct type type = type_of(member);
	Dwarf_Die child;

	if (type.kind != TYPE_POINTER)
		return false;
	type = type_of(&type.die);
	if (type.kind != TYPE_RECORD || !type_byte_size(&type, &ret->size))
		return false;
	ret->tag = type.die;
	ret->n = 0;
	for (bool more = die_first(&type.die, &child); more && ret->n < SLOTS_MAX;
	     more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_member && is_slot(&child, root) &&
		    die_number(&child, DW_AT_data_member_location, &ret->offsets[ret->n]))
			ret->n++;
	return ret->n > 0;
}

/* The word at @addr once the program runs; without a relocation it is as in the file. */
static bool word_read(const struct tags *tags, uint64_t addr, uint64_t *ret)
{
	const struct relocated_word *word = relocated_words_at(tags->words, tags->n_words, addr);

	if (!word)
		return elf_file_word(tags->image, addr, ret);
	*ret = word->value;
	return !word->name;
}

static int wanted_order(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* How many functions are about a structure. */
struct popular {
	const char *structure;
	size_t n_functions;
	UT_hash_handle hh;
};

/* A walk over the functions that are wanted, and those beside them. */
struct asking {
	struct arena *arena;
	Dwarf_Die root;
	struct popular *popular;
	struct wanted *wanted;
	size_t n;
};

static void popular_count(struct asking *asking, const char *structure)
{
	struct popular *popular;

	HASH_FIND_STR(asking->popular, structure, popular);
	if (!popular) {
		popular = arena_new(asking->arena, struct popular);
		popular->structure = structure;
		HASH_ADD_KEYPTR(hh, asking->popular, structure, strlen(structure), popular);
	}
	popular->n_functions++;
}

/* The most derived of a chain holds; what is in no chain contradicts. */
static void candidate_hear(struct candidate *candidate, const char *structure, Dwarf_Die *record)
{
	struct tag *tag = &candidate->tag;

	if (tag->structure && tags_begins(&tag->record, record, NULL, NULL))
		return;
	if (tag->structure && !tags_begins(record, &tag->record, NULL, NULL))
		candidate->contradicts = true;
	tag->record = *record;
	tag->structure = structure;
	candidate->contradicts |= !structure;
}

/* What the function with the DIE @die takes first, if that begins with the root. */
static bool function_takes(struct asking *asking, Dwarf_Die *die, Dwarf_Die *ret_parameter,
			   Dwarf_Die *ret)
{
	Dwarf_Die origin;

	return (first_parameter(die, ret_parameter, ret) ||
		(die_reference(die, DW_AT_abstract_origin, &origin) &&
		 first_parameter(&origin, ret_parameter, ret))) &&
	       tags_begins(ret, &asking->root, NULL, NULL);
}

static void function_hear(void *self, Dwarf_Die *die, const char *scope)
{
	struct asking *asking = self;
	Dwarf_Die parameter, record;
	const char *structure;
	Dwarf_Addr entry;
	bool is_root;
	size_t at;

	(void)scope;
	if (!die_entry(die, &entry) || !function_takes(asking, die, &parameter, &record))
		return;
	is_root = tag_is_same(&record, &asking->root);
	structure = structure_name(&parameter, &record, asking->arena);
	if (structure && !is_root)
		popular_count(asking, structure);
	at = BISECT_FIRST(i, asking->n, asking->wanted[i].addr < entry);
	for (; at < asking->n && asking->wanted[at].addr == entry; at++) {
		asking->wanted[at].of->is_heard = true;
		if (!is_root)
			candidate_hear(asking->wanted[at].of, structure, &record);
	}
}

static void functions_ask(struct tags *tags, struct asking *asking)
{
	const struct walk_visitor visitor = {
		.subprogram = function_hear, .self = asking, .outside = true};
	struct unit_filter *filter = unit_filter_create(tags->image, NULL, 0);

	qsort(asking->wanted, asking->n, sizeof(*asking->wanted), wanted_order);
	for (size_t i = 0; i < asking->n; i++)
		if (!i || asking->wanted[i].addr != asking->wanted[i - 1].addr)
			unit_filter_add_address(filter, asking->wanted[i].addr);
	die_walk_units(tags->image, filter, &visitor);
	unit_filter_destroy(filter);
}

/* The static objects of the slots' size, and their functions. */
static size_t candidates_find(struct tags *tags, const struct slots *slots,
			      struct candidate *candidates, struct asking *asking)
{
	const struct elf_file *image = tags->image;
	size_t n = 0, capacity = 0;

	for (size_t i = 0; i < image->n_objects && n < TAGS_MAX; i++) {
		const struct elf_symbol *symbol = &image->objects[i];
		const size_t before = asking->n;

		if (symbol->is_tls || symbol->size != slots->size)
			continue;
		if (!tags->has_words)
			relocated_words_find(image, &tags->words, &tags->n_words);
		tags->has_words = true;
		for (size_t k = 0; k < slots->n; k++) {
			uint64_t addr = 0;

			if (!word_read(tags, symbol->addr + slots->offsets[k], &addr) || !addr)
				continue;
			asking->wanted = mem_grow(asking->wanted, &capacity, asking->n + 1,
						  sizeof(*asking->wanted));
			asking->wanted[asking->n++] = (struct wanted){addr, &candidates[n]};
		}
		if (asking->n > before)
			candidates[n++].symbol = symbol;
	}
	return n;
}

/* Two objects with one name would be one class; of two names of one the first counts. */
static bool is_only(const struct candidate *candidates, size_t n, size_t at)
{
	for (size_t i = 0; i < n; i++) {
		const bool is_it = candidates[i].symbol->addr == candidates[at].symbol->addr;

		if (is_it ? i < at
			  : !strcmp(candidates[i].symbol->name, candidates[at].symbol->name))
			return false;
	}
	return true;
}

static void root_search(struct tags *tags, const struct slots *slots, struct rooted *rooted)
{
	struct candidate *candidates = mem_alloc(TAGS_MAX * sizeof(*candidates));
	struct asking asking = {.arena = tags->arena, .root = rooted->root};
	const size_t n = candidates_find(tags, slots, candidates, &asking);
	struct tag *found = arena_array(tags->arena, struct tag, n + 1);

	if (n)
		functions_ask(tags, &asking);
	for (size_t i = 0; i < n; i++) {
		const struct candidate *one = &candidates[i];
		struct popular *popular = NULL;
		Dwarf_Die own = one->tag.record, tag = slots->tag;

		if (!one->is_heard || !is_only(candidates, n, i))
			continue;
		if (one->tag.structure && !one->contradicts && !tag_is_same(&own, &tag))
			found[rooted->n] = one->tag;
		if (found[rooted->n].structure)
			HASH_FIND_STR(asking.popular, found[rooted->n].structure, popular);
		found[rooted->n].n_functions = popular ? popular->n_functions : 0;
		found[rooted->n].name = one->symbol->name;
		found[rooted->n++].addr = one->symbol->addr;
	}
	rooted->tags = found;
	HASH_CLEAR(hh, asking.popular);
	free(asking.wanted);
	free(candidates);
}

/* The tags of the structure @root, of which each unit may have a definition. */
static const struct rooted *root_find(struct tags *tags, Dwarf_Die *root, const struct slots *slots)
{
	struct rooted *rooted = tags->rooted;

	while (rooted && !tag_is_same(&rooted->root, root))
		rooted = rooted->next;
	if (rooted)
		return rooted;
	rooted = arena_new(tags->arena, struct rooted);
	*rooted = (struct rooted){.root = *root, .next = tags->rooted};
	tags->rooted = rooted;
	root_search(tags, slots, rooted);
	return rooted;
}

/* The member of @record that points to a tag. */
static bool find_pointer(Dwarf_Die *record, Dwarf_Die *ret, struct slots *ret_slots)
{
	for (bool more = die_first(record, ret); more; more = die_next(ret))
		if (dwarf_tag(ret) == DW_TAG_member && dwarf_diename(ret) &&
		    find_slots(ret, record, ret_slots))
			return true;
	return false;
}

/* "list" of "struct list". */
static const char *bare_name(const char *structure)
{
	const char *last = strrchr(structure, ' ');

	return last ? last + 1 : structure;
}

static int tag_name_order(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (!x->structure || !y->structure)
		return !x->structure - !y->structure;
	return strcmp(bare_name(x->structure), bare_name(y->structure));
}

/* Which structures does the unit of @record know? Compilers leave out what a unit does not use. */
static void tags_know(Dwarf_Die *record, struct tag *tags, size_t n)
{
	Dwarf_Die unit, child;

	qsort(tags, n, sizeof(*tags), tag_name_order);
	if (!dwarf_diecu(record, &unit, NULL, NULL))
		return;
	for (bool more = die_first(&unit, &child); more; more = die_next(&child)) {
		const int kind = dwarf_tag(&child);
		const struct tag key = {.structure = dwarf_diename(&child)};
		struct tag *found;

		if (!key.structure || (kind != DW_TAG_typedef && kind != DW_TAG_structure_type) ||
		    dwarf_hasattr(&child, DW_AT_declaration))
			continue;
		found = bsearch(&key, tags, n, sizeof(*tags), tag_name_order);
		while (found && found > tags && !tag_name_order(found - 1, &key))
			found--;
		for (; found && found < tags + n && !tag_name_order(found, &key); found++)
			found->is_known = true;
	}
}

static int tag_order(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;

	if (x->is_known != y->is_known)
		return x->is_known ? -1 : 1;
	if (x->n_functions != y->n_functions)
		return x->n_functions > y->n_functions ? -1 : 1;
	return tag_name_order(a, b);
}

static const struct tag_base *base_search(struct tags *tags, Dwarf_Die *record)
{
	struct tag_base base = {.path = ""};
	const struct rooted *rooted;
	struct tag *list;
	Dwarf_Die at = *record, member, pointer;
	struct slots slots;
	uint64_t offset = 0;

	for (int i = 0; !find_pointer(&at, &pointer, &slots); i++) {
		if (i == NESTED_MAX || !first_member(&at, &member, &at))
			return NULL;
		base.path = arena_printf(tags->arena, "%s%s.", base.path, dwarf_diename(&member));
	}
	if (!die_number(&pointer, DW_AT_data_member_location, &offset))
		return NULL;
	base.offset = (int64_t)offset;
	base.path = arena_printf(tags->arena, "%s%s", base.path, dwarf_diename(&pointer));
	rooted = root_find(tags, &at, &slots);
	if (!rooted->n)
		return NULL;
	list = arena_copy(tags->arena, rooted->tags, rooted->n * sizeof(*list));
	tags_know(record, list, rooted->n);
	qsort(list, rooted->n, sizeof(*list), tag_order);
	base.tags = list;
	base.n = rooted->n;
	return arena_copy(tags->arena, &base, sizeof(base));
}

const struct tag_base *tags_find(struct tags *tags, Dwarf_Die *record)
{
	struct answer *answer;

	HASH_FIND_PTR(tags->answers, &record->addr, answer);
	if (!answer) {
		answer = arena_new(tags->arena, struct answer);
		answer->addr = record->addr;
		answer->base = type_names_is_cplusplus(record) ? NULL : base_search(tags, record);
		HASH_ADD_PTR(tags->answers, addr, answer);
	}
	return answer->base;
}

bool tags_are(const struct tags *tags)
{
	for (const struct rooted *rooted = tags->rooted; rooted; rooted = rooted->next)
		if (rooted->n)
			return true;
	return false;
}

size_t tags_all(const struct tags *tags, struct arena *arena, struct tag **ret)
{
	const struct rooted *rooted;
	size_t n = 0;

	for (rooted = tags->rooted; rooted; rooted = rooted->next)
		n += rooted->n;
	*ret = arena_array(arena, struct tag, n + 1);
	for (n = 0, rooted = tags->rooted; rooted; n += rooted->n, rooted = rooted->next)
		memcpy(*ret + n, rooted->tags, rooted->n * sizeof(**ret));
	return n;
}
