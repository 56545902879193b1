/*
 * Classes at run time: which have vtables, what derives from them, and their offset in complete
 * objects. hierarchy.c knows inheritance, vtables.c the symbols.
 */
#include "classes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "class_publisher.h"
#include "hierarchy.h"
#include "dwarf/type/type.h"
#include "tags.h"

enum { CASTS_MAX = 4096, DEPTH_MAX = 32, BASES_MAX = 1024 };

/* Cached results about one class. */
struct answer {
	int number;
	struct derived_class *derived;
	size_t n_derived;
	int cast; /* index of its cast, HIERARCHY_NONE: none */
	bool searched;
	UT_hash_handle hh;
};

struct dynamic {
	const void *addr; /* of the DIE */
	bool yes;
	UT_hash_handle hh;
};

/* What a cast is to. */
struct cast_target {
	int number;       /* of a class; HIERARCHY_NONE: of a structure with a tag */
	const char *name; /* of the structure */
	Dwarf_Die record;
	const struct tag_base *base;
};

struct classes {
	const struct elf_file *image;
	unsigned module, first_cast;
	struct arena *arena;
	struct hierarchy *hierarchy;
	struct answer *answers;
	struct dynamic *dynamic;
	bool any_dynamic;
	struct tags *tags;
	struct cast_target *casts;
	size_t n_casts, capacity;
};

struct classes *classes_create(const struct elf_file *image, struct type_names *names,
			       unsigned module, unsigned first_cast, struct arena *arena)
{
	struct classes *classes = mem_alloc(sizeof(*classes));

	classes->image = image;
	classes->module = module;
	classes->first_cast = first_cast;
	classes->arena = arena;
	classes->hierarchy = hierarchy_create(image, names);
	classes->tags = tags_create(image, arena);
	return classes;
}

void classes_destroy(struct classes *classes)
{
	if (!classes)
		return;
	HASH_CLEAR(hh, classes->answers);
	HASH_CLEAR(hh, classes->dynamic);
	hierarchy_destroy(classes->hierarchy);
	tags_destroy(classes->tags);
	free(classes->casts);
	free(classes);
}

/* A vtable pointer of its own counts only at offset 0. */
static bool is_vtable_pointer(Dwarf_Die *member)
{
	const char *name = dwarf_diename(member);
	uint64_t offset = 0;

	if (!name || strncmp(name, "_vptr", strlen("_vptr")) != 0)
		return false;
	return !dwarf_hasattr(member, DW_AT_data_member_location) ||
	       (die_number(member, DW_AT_data_member_location, &offset) && offset == 0);
}

static bool is_virtual(Dwarf_Die *die)
{
	uint64_t virtuality = DW_VIRTUALITY_none;

	return die_number(die, DW_AT_virtuality, &virtuality) && virtuality != DW_VIRTUALITY_none;
}

/*
 * A dynamic object always starts with a vtable pointer: its own, or that of its primary base, which
 * comes first (Itanium C++ ABI, section 2.4).
 */
static bool has_vtable(Dwarf_Die *record, unsigned depth, unsigned *n_bases)
{
	Dwarf_Die child;

	if (dwarf_hasattr(record, DW_AT_containing_type))
		return true;
	for (bool more = depth < DEPTH_MAX && die_first(record, &child); more;
	     more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		struct type base;

		if ((tag == DW_TAG_member && is_vtable_pointer(&child)) ||
		    ((tag == DW_TAG_subprogram || tag == DW_TAG_inheritance) && is_virtual(&child)))
			return true;
		if (tag != DW_TAG_inheritance || ++*n_bases > BASES_MAX)
			continue;
		base = type_of(&child);
		if ((base.kind == TYPE_RECORD || base.kind == TYPE_INCOMPLETE) &&
		    has_vtable(&base.die, depth + 1, n_bases))
			return true;
	}
	return false;
}

bool classes_is_dynamic(struct classes *classes, Dwarf_Die *record)
{
	struct dynamic *dynamic;
	unsigned n_bases = 0;

	HASH_FIND_PTR(classes->dynamic, &record->addr, dynamic);
	if (!dynamic) {
		dynamic = arena_new(classes->arena, struct dynamic);
		dynamic->addr = record->addr;
		dynamic->yes = type_names_is_cplusplus(record) && has_vtable(record, 0, &n_bases);
		HASH_ADD_PTR(classes->dynamic, addr, dynamic);
		classes->any_dynamic |= dynamic->yes;
	}
	return dynamic->yes;
}

static struct answer *answer_find(struct classes *classes, int number)
{
	struct answer *answer;

	HASH_FIND_INT(classes->answers, &number, answer);
	if (answer)
		return answer;
	answer = arena_new(classes->arena, struct answer);
	answer->number = number;
	answer->cast = HIERARCHY_NONE;
	HASH_ADD_INT(classes->answers, number, answer);
	return answer;
}

/* A new cast; its index. HIERARCHY_NONE: too many. */
static int cast_add(struct classes *classes, const struct cast_target *target)
{
	if (classes->n_casts == CASTS_MAX)
		return HIERARCHY_NONE;
	classes->casts = mem_grow(classes->casts, &classes->capacity, classes->n_casts + 1,
				  sizeof(*classes->casts));
	classes->casts[classes->n_casts] = *target;
	return (int)classes->n_casts++;
}

/* The index of the cast to the class @number. False: too many. */
static bool cast_find(struct classes *classes, int number, unsigned *ret)
{
	struct answer *answer = answer_find(classes, number);

	if (answer->cast == HIERARCHY_NONE)
		answer->cast = cast_add(classes, &(struct cast_target){.number = number});
	*ret = classes->first_cast + (unsigned)answer->cast;
	return answer->cast != HIERARCHY_NONE;
}

