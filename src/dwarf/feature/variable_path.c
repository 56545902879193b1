/* Finds the variable by its address, and goes from member to member down to the byte. */
#include "variable_path.h"

#include <dwarf.h>

#include "dwarf/file/die.h"
#include "dwarf/search/die_walk.h"
#include "dwarf/type/type.h"
#include "static_location.h"

enum { DEPTH_MAX = 16 };

struct variable_search {
	const struct elf_file *image;
	uint64_t addr;
	Dwarf_Die die;
	const char *scope;
	struct arena *arena;
	bool is_found;
};

static void take_variable(void *self, Dwarf_Die *die, const char *scope)
{
	struct variable_search *search = self;
	const struct static_location at = static_location(search->image, die, scope);

	if (search->is_found || at.kind != PLACE_ADDRESS || at.value != search->addr)
		return;
	search->is_found = true;
	search->die = *die;
	search->scope = arena_strdup(search->arena, scope);
}

/* The member or base of @record that has the byte *@offset, which becomes one of its own. */
static bool member_at(Dwarf_Die *record, uint64_t *offset, Dwarf_Die *ret)
{
	for (bool more = die_first(record, ret); more; more = die_next(ret)) {
		const int tag = dwarf_tag(ret);
		struct type type;
		uint64_t at = 0;
		Dwarf_Word size;

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    die_flag(ret, DW_AT_external))
			continue;
		if (dwarf_hasattr(ret, DW_AT_data_member_location) &&
		    !die_number(ret, DW_AT_data_member_location, &at))
			continue;
		type = type_of(ret);
		if (type.kind == TYPE_VOID || dwarf_aggregate_size(&type.die, &size) != 0 ||
		    *offset < at || *offset - at >= size)
			continue;
		*offset -= at;
		return true;
	}
	return false;
}

/* Of several dimensions elements are not told by one index. */
static bool has_dimensions(Dwarf_Die *array)
{
	unsigned n = 0;
	Dwarf_Die die;

	for (bool more = die_first(array, &die); more; more = die_next(&die))
		n += dwarf_tag(&die) == DW_TAG_subrange_type;
	return n > 1;
}

/* Go on to what has the byte *@offset of @type; adds to *@text. False: nothing smaller has it. */
static bool go_down_path(struct type *type, uint64_t *offset, const char **text,
			 struct arena *arena)
{
	Dwarf_Die die;
	Dwarf_Word size;

	if (type->kind == TYPE_RECORD || type->kind == TYPE_UNION) {
		if (!member_at(&type->die, offset, &die))
			return false;
		if (dwarf_tag(&die) == DW_TAG_member && dwarf_diename(&die))
			*text = arena_printf(arena, "%s.%s", *text, dwarf_diename(&die));
		*type = type_of(&die);
		return true;
	}
	if (type->kind != TYPE_ARRAY || has_dimensions(&type->die))
		return false;
	*type = type_of(&type->die);
	if (type->kind == TYPE_VOID || dwarf_aggregate_size(&type->die, &size) != 0 || size == 0)
		return false;
	*text = arena_printf(arena, "%s[%llu]", *text, (unsigned long long)(*offset / size));
	*offset %= size;
	return true;
}

const char *variable_path_find(const struct elf_file *image, uint64_t addr, uint64_t offset,
			       bool whole, struct arena *arena)
{
	struct variable_search search = {.image = image, .addr = addr, .arena = arena};
	const struct walk_visitor visitor = {
		.variable = take_variable, .self = &search, .outside = true};
	const char *text;
	struct type type;

	die_walk_units(image, NULL, &visitor);
	if (!search.is_found || !dwarf_diename(&search.die))
		return NULL;
	text = arena_printf(arena, "%s%s%s", search.scope, *search.scope ? "::" : "",
			    dwarf_diename(&search.die));
	type = type_of(&search.die);
	for (unsigned depth = 0; depth < DEPTH_MAX && (offset || !whole); depth++)
		if (!go_down_path(&type, &offset, &text, arena))
			break;
	return offset ? NULL : text;
}
