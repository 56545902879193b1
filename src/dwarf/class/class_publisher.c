/*
 * Merges classes into the catalogue: they stay sorted by name, so references by index are
 * renumbered. All published data lives in the catalogue's arena.
 */
#include "class_publisher.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "vtables.h"

enum { CLASSES_MAX = 1 << 16, UNKNOWN = -1 };

struct class_publisher {
	struct catalogue *catalogue;
	struct arena *scratch;
	unsigned module;
	struct vtables vtables;
	struct class_cast *casts; /* new ones */
	size_t n_casts, casts_capacity;
	struct class_cast_entry *entries; /* of the current cast */
	size_t n_entries, entries_capacity;
};

static int class_name_order(const void *a, const void *b)
{
	return strcmp(((const struct class_type *)a)->name, ((const struct class_type *)b)->name);
}

/* A class, and whether the catalogue had it before. */
struct numbered {
	struct class_type type;
	bool is_new;
};

static int number_order(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->type.number != y->type.number)
		return x->type.number < y->type.number ? -1 : 1;
	if (x->is_new != y->is_new)
		return x->is_new ? 1 : -1;
	return strcmp(x->type.name, y->type.name);
}

/* The index of the class @name, UNKNOWN if not in @classes. */
static int class_find(const struct class_type *classes, size_t n, const char *name)
{
	const struct class_type key = {.name = name};
	const struct class_type *found =
		n ? bsearch(&key, classes, n, sizeof(key), class_name_order) : NULL;

	return found ? (int)(found - classes) : UNKNOWN;
}

/*
 * All classes, sorted by number, each once. Of two with one number the later is dropped: a value
 * must mean one class.
 */
static size_t classes_unite(const struct class_publisher *publisher, struct numbered *ret)
{
	const struct catalogue *catalogue = publisher->catalogue;
	size_t n_all = 0, n = 0;

	for (size_t i = 0; i < catalogue->n_classes; i++)
		ret[n_all++] = (struct numbered){catalogue->classes[i], false};
	for (size_t i = 0; i < publisher->vtables.n; i++) {
		const char *name = publisher->vtables.items[i].class_name;

		ret[n_all++] = (struct numbered){{name, class_type_number(name)}, true};
	}
	if (n_all)
		qsort(ret, n_all, sizeof(*ret), number_order);
	for (size_t i = 0; i < n_all; i++)
		if (n == 0 || ret[n - 1].type.number != ret[i].type.number)
			ret[n++] = ret[i];
	return n;
}

/* Renumber existing references: class i became class @map[i]. */
static void indices_move(struct catalogue *catalogue, const unsigned *map)
{
	struct vtable *vtables =
		arena_array(catalogue->arena, struct vtable, catalogue->n_vtables + 1);
	struct class_cast *casts =
		arena_array(catalogue->arena, struct class_cast, catalogue->n_casts + 1);

	for (size_t i = 0; i < catalogue->n_vtables; i++) {
		vtables[i] = catalogue->vtables[i];
		vtables[i].class_type = map[vtables[i].class_type];
	}
	for (size_t i = 0; i < catalogue->n_casts; i++) {
		struct class_cast_entry *entries;

		casts[i] = catalogue->casts[i];
		if (!casts[i].n_entries)
			continue;
		entries = arena_copy(catalogue->arena, casts[i].entries,
				     casts[i].n_entries * sizeof(*entries));
		for (size_t k = 0; k < casts[i].n_entries; k++)
			entries[k].class_type = map[entries[k].class_type];
		casts[i].entries = entries;
	}
	catalogue->vtables = vtables;
	catalogue->casts = casts;
}

static void classes_merge(struct class_publisher *publisher)
{
	struct catalogue *catalogue = publisher->catalogue;
	const size_t n_before = catalogue->n_classes;
	struct numbered *all = arena_array(publisher->scratch, struct numbered,
					   n_before + publisher->vtables.n + 1);
	unsigned *map = arena_array(publisher->scratch, unsigned, n_before + 1);
	const size_t n = classes_unite(publisher, all);
	struct class_type *classes = arena_array(catalogue->arena, struct class_type, n + 1);

	for (size_t i = 0; i < n; i++) {
		classes[i] = all[i].type;
		if (all[i].is_new)
			classes[i].name = arena_strdup(catalogue->arena, classes[i].name);
	}
	qsort(classes, n, sizeof(*classes), class_name_order);
	for (size_t i = 0; i < n_before; i++)
		map[i] = (unsigned)class_find(classes, n, catalogue->classes[i].name);
	indices_move(catalogue, map);
	catalogue->classes = classes;
	catalogue->n_classes = n;
}

