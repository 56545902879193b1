/* C's declarators: what stands around a name, from the inside out. */
#include "type_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* Debug information may be anything: DECLARED_MAX types are written for one text. */
enum { NESTED_TYPES_MAX = 32, MEMBERS_SHOWN = 500, DECLARED_MAX = 5000 };

struct type_writer {
	struct type_names *names;
	struct arena *arena;
	unsigned depth, n_declared;
};

static const char *declare(struct type_writer *writer, Dwarf_Die *die, const char *declarator);

/* What the attribute DW_AT_type of @die says around @declarator; none is void. */
static const char *declare_target(struct type_writer *writer, Dwarf_Die *die,
				  const char *declarator)
{
	Dwarf_Die target;
	const char *ret;

	if (!die_reference(die, DW_AT_type, &target))
		return arena_printf(writer->arena, "void%s%s", *declarator ? " " : "", declarator);
	if (writer->depth == NESTED_TYPES_MAX || writer->n_declared++ >= DECLARED_MAX)
		return "...";
	writer->depth++;
	ret = declare(writer, &target, declarator);
	writer->depth--;
	return ret;
}

static const char *declare_pointer(struct type_writer *writer, Dwarf_Die *die, const char *mark,
				   const char *declarator)
{
	Dwarf_Die target;
	const bool has = die_reference(die, DW_AT_type, &target);
	const int tag = has ? dwarf_tag(&target) : 0;

	return declare_target(writer, die,
			      tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type
				      ? arena_printf(writer->arena, "(%s%s)", mark, declarator)
				      : arena_printf(writer->arena, "%s%s", mark, declarator));
}

static const char *declare_array(struct type_writer *writer, Dwarf_Die *die, const char *declarator)
{
	const char *ret = declarator;
	Dwarf_Die child;

	for (bool more = die_first(die, &child); more; more = die_next(&child)) {
		uint64_t n;

		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (die_number(&child, DW_AT_count, &n))
			ret = arena_printf(writer->arena, "%s[%" PRIu64 "]", ret, n);
		else if (die_number(&child, DW_AT_upper_bound, &n))
			ret = arena_printf(writer->arena, "%s[%" PRIu64 "]", ret, n + 1);
		else
			ret = arena_printf(writer->arena, "%s[]", ret);
	}
	return declare_target(writer, die, ret);
}

static const char *declare_function(struct type_writer *writer, Dwarf_Die *die,
				    const char *declarator)
{
	const char *parameters = "";
	Dwarf_Die child;
	size_t n = 0;

	for (bool more = die_first(die, &child); more; more = die_next(&child)) {
		const bool rest = dwarf_tag(&child) == DW_TAG_unspecified_parameters;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter && !rest)
			continue;
		parameters = arena_printf(writer->arena, "%s%s%s", parameters, n++ ? ", " : "",
					  rest ? "..." : declare_target(writer, &child, ""));
	}
	return declare_target(
		writer, die,
		arena_printf(writer->arena, "%s(%s)", declarator, n ? parameters : "void"));
}

static const char *type_word_of(Dwarf_Die *die)
{
	if (type_names_is_cplusplus(die))
		return "";
	switch (dwarf_tag(die)) {
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return "struct ";
	}
	return "";
}

static const char *plain_name(struct type_writer *writer, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	const char *word = type_word_of(die);
	struct type_name found;

	if (type_names_find(writer->names, die, &found))
		name = found.name;
	return arena_printf(writer->arena, "%s%s", word, name ? name : "{...}");
}

static const char *declare(struct type_writer *writer, Dwarf_Die *die, const char *declarator)
{
	Dwarf_Die target;

	switch (dwarf_tag(die)) {
	case DW_TAG_pointer_type:
		return declare_pointer(writer, die, "*", declarator);
	case DW_TAG_reference_type:
		return declare_pointer(writer, die, "&", declarator);
	case DW_TAG_rvalue_reference_type:
		return declare_pointer(writer, die, "&&", declarator);
	case DW_TAG_array_type:
		return declare_array(writer, die, declarator);
	case DW_TAG_subroutine_type:
		return declare_function(writer, die, declarator);
	case DW_TAG_const_type:
		return die_reference(die, DW_AT_type, &target) &&
				       dwarf_tag(&target) == DW_TAG_pointer_type
			       ? declare_target(writer, die, declarator)
			       : arena_printf(writer->arena, "const %s",
					      declare_target(writer, die, declarator));
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return declare_target(writer, die, declarator);
	}
	return arena_printf(writer->arena, "%s%s%s", plain_name(writer, die),
			    *declarator ? " " : "", declarator);
}

