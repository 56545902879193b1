/*
 * Inheritance, gathered unit by unit from definitions of classes. classes.c decides what classes
 * objects have at run time.
 */
#include "hierarchy.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "core/cxx_name.h"
#include "dwarf/file/die_name.h"
#include "dwarf/type/type.h"
#include "dwarf/search/unit_filter.h"
#include "dwarf/search/die_walk.h"

enum {
	NODES_MAX = 1 << 16,
	BASES_MAX = 256, /* of one class */
	DEPTH_MAX = 64,  /* of inheritance */
	STEPS_MAX = 4096,
	LOCAL_MAX = 64, /* dynamic classes local to functions */
	SCANS_MAX = 16, /* after this many names, walk all units once */
};

struct node {
	struct class_node class;
	const char *key;
	int *derived; /* direct ones */
	size_t n_derived, capacity;
	bool scanned;  /* all units that can have the name were walked */
	unsigned mark; /* of the last search that visited it */
	UT_hash_handle hh;
};

struct seen_unit {
	const void *addr;
	bool whole; /* including functions */
	UT_hash_handle hh;
};

struct hierarchy {
	const struct elf_file *image;
	struct arena *arena;
	struct type_names *names;
	struct node **nodes;
	size_t n_nodes, capacity;
	struct node *by_key;
	struct seen_unit *units;
	unsigned mark;
	unsigned n_scans;
	bool complete;             /* all units were walked */
	bool local_anywhere;       /* functions of any unit may have dynamic classes */
	struct unit_filter *local; /* units whose functions may; NULL: none */
};

static bool is_local_vtable(const char *symbol)
{
	return !strncmp(symbol, "_ZTVZ", 5) || !strncmp(symbol, "_ZTVNZ", 6);
}

/*
 * Functions are most of a unit. Dynamic classes local to one are few, and their vtable symbols
 * contain their names: only units that mention those names can have one.
 */
static void local_classes_find(struct hierarchy *hierarchy)
{
	const struct elf_file *image = hierarchy->image;
	const char **names = arena_array(hierarchy->arena, const char *, LOCAL_MAX);
	size_t n = 0;

	for (size_t i = 0; i < image->n_objects; i++) {
		const char *full, *plain;
		size_t length;

		if (!is_local_vtable(image->objects[i].name))
			continue;
		full = die_name_demangle(image->objects[i].name, hierarchy->arena);
		plain = full ? cxx_name_plain(cxx_name_canonical(hierarchy->arena, full), &length)
			     : NULL;
		if (!plain || !length || n == LOCAL_MAX) {
			hierarchy->local_anywhere = true;
			return;
		}
		names[n++] = arena_printf(hierarchy->arena, "%.*s", (int)length, plain);
	}
	if (n)
		hierarchy->local = unit_filter_create(image, names, n);
}

static bool may_have_local(const struct hierarchy *hierarchy, Dwarf_Die *unit)
{
	return hierarchy->local_anywhere ||
	       (hierarchy->local && unit_filter_passes(hierarchy->local, unit));
}

struct hierarchy *hierarchy_create(const struct elf_file *image, struct type_names *names)
{
	struct hierarchy *hierarchy = mem_alloc(sizeof(*hierarchy));

	hierarchy->image = image;
	hierarchy->arena = arena_create();
	hierarchy->names = names;
	local_classes_find(hierarchy);
	return hierarchy;
}

void hierarchy_destroy(struct hierarchy *hierarchy)
{
	if (!hierarchy)
		return;
	HASH_CLEAR(hh, hierarchy->by_key);
	HASH_CLEAR(hh, hierarchy->units);
	unit_filter_destroy(hierarchy->local);
	for (size_t i = 0; i < hierarchy->n_nodes; i++)
		free(hierarchy->nodes[i]->derived);
	free(hierarchy->nodes);
	arena_destroy(hierarchy->arena);
	free(hierarchy);
}

const struct class_node *hierarchy_node(const struct hierarchy *hierarchy, int number)
{
	return &hierarchy->nodes[number]->class;
}

static int node_find(struct hierarchy *hierarchy, const struct type_name *name, Dwarf_Die *die)
{
	Dwarf_Die unit = {0};
	struct node *node;
	const char *key = name->name;

	if (name->unit_only && dwarf_diecu(die, &unit, NULL, NULL))
		key = arena_printf(hierarchy->arena, "%s@%p", name->name, unit.addr);
	HASH_FIND_STR(hierarchy->by_key, key, node);
	if (node)
		return node->class.number;
	if (hierarchy->n_nodes == NODES_MAX)
		return HIERARCHY_NONE;
	node = arena_new(hierarchy->arena, struct node);
	node->key = arena_strdup(hierarchy->arena, key);
	node->class.name = *name;
	hierarchy->nodes = mem_grow(hierarchy->nodes, &hierarchy->capacity, hierarchy->n_nodes + 1,
				    sizeof(struct node *));
	hierarchy->nodes[hierarchy->n_nodes] = node;
	node->class.number = (int)hierarchy->n_nodes++;
	HASH_ADD_KEYPTR(hh, hierarchy->by_key, node->key, strlen(node->key), node);
	return node->class.number;
}

