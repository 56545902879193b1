/*
 * Vtables by their symbols. Two vtables with one name are of unnamed namespaces in two units: which
 * class each belongs to is unknown.
 */
#include "vtables.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/cxx_name.h"
#include "dwarf/file/die.h"
#include "dwarf/file/die_name.h"

#define VTABLE_SYMBOL "_ZTV"
#define VTABLE_TEXT   "vtable for "
#define ANONYMOUS     "(anonymous namespace)"

enum { VTABLES_MAX = 1 << 16 };

static int vtable_address_order(const void *a, const void *b)
{
	const struct vtable_symbol *x = a, *y = b;

	if (x->low_addr != y->low_addr)
		return x->low_addr < y->low_addr ? -1 : 1;
	return strcmp(x->class_name, y->class_name);
}

/* A symbol copied from a library by the linker carries its version: `_ZTV1A@@VERSION`. */
static const char *class_of(const char *symbol, struct arena *arena)
{
	const char *plain = arena_printf(arena, "%.*s", (int)strcspn(symbol, "@"), symbol);
	const char *text = die_name_demangle(plain, arena);

	if (!text || strncmp(text, VTABLE_TEXT, strlen(VTABLE_TEXT)) != 0)
		return NULL;
	return cxx_name_canonical(arena, text + strlen(VTABLE_TEXT));
}

/* The end of the group that opens at @at. */
static const char *vtable_group_end(const char *at)
{
	size_t level = 0;

	for (; *at; at++) {
		if (*at == '(')
			level++;
		else if (*at == ')' && --level == 0)
			return at + 1;
	}
	return at;
}

static bool vtable_is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Append a number without the suffix of its type. */
static const char *number_add(struct text *out, const char *at)
{
	for (; *at >= '0' && *at <= '9'; at++)
		text_add(out, at, 1);
	return at + strspn(at, "uUlL");
}

/*
 * The name without what mangled names and DWARF write differently: types of constants, parameters
 * of enclosing functions, blanks.
 */
static const char *loose_name(const char *at, struct arena *arena)
{
	struct text out = {0};
	const char *ret;

	while (*at) {
		const char last = out.n ? out.bytes[out.n - 1] : '\0';

		if (!strncmp(at, ANONYMOUS, strlen(ANONYMOUS))) {
			text_add_string(&out, ANONYMOUS);
			at += strlen(ANONYMOUS);
		} else if (*at == '(') {
			at = vtable_group_end(at);
		} else if (*at == '\'' && at[1] && at[2] == '\'') {
			char code[8];

			snprintf(code, sizeof(code), "%d", at[1]);
			text_add_string(&out, code);
			at += 3;
		} else if (*at >= '0' && *at <= '9' && !vtable_is_word(last)) {
			at = number_add(&out, at);
		} else {
			text_add(&out, at, *at != ' ');
			at++;
		}
	}
	ret = arena_strdup(arena, out.n ? out.bytes : "");
	text_deinit(&out);
	return ret;
}

/* Overlapping vtables are kept only if they are of one class. */
static void overlaps_drop(struct vtables *vtables)
{
	size_t n = 0;

	for (size_t i = 0; i < vtables->n; i++) {
		const struct vtable_symbol *at = &vtables->items[i];
		struct vtable_symbol *last = n ? &vtables->items[n - 1] : NULL;

		if (!last || last->high_addr <= at->low_addr) {
			vtables->items[n++] = *at;
			continue;
		}
		if (last->class_name && strcmp(last->class_name, at->class_name) != 0)
			last->class_name = NULL;
		if (last->high_addr < at->high_addr)
			last->high_addr = at->high_addr;
	}
	vtables->n = 0;
	for (size_t i = 0; i < n; i++)
		if (vtables->items[i].class_name)
			vtables->items[vtables->n++] = vtables->items[i];
}

/* Only the beginning of a tag is pointed to. */
static void vtables_add_tags(struct vtables *vtables, const struct tags *tags, size_t *capacity,
			     struct arena *arena)
{
	struct tag *list;
	const size_t n = tags_all(tags, arena, &list);

	for (size_t i = 0; i < n; i++) {
		vtables->items =
			mem_grow(vtables->items, capacity, vtables->n + 1, sizeof(*vtables->items));
		vtables->items[vtables->n++] = (struct vtable_symbol){
			list[i].addr, list[i].addr + 1, list[i].name, list[i].name};
	}
}

void vtables_init(struct vtables *vtables, const struct elf_file *image, const struct tags *tags,
		  struct arena *arena)
{
	size_t capacity = 0;

	*vtables = (struct vtables){0};
	vtables_add_tags(vtables, tags, &capacity, arena);
	for (size_t i = 0; i < image->n_objects && vtables->n < VTABLES_MAX; i++) {
		const struct elf_symbol *symbol = &image->objects[i];
		const char *name;

		if (strncmp(symbol->name, VTABLE_SYMBOL, strlen(VTABLE_SYMBOL)) != 0 ||
		    symbol->is_tls || !symbol->size || symbol->addr + symbol->size < symbol->addr ||
		    !(name = class_of(symbol->name, arena)))
			continue;
		vtables->items = mem_grow(vtables->items, &capacity, vtables->n + 1,
					  sizeof(*vtables->items));
		vtables->items[vtables->n++] = (struct vtable_symbol){
			symbol->addr, symbol->addr + symbol->size, name, loose_name(name, arena)};
	}
	if (vtables->n)
		qsort(vtables->items, vtables->n, sizeof(*vtables->items), vtable_address_order);
	overlaps_drop(vtables);
}

void vtables_deinit(struct vtables *vtables)
{
	free(vtables->items);
}

/* The class in a member function's mangled name; NULL if there is none. */
static const char *name_by_members(Dwarf_Die *die, struct arena *arena)
{
	const char *plain = dwarf_diename(die);
	const size_t n = plain ? strcspn(plain, "<") : 0;
	Dwarf_Die child;

	for (bool more = n && die_first(die, &child); more; more = die_next(&child)) {
		const char *linkage =
			dwarf_tag(&child) == DW_TAG_subprogram ? die_linkage(&child) : NULL;
		const char *text = linkage ? die_name_demangle(linkage, arena) : NULL;
		const char *name, *class;
		size_t length;

		if (!text)
			continue;
		text = cxx_name_canonical(arena, text);
		name = cxx_name_plain(text, &length);
		if (name - text < 2)
			return NULL;
		class = arena_printf(arena, "%.*s", (int)(name - text - 2), text);
		name = cxx_name_plain(class, &length);
		return length == n && !strncmp(name, plain, n) ? class : NULL;
	}
	return NULL;
}

/* The only class with @name, or with that loose name. */
static const char *vtable_find_only(const struct vtables *vtables, const char *name, bool loose)
{
	const struct vtable_symbol *found = NULL;

	for (size_t i = 0; i < vtables->n; i++) {
		const struct vtable_symbol *at = &vtables->items[i];

		if (strcmp(loose ? at->loose_name : at->class_name, name) != 0)
			continue;
		if (found && (strcmp(found->class_name, at->class_name) != 0 ||
			      strstr(at->class_name, ANONYMOUS)))
			return NULL;
		found = at;
	}
	return found ? found->class_name : NULL;
}

const char *vtables_class(const struct vtables *vtables, const char *name, Dwarf_Die *die,
			  struct arena *arena)
{
	const char *member = name_by_members(die, arena);

	if (member)
		return vtable_find_only(vtables, member, false);
	return vtable_find_only(vtables, loose_name(name, arena), true);
}