static void vtables_append(struct class_publisher *publisher)
{
	struct catalogue *catalogue = publisher->catalogue;
	struct vtable *vtables = arena_array(catalogue->arena, struct vtable,
					     catalogue->n_vtables + publisher->vtables.n + 1);
	size_t n = catalogue->n_vtables;

	memcpy(vtables, catalogue->vtables, n * sizeof(*vtables));
	for (size_t i = 0; i < publisher->vtables.n; i++) {
		const struct vtable_symbol *at = &publisher->vtables.items[i];
		const int class =
			class_find(catalogue->classes, catalogue->n_classes, at->class_name);

		if (class != UNKNOWN)
			vtables[n++] = (struct vtable){at->low_addr, at->high_addr,
						       publisher->module, (unsigned)class};
	}
	catalogue->vtables = vtables;
	catalogue->n_vtables = n;
}

struct class_publisher *class_publisher_create(const struct elf_file *image,
					       const struct tags *tags, unsigned module,
					       struct catalogue *catalogue)
{
	struct class_publisher *publisher = mem_alloc(sizeof(*publisher));

	publisher->catalogue = catalogue;
	publisher->scratch = arena_create();
	publisher->module = module;
	vtables_init(&publisher->vtables, image, tags, publisher->scratch);
	classes_merge(publisher);
	vtables_append(publisher);
	return publisher;
}

static int entry_order(const void *a, const void *b)
{
	const struct class_cast_entry *x = a, *y = b;

	return x->class_type < y->class_type ? -1 : x->class_type > y->class_type;
}

/*
 * Drop two entries of one class: two DWARF classes share its vtable name, and which is meant is
 * unknown.
 */
static size_t doubles_drop(struct class_cast_entry *entries, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n;) {
		size_t end = i + 1;

		while (end < n && entries[end].class_type == entries[i].class_type)
			end++;
		if (end == i + 1)
			entries[kept++] = entries[i];
		i = end;
	}
	return kept;
}

static void cast_end(struct class_publisher *publisher)
{
	struct class_cast *cast;

	if (!publisher->n_casts)
		return;
	cast = &publisher->casts[publisher->n_casts - 1];
	if (publisher->n_entries)
		qsort(publisher->entries, publisher->n_entries, sizeof(*publisher->entries),
		      entry_order);
	cast->n_entries = doubles_drop(publisher->entries, publisher->n_entries);
	if (cast->n_entries)
		cast->entries = arena_copy(publisher->catalogue->arena, publisher->entries,
					   cast->n_entries * sizeof(*cast->entries));
	publisher->n_entries = 0;
}

void class_publisher_cast(struct class_publisher *publisher, const char *target)
{
	cast_end(publisher);
	publisher->casts = mem_grow(publisher->casts, &publisher->casts_capacity,
				    publisher->n_casts + 1, sizeof(*publisher->casts));
	publisher->casts[publisher->n_casts++].target =
		arena_strdup(publisher->catalogue->arena, target);
}

void class_publisher_entry(struct class_publisher *publisher, const char *name, Dwarf_Die *die,
			   int64_t offset)
{
	const char *known = vtables_class(&publisher->vtables, name, die, publisher->scratch);

	if (known)
		class_publisher_tag(publisher, known, offset);
}

void class_publisher_tag(struct class_publisher *publisher, const char *name, int64_t offset)
{
	const struct catalogue *catalogue = publisher->catalogue;
	const int class = class_find(catalogue->classes, catalogue->n_classes, name);

	if (class == UNKNOWN)
		return;
	publisher->entries = mem_grow(publisher->entries, &publisher->entries_capacity,
				      publisher->n_entries + 1, sizeof(*publisher->entries));
	publisher->entries[publisher->n_entries++] =
		(struct class_cast_entry){(unsigned)class, offset};
}

void class_publisher_finish(struct class_publisher *publisher)
{
	struct catalogue *catalogue = publisher->catalogue;
	const size_t n = catalogue->n_casts + publisher->n_casts;
	struct class_cast *casts = arena_array(catalogue->arena, struct class_cast, n + 1);

	cast_end(publisher);
	memcpy(casts, catalogue->casts, catalogue->n_casts * sizeof(*casts));
	if (publisher->n_casts)
		memcpy(casts + catalogue->n_casts, publisher->casts,
		       publisher->n_casts * sizeof(*casts));
	catalogue->casts = casts;
	catalogue->n_casts = n;
	vtables_deinit(&publisher->vtables);
	arena_destroy(publisher->scratch);
	free(publisher->casts);
	free(publisher->entries);
	free(publisher);
}