/* The base class of @inheritance, through typedefs and in type units. */
static int base_find(struct hierarchy *hierarchy, Dwarf_Die *inheritance)
{
	struct type type = type_of(inheritance);
	struct type_name name;

	if (type.kind != TYPE_RECORD && type.kind != TYPE_INCOMPLETE)
		return HIERARCHY_NONE;
	if (!type_names_find(hierarchy->names, &type.die, &name))
		return HIERARCHY_NONE;
	return node_find(hierarchy, &name, &type.die);
}

static struct base_class base_read(Dwarf_Die *inheritance, int base)
{
	struct base_class ret = {.base = base};
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	uint64_t virtuality = 0;

	die_number(inheritance, DW_AT_virtuality, &virtuality);
	if (virtuality != DW_VIRTUALITY_none ||
	    !dwarf_attr(inheritance, DW_AT_data_member_location, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0 || offset > INT32_MAX)
		ret.is_virtual = true;
	else
		ret.offset = (int64_t)offset;
	return ret;
}

static void node_define(struct hierarchy *hierarchy, int number, Dwarf_Die *record)
{
	struct node *node = hierarchy->nodes[number];
	size_t capacity = 0, n = 0;
	struct base_class *bases = NULL;
	Dwarf_Die child;

	if (node->class.is_defined)
		return;
	node->class.is_defined = true;
	node->class.die = *record;
	for (bool more = die_first(record, &child); more && n < BASES_MAX;
	     more = die_next(&child)) {
		struct node *base;
		int found;

		if (dwarf_tag(&child) != DW_TAG_inheritance ||
		    (found = base_find(hierarchy, &child)) == HIERARCHY_NONE)
			continue;
		bases = mem_grow(bases, &capacity, n + 1, sizeof(*bases));
		bases[n++] = base_read(&child, found);
		base = hierarchy->nodes[found];
		base->derived = mem_grow(base->derived, &base->capacity, base->n_derived + 1,
					 sizeof(*base->derived));
		base->derived[base->n_derived++] = number;
	}
	node->class.bases = n ? arena_copy(hierarchy->arena, bases, n * sizeof(*bases)) : NULL;
	node->class.n_bases = n;
	free(bases);
}

static bool is_definition(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return (tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
	       !dwarf_hasattr(die, DW_AT_declaration);
}

static bool has_bases(Dwarf_Die *record)
{
	Dwarf_Die child;

	for (bool more = die_first(record, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_inheritance)
			return true;
	return false;
}

static void base_entry_visit(struct hierarchy *hierarchy, struct type_entry *entry)
{
	struct type_name name;
	int number;

	if (entry->is_declared || entry->word != TYPE_WORD_RECORD || !has_bases(&entry->die) ||
	    !type_names_entry(hierarchy->names, entry, &name))
		return;
	number = node_find(hierarchy, &name, &entry->die);
	if (number != HIERARCHY_NONE)
		node_define(hierarchy, number, &entry->die);
}

static struct seen_unit *seen_find(struct hierarchy *hierarchy, Dwarf_Die *unit)
{
	struct seen_unit *seen;

	HASH_FIND_PTR(hierarchy->units, &unit->addr, seen);
	return seen;
}

static void base_unit_visit(struct hierarchy *hierarchy, Dwarf_Die *unit, bool whole)
{
	struct seen_unit *seen = seen_find(hierarchy, unit);
	struct type_entry *entries;
	size_t n;

	if (seen && (seen->whole || !whole))
		return;
	if (!seen) {
		seen = arena_new(hierarchy->arena, struct seen_unit);
		seen->addr = unit->addr;
		HASH_ADD_PTR(hierarchy->units, addr, seen);
	}
	seen->whole = whole;
	n = type_names_of_unit(hierarchy->names, unit, whole, &entries);
	for (size_t i = 0; i < n; i++)
		base_entry_visit(hierarchy, &entries[i]);
}

int hierarchy_find(struct hierarchy *hierarchy, Dwarf_Die *record)
{
	struct type_name name;
	Dwarf_Die unit;
	int number;

	if (!type_names_find(hierarchy->names, record, &name))
		return HIERARCHY_NONE;
	number = node_find(hierarchy, &name, record);
	if (number != HIERARCHY_NONE && is_definition(record))
		node_define(hierarchy, number, record);
	if (dwarf_diecu(record, &unit, NULL, NULL))
		base_unit_visit(hierarchy, &unit, may_have_local(hierarchy, &unit));
	return number;
}

/*
 * Walk all units that can contain one of @names. A type unit names its base classes by signature
 * only.
 */
static void units_visit(struct hierarchy *hierarchy, const char *const *names, size_t n)
{
	const bool all = hierarchy->n_scans++ >= SCANS_MAX;
	struct unit_filter *filter;
	struct unit_cursor cursor = {0};

	if (hierarchy->complete)
		return;
	filter = unit_filter_create(hierarchy->image, names, n);
	while (die_walk_next_unit(hierarchy->image, &cursor))
		if (!seen_find(hierarchy, &cursor.die) &&
		    (all || cursor.is_type || unit_filter_passes(filter, &cursor.die)))
			base_unit_visit(hierarchy, &cursor.die,
					may_have_local(hierarchy, &cursor.die));
	unit_filter_destroy(filter);
	hierarchy->complete = all;
}

struct level {
	struct node **nodes;
	size_t n, capacity;
};

static int node_order(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a, *y = *(struct node *const *)b;
	const int names = strcmp(x->class.name.name, y->class.name.name);

	return names ? names : x->class.number - y->class.number;
}

static void level_add(struct hierarchy *hierarchy, struct level *level, const struct node *base)
{
	for (size_t i = 0; i < base->n_derived; i++) {
		struct node *derived = hierarchy->nodes[base->derived[i]];

		if (derived->mark == hierarchy->mark)
			continue;
		derived->mark = hierarchy->mark;
		level->nodes = mem_grow(level->nodes, &level->capacity, level->n + 1,
					sizeof(struct node *));
		level->nodes[level->n++] = derived;
	}
}

/* Fill @ret with the classes known so far to derive from @base, level by level. */
static size_t derived_known(struct hierarchy *hierarchy, int base, int ret[HIERARCHY_DERIVED_MAX])
{
	struct level level = {0};
	size_t n = 0, from = 0, to;

	hierarchy->nodes[base]->mark = ++hierarchy->mark;
	level_add(hierarchy, &level, hierarchy->nodes[base]);
	while (level.n && n < HIERARCHY_DERIVED_MAX) {
		qsort(level.nodes, level.n, sizeof(struct node *), node_order);
		for (size_t i = 0; i < level.n && n < HIERARCHY_DERIVED_MAX; i++)
			ret[n++] = level.nodes[i]->class.number;
		level.n = 0;
		for (to = n; from < to; from++)
			level_add(hierarchy, &level, hierarchy->nodes[ret[from]]);
	}
	free(level.nodes);
	return n;
}

/* Look for classes derived from those in @classes not yet searched. False: none left. */
static bool derived_scan(struct hierarchy *hierarchy, const int *classes, size_t n)
{
	const char *names[HIERARCHY_DERIVED_MAX + 1];
	size_t n_names = 0;

	for (size_t i = 0; i < n; i++) {
		struct node *node = hierarchy->nodes[classes[i]];

		if (!node->scanned)
			names[n_names++] = node->class.name.plain;
		node->scanned = true;
	}
	if (n_names)
		units_visit(hierarchy, names, n_names);
	return n_names > 0;
}

size_t hierarchy_derived(struct hierarchy *hierarchy, int base, int ret[HIERARCHY_DERIVED_MAX])
{
	size_t n = 0;

	derived_scan(hierarchy, &base, 1);
	for (int round = 0; round < DEPTH_MAX; round++) {
		n = derived_known(hierarchy, base, ret);
		if (!derived_scan(hierarchy, ret, n))
			break;
	}
	return n;
}

/*
 * A search from a class up to a base; both counts bound it, since malformed inheritance may be
 * cyclic.
 */
struct climb {
	const struct hierarchy *hierarchy;
	int base;
	unsigned steps, paths;
	bool is_virtual; /* on one of the paths */
	int64_t offset;  /* of the last path */
};

static void climb_from(struct climb *climb, int at, int64_t offset, bool is_virtual, unsigned depth)
{
	const struct class_node *node = hierarchy_node(climb->hierarchy, at);

	if (at == climb->base) {
		climb->paths++;
		climb->offset = offset;
		climb->is_virtual |= is_virtual;
		return;
	}
	if (depth == DEPTH_MAX)
		return;
	for (size_t i = 0; i < node->n_bases && climb->steps < STEPS_MAX; i++) {
		const struct base_class *base = &node->bases[i];

		climb->steps++;
		climb_from(climb, base->base, offset + base->offset, is_virtual || base->is_virtual,
			   depth + 1);
	}
}

bool hierarchy_is_base(const struct hierarchy *hierarchy, int base, int derived)
{
	struct climb climb = {.hierarchy = hierarchy, .base = base};

	climb_from(&climb, derived, 0, false, 0);
	return base != derived && climb.paths > 0;
}

bool hierarchy_offset(const struct hierarchy *hierarchy, int base, int derived, int64_t *ret)
{
	struct climb climb = {.hierarchy = hierarchy, .base = base};

	climb_from(&climb, derived, 0, false, 0);
	if (climb.paths != 1 || climb.is_virtual || climb.steps == STEPS_MAX)
		return false;
	*ret = climb.offset;
	return true;
}