const struct tag_base *classes_tag(struct classes *classes, Dwarf_Die *record)
{
	return tags_find(classes->tags, record);
}

/* The index of the cast to the structure of @tag, one of @base's. False: too many. */
static bool cast_find_tagged(struct classes *classes, const struct tag_base *base,
			     const struct tag *tag, unsigned *ret)
{
	struct cast_target target = {.number = HIERARCHY_NONE,
				     .name = tag->structure,
				     .record = tag->record,
				     .base = base};
	int at = 0;

	while (at < (int)classes->n_casts &&
	       (!classes->casts[at].name || strcmp(classes->casts[at].name, target.name) != 0))
		at++;
	if (at == (int)classes->n_casts)
		at = cast_add(classes, &target);
	*ret = classes->first_cast + (unsigned)at;
	return at != HIERARCHY_NONE;
}

/* Is an object with @tag more than the @record that is known? */
static bool tag_says_more(const struct tag *tag, Dwarf_Die *record)
{
	Dwarf_Die own = tag->record;

	return tag->structure && tags_begins(&own, record, NULL, NULL) &&
	       !tags_begins(record, &own, NULL, NULL);
}

size_t classes_tagged(struct classes *classes, Dwarf_Die *record, size_t max,
		      struct derived_class *ret)
{
	const struct tag_base *base = classes_tag(classes, record);
	size_t n = 0;

	for (size_t i = 0; base && i < base->n && n < max; i++) {
		const struct tag *tag = &base->tags[i];
		struct derived_class *derived = &ret[n];

		if (!tag_says_more(tag, record) || (n && !strcmp(ret[n - 1].name, tag->structure)))
			continue;
		*derived = (struct derived_class){.die = tag->record, .name = tag->structure};
		n += cast_find_tagged(classes, base, tag, &derived->cast);
	}
	return n;
}

static void derived_search(struct classes *classes, struct answer *answer)
{
	int numbers[HIERARCHY_DERIVED_MAX];
	const size_t n = hierarchy_derived(classes->hierarchy, answer->number, numbers);

	answer->searched = true;
	answer->derived = n ? arena_array(classes->arena, struct derived_class, n) : NULL;
	for (size_t i = 0; i < n; i++) {
		const struct class_node *node = hierarchy_node(classes->hierarchy, numbers[i]);
		struct derived_class *derived = &answer->derived[answer->n_derived];

		derived->die = node->die;
		derived->name = arena_strdup(classes->arena, node->name.name);
		answer->n_derived += cast_find(classes, node->number, &derived->cast);
	}
}

size_t classes_derived(struct classes *classes, Dwarf_Die *record, const struct derived_class **ret)
{
	const int number = hierarchy_find(classes->hierarchy, record);
	struct answer *answer;

	if (number == HIERARCHY_NONE)
		return 0;
	answer = answer_find(classes, number);
	if (!answer->searched)
		derived_search(classes, answer);
	*ret = answer->derived;
	return answer->n_derived;
}

static bool is_among_derived(struct classes *classes, int number, int base)
{
	const char *name = hierarchy_node(classes->hierarchy, base)->name.name;
	const struct answer *answer = answer_find(classes, number);

	for (size_t i = 0; i < answer->n_derived; i++)
		if (!strcmp(answer->derived[i].name, name))
			return true;
	return false;
}

bool classes_covers(struct classes *classes, Dwarf_Die *record, Dwarf_Die *base)
{
	const int number = hierarchy_find(classes->hierarchy, record);
	const int other = hierarchy_find(classes->hierarchy, base);
	const struct derived_class *derived;

	if (number == HIERARCHY_NONE || other == HIERARCHY_NONE)
		return false;
	classes_derived(classes, record, &derived);
	return number == other || hierarchy_is_base(classes->hierarchy, other, number) ||
	       is_among_derived(classes, number, other);
}

/* Publish the entries of the cast to the class @target: itself and its derived classes. */
static void cast_publish(struct classes *classes, struct class_publisher *publisher, int target)
{
	struct hierarchy *hierarchy = classes->hierarchy;
	int numbers[HIERARCHY_DERIVED_MAX + 1] = {target};
	const size_t n = 1 + hierarchy_derived(hierarchy, target, numbers + 1);

	class_publisher_cast(publisher, hierarchy_node(hierarchy, target)->name.name);
	for (size_t i = 0; i < n; i++) {
		struct class_node node = *hierarchy_node(hierarchy, numbers[i]);
		int64_t offset;

		if (node.is_defined && hierarchy_offset(hierarchy, target, numbers[i], &offset))
			class_publisher_entry(publisher, node.name.name, &node.die, offset);
	}
}

/* The same of the structure @target: an object of it is where one begins that has its tags. */
static void cast_publish_tagged(struct class_publisher *publisher, const struct cast_target *target)
{
	Dwarf_Die record = target->record;

	class_publisher_cast(publisher, target->name);
	for (size_t i = 0; i < target->base->n; i++) {
		const struct tag *tag = &target->base->tags[i];
		Dwarf_Die own = tag->record;

		if (tag->structure && tags_begins(&own, &record, NULL, NULL))
			class_publisher_tag(publisher, tag->name, 0);
	}
}

void classes_publish(struct classes *classes, struct catalogue *catalogue)
{
	struct class_publisher *publisher;

	if (!classes->any_dynamic && !tags_are(classes->tags))
		return;
	publisher =
		class_publisher_create(classes->image, classes->tags, classes->module, catalogue);
	for (size_t i = 0; i < classes->n_casts; i++)
		if (classes->casts[i].base)
			cast_publish_tagged(publisher, &classes->casts[i]);
		else
			cast_publish(classes, publisher, classes->casts[i].number);
	class_publisher_finish(publisher);
}
