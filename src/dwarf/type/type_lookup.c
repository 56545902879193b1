/* Looks through units for the names of types; numbers of C are known without. */
#include "type_lookup.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/search/die_walk.h"
#include "dwarf/search/unit_filter.h"

enum { SCOPE_NESTING_MAX = 8, BASE_NESTING_MAX = 16 };

/* Types of fixed meaning, System V x86-64 psABI, figure 3.1. */
static const struct {
	const char *name;
	struct type type;
} number_types[] = {
	{"int8_t", {.kind = TYPE_INTEGER, .size = 1, .is_signed = true}},
	{"int16_t", {.kind = TYPE_INTEGER, .size = 2, .is_signed = true}},
	{"int32_t", {.kind = TYPE_INTEGER, .size = 4, .is_signed = true}},
	{"int64_t", {.kind = TYPE_INTEGER, .size = 8, .is_signed = true}},
	{"ssize_t", {.kind = TYPE_INTEGER, .size = 8, .is_signed = true}},
	{"intptr_t", {.kind = TYPE_INTEGER, .size = 8, .is_signed = true}},
	{"uint8_t", {.kind = TYPE_INTEGER, .size = 1}},
	{"uint16_t", {.kind = TYPE_INTEGER, .size = 2}},
	{"uint32_t", {.kind = TYPE_INTEGER, .size = 4}},
	{"uint64_t", {.kind = TYPE_INTEGER, .size = 8}},
	{"size_t", {.kind = TYPE_INTEGER, .size = 8}},
	{"uintptr_t", {.kind = TYPE_INTEGER, .size = 8}},
	{"void", {.kind = TYPE_VOID}},
	{"bool", {.kind = TYPE_BOOL, .size = 1}},
	{"_Bool", {.kind = TYPE_BOOL, .size = 1}},
	{"float", {.kind = TYPE_FLOAT, .size = 4, .is_signed = true}},
	{"double", {.kind = TYPE_FLOAT, .size = 8, .is_signed = true}},
	{"char", {.kind = TYPE_CHAR, .size = 1, .is_signed = true}},
};

static bool has_word(const char *name, const char *word)
{
	const char *at = strstr(name, word);
	const size_t n = strlen(word);

	return at && (at == name || at[-1] == ' ') && (at[n] == ' ' || !at[n]);
}

/* "unsigned long int": words of numbers only, in any order. */
static bool number_words(const char *name, struct type *ret)
{
	static const char *const words[] = {"unsigned", "signed", "char", "short", "int", "long"};
	unsigned size = 4;

	for (const char *at = name; *at; at += strspn(at, " ")) {
		const size_t n = strcspn(at, " ");
		bool known = false;

		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			known |= strlen(words[i]) == n && !strncmp(at, words[i], n);
		if (!known)
			return false;
		at += n;
	}
	size = has_word(name, "char")    ? 1
	       : has_word(name, "short") ? 2
	       : has_word(name, "long")  ? 8
					 : size;
	*ret = (struct type){
		.kind = TYPE_INTEGER, .size = size, .is_signed = !has_word(name, "unsigned")};
	return true;
}

static bool number_type(const char *name, struct type *ret)
{
	for (size_t i = 0; i < sizeof(number_types) / sizeof(*number_types); i++)
		if (!strcmp(name, number_types[i].name)) {
			*ret = number_types[i].type;
			return true;
		}
	return number_words(name, ret);
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Is @tag a type's that the keyword before its name, if any, allows? */
static bool is_wanted(int tag, char keyword)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return !keyword;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return !keyword || keyword == 's' || keyword == 'c';
	case DW_TAG_union_type:
		return !keyword || keyword == 'u';
	case DW_TAG_enumeration_type:
		return !keyword || keyword == 'e';
	}
	return false;
}

struct type_wanted {
	const char *name;
	char keyword; /* its first letter; 0: none */
	Dwarf_Die declaration;
	bool is_declared;
};

