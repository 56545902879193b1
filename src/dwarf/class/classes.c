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

struct classes {
	const struct elf_file *image;
	unsigned module, first_cast;
	struct arena *arena;
	struct hierarchy *hierarchy;
	struct answer *answers;
	struct dynamic *dynamic;
	bool any_dynamic;
	int *casts; /* the targets' numbers */
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
	return classes;
}

void classes_destroy(struct classes *classes)
{
	if (!classes)
		return;
	HASH_CLEAR(hh, classes->answers);
	HASH_CLEAR(hh, classes->dynamic);
	hierarchy_destroy(classes->hierarchy);
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

/* The index of the cast to the class @number. False: too many. */
static bool cast_find(struct classes *classes, int number, unsigned *ret)
{
	struct answer *answer = answer_find(classes, number);

	if (answer->cast == HIERARCHY_NONE) {
		if (classes->n_casts == CASTS_MAX)
			return false;
		answer->cast = (int)classes->n_casts;
		classes->casts = mem_grow(classes->casts, &classes->capacity, classes->n_casts + 1,
					  sizeof(*classes->casts));
		classes->casts[classes->n_casts++] = number;
	}
	*ret = classes->first_cast + (unsigned)answer->cast;
	return true;
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

void classes_publish(struct classes *classes, struct catalogue *catalogue)
{
	struct class_publisher *publisher;

	if (!classes->any_dynamic)
		return;
	publisher = class_publisher_create(classes->image, classes->module, catalogue);
	for (size_t i = 0; i < classes->n_casts; i++)
		cast_publish(classes, publisher, classes->casts[i]);
	class_publisher_finish(publisher);
}