static const char *stars(struct arena *arena, unsigned n)
{
	const char *ret = "";

	while (n--)
		ret = arena_printf(arena, "*%s", ret);
	return ret;
}

/* Numbers that expressions make have no DIE. */
static const char *number_name(const struct type *type)
{
	static const char *const integers[] = {"unsigned char", "signed char",  "unsigned short",
					       "short",         "unsigned int", "int",
					       "unsigned long", "long"};
	const unsigned log = type->size > 4 ? 3 : type->size > 2 ? 2 : type->size > 1 ? 1 : 0;

	switch (type->kind) {
	case TYPE_INTEGER:
		return integers[2 * log + type->is_signed];
	case TYPE_FLOAT:
		return type->size == 4 ? "float" : "double";
	case TYPE_CHAR:
		return "char";
	case TYPE_BOOL:
		return "bool";
	default:
		return "void";
	}
}

const char *type_text_name(struct type_names *names, const struct type *type, unsigned pointers,
			   struct arena *arena)
{
	struct type_writer writer = {.names = names, .arena = arena};
	Dwarf_Die die = type->die;
	const char *declarator = stars(arena, pointers);

	if (!die.addr)
		return arena_printf(arena, "%s%s%s", number_name(type), pointers ? " " : "",
				    declarator);
	if (pointers && (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION))
		declarator = arena_printf(arena, "(%s)", declarator);
	return declare(&writer, &die, declarator);
}

static void member_write(struct type_writer *writer, Dwarf_Die *die, struct text *out)
{
	const char *name = dwarf_diename(die);
	uint64_t bits;

	text_add_string(out, "    ");
	text_add_string(out, declare_target(writer, die, name ? name : ""));
	if (die_number(die, DW_AT_bit_size, &bits))
		text_add_string(out, arena_printf(writer->arena, " : %" PRIu64, bits));
	text_add_string(out, ";\n");
}

static void record_write(struct type_writer *writer, Dwarf_Die *die, struct text *out)
{
	size_t n = 0, n_bases = 0;
	Dwarf_Die child;

	for (bool more = die_first(die, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_inheritance) {
			text_add_string(out, n_bases++ ? ", " : " : ");
			text_add_string(out, declare_target(writer, &child, ""));
		}
	text_add_string(out, " {\n");
	for (bool more = die_first(die, &child); more && n < MEMBERS_SHOWN; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_member) {
			member_write(writer, &child, out);
			n++;
		}
	text_add_string(out, n == MEMBERS_SHOWN ? "    ...\n}" : "}");
}

static void enumeration_write(struct type_writer *writer, const struct type *type, struct text *out)
{
	const struct label *labels;
	const size_t n = type_labels(type, writer->arena, &labels);
	double next = 0;

	text_add_string(out, " {");
	for (size_t i = 0; i < n && i < MEMBERS_SHOWN; i++) {
		text_add_string(out, i ? ", " : "");
		text_add_string(out, labels[i].name);
		if (labels[i].number != next)
			text_add_string(out,
					arena_printf(writer->arena, " = %.0f", labels[i].number));
		next = labels[i].number + 1;
	}
	text_add_string(out, n > MEMBERS_SHOWN ? ", ...}" : "}");
}

const char *type_text_definition(struct type_names *names, const struct type *type,
				 unsigned pointers, struct arena *arena)
{
	struct type_writer writer = {.names = names, .arena = arena};
	struct type target = *type;
	struct text out = {.n = 0};
	const char *ret;

	while (target.kind == TYPE_POINTER && pointers < NESTED_TYPES_MAX) {
		Dwarf_Die die = target.die;

		target = type_of(&die);
		pointers++;
	}
	if (target.kind != TYPE_RECORD && target.kind != TYPE_UNION && target.kind != TYPE_ENUM)
		return type_text_name(names, &target, pointers, arena);
	text_add_string(&out, plain_name(&writer, &target.die));
	if (target.kind == TYPE_ENUM)
		enumeration_write(&writer, &target, &out);
	else
		record_write(&writer, &target.die, &out);
	if (pointers)
		text_add_string(&out, " ");
	text_add_string(&out, stars(arena, pointers));
	ret = arena_strdup(arena, out.bytes);
	text_deinit(&out);
	return ret;
}