/* Names without a scope may be of any namespace: the function need not be within it. */
static bool scope_search(struct type_wanted *wanted, Dwarf_Die *scope, const char *name,
			 int nesting, Dwarf_Die *ret)
{
	const char *rest = strstr(name, "::");
	Dwarf_Die child;

	for (bool more = nesting < SCOPE_NESTING_MAX && die_first(scope, &child); more;
	     more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		const char *plain = dwarf_diename(&child);
		const bool through = tag == DW_TAG_namespace && (!plain || !rest);
		const bool named = plain && rest && strlen(plain) == (size_t)(rest - name) &&
				   !strncmp(plain, name, (size_t)(rest - name));

		if (!rest && plain && is_wanted(tag, wanted->keyword) && !strcmp(plain, name)) {
			*ret = child;
			if (!dwarf_hasattr(&child, DW_AT_declaration))
				return true;
			wanted->declaration = child;
			wanted->is_declared = true;
		}
		if ((through || (named && is_scope(tag))) &&
		    scope_search(wanted, &child, named ? rest + 2 : name, nesting + 1, ret))
			return true;
	}
	return false;
}

static bool units_search(const struct type_lookup *lookup, struct type_wanted *wanted,
			 Dwarf_Die *ret)
{
	const struct elf_file *image = lookup->image;
	const char *plain = wanted->name;
	struct unit_cursor cursor = {.unit = NULL};
	struct unit_filter *filter;
	bool found = false;

	for (const char *next; (next = strstr(plain, "::"));)
		plain = next + 2;
	filter = unit_filter_create(image, &plain, 1);
	while (!found && die_walk_next_unit(image, &cursor))
		found = unit_filter_passes(filter, &cursor.die) &&
			scope_search(wanted, &cursor.die, wanted->name, 0, ret);
	unit_filter_destroy(filter);
	return found;
}

bool type_lookup_find(const struct type_lookup *lookup, Dwarf_Die *die, const char *name,
		      struct type *ret)
{
	struct type_wanted wanted = {.name = name};
	const char *blank = strchr(name, ' ');
	Dwarf_Die unit, found;

	if (number_type(name, ret))
		return true;
	if (blank) {
		wanted.keyword = *name;
		wanted.name = blank + 1;
	}
	if (!(dwarf_diecu(die, &unit, NULL, NULL) &&
	      scope_search(&wanted, &unit, wanted.name, 0, &found)) &&
	    !units_search(lookup, &wanted, &found)) {
		if (!wanted.is_declared)
			return false;
		found = wanted.declaration;
	}
	if (dwarf_tag(&found) == DW_TAG_typedef)
		*ret = complete_type(lookup->definitions, &found);
	else
		*ret = type_defined(&found);
	return true;
}

static bool is_same_class(const struct type_lookup *lookup, Dwarf_Die *a, Dwarf_Die *b)
{
	struct type_name x, y;

	return a->addr == b->addr ||
	       (type_names_find(lookup->names, a, &x) && type_names_find(lookup->names, b, &y) &&
		!strcmp(x.name, y.name));
}

static bool base_search(const struct type_lookup *lookup, Dwarf_Die *derived, Dwarf_Die *base,
			int nesting, uint64_t *ret)
{
	Dwarf_Die child;

	for (bool more = nesting < BASE_NESTING_MAX && die_first(derived, &child); more;
	     more = die_next(&child)) {
		struct type type;
		uint64_t at = 0, inner = 0;

		if (dwarf_tag(&child) != DW_TAG_inheritance ||
		    dwarf_hasattr(&child, DW_AT_virtuality) ||
		    !die_number(&child, DW_AT_data_member_location, &at))
			continue;
		type = complete_type(lookup->definitions, &child);
		if (type.kind != TYPE_RECORD)
			continue;
		if (!is_same_class(lookup, &type.die, base) &&
		    !base_search(lookup, &type.die, base, nesting + 1, &inner))
			continue;
		*ret = at + inner;
		return true;
	}
	return false;
}

bool type_lookup_base(const struct type_lookup *lookup, const struct type *derived,
		      const struct type *base, uint64_t *ret)
{
	struct type a = *derived, b = *base;

	return a.kind == TYPE_RECORD && b.kind == TYPE_RECORD &&
	       base_search(lookup, &a.die, &b.die, 0, ret);
}
