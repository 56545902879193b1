/*
 * Trees into steps. written_value.c and written_operator.c have the operators.
 *
 * The address of a container is computed once: it stays on the stack below what its row computes,
 * which picks it wherever it names a member.
 */
#include "written_compile.h"

#include <string.h>

#include "dwarf/type/type_lookup.h"
#include "dwarf/type/type_names.h"
#include "written_operator.h"

/* Elements that have a byte at least: an address space has no more. */
#define COUNT_END (INT64_C(1) << 47)

enum { CONTAINERS_NESTING_MAX = 4, BASES_MAX = 4 };

/* The argument of @parent that is a type, @n of them left out; those of a pack are its children. */
static bool argument_nth(Dwarf_Die *parent, int *n, bool in_pack, Dwarf_Die *ret)
{
	Dwarf_Die child;

	for (bool more = die_first(parent, &child); more; more = die_next(&child)) {
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter && !(*n)--) {
			*ret = child;
			return true;
		}
		if (dwarf_tag(&child) == DW_TAG_GNU_template_parameter_pack && !in_pack &&
		    argument_nth(&child, n, true, ret))
			return true;
	}
	return false;
}

/* Template argument @n of @record. */
static bool argument_of(struct written_maker *maker, Dwarf_Die record, int n, struct type *ret)
{
	Dwarf_Die found;

	if (!argument_nth(&record, &n, false, &found))
		return written_value_fail(maker, "the type has too few template arguments");
	*ret = feature_search_type(maker->finder, &found);
	return true;
}

/* The type that @record declares by the name @text, "<name>". */
static bool declared_of(struct written_maker *maker, Dwarf_Die record, const char *text,
			struct type *ret)
{
	Dwarf_Die child;

	for (bool more = die_first(&record, &child); more; more = die_next(&child)) {
		const char *name =
			dwarf_tag(&child) == DW_TAG_typedef ? dwarf_diename(&child) : NULL;

		if (name && strlen(name) + 2 == strlen(text) &&
		    !strncmp(text + 1, name, strlen(name))) {
			*ret = feature_search_type(maker->finder, &child);
			return true;
		}
	}
	return written_value_fail(maker, "the type declares no such type");
}

/* "<0>": a template argument of the container; "<3.0>": of that; "<name>": what it declares. */
static bool argument_find(struct written_maker *maker, const char *text, struct type *ret)
{
	if (!maker->container)
		return written_value_fail(maker, "only containers in the table have such types");
	if (text[1] < '0' || text[1] > '9')
		return declared_of(maker, maker->container->of.type.die, text, ret);
	return argument_of(maker, maker->container->of.type.die, text[1] - '0', ret) &&
	       (text[2] != '.' ||
		(ret->kind == TYPE_RECORD && argument_of(maker, ret->die, text[3] - '0', ret)));
}

/* The type that @tree names. */
static bool type_compile(struct written_maker *maker, const struct written *tree,
			 struct written_type *ret)
{
	const struct function_features *sources = maker->finder->sources;
	const struct type_lookup lookup = {sources->image, sources->definitions, sources->names};
	Dwarf_Die die = maker->function ? *maker->function : maker->container->of.type.die;

	*ret = (struct written_type){.pointers = tree->pointers};
	if (*tree->text == '<')
		return argument_find(maker, tree->text, &ret->type);
	return type_lookup_find(&lookup, &die, tree->text, &ret->type) ||
	       written_value_fail(maker, arena_printf(maker->finder->arena, "there is no type %s",
						      tree->text));
}

static bool sizeof_compile(struct written_maker *maker, const struct written *tree,
			   struct written_value *ret)
{
	struct written number = {.size = 8};
	struct written_type of;

	if (!type_compile(maker, tree, &of))
		return false;
	if (!written_value_size(&of, &number.number))
		return written_value_fail(maker, "the type has no size");
	*ret = written_value_number(&number);
	return true;
}

/* "<0>": the first of the container's template arguments that are numbers. */
static bool argument_number(struct written_maker *maker, const char *text,
			    struct written_value *ret)
{
	struct written number = {.size = 8};
	Dwarf_Die record, child;
	int n = text[1] - '0';

	if (!maker->container)
		return written_value_fail(maker, "only containers in the table have such numbers");
	record = maker->container->of.type.die;
	for (bool more = die_first(&record, &child); more; more = die_next(&child))
		if (dwarf_tag(&child) == DW_TAG_template_value_parameter && !n-- &&
		    die_number(&child, DW_AT_const_value, &number.number)) {
			*ret = written_value_number(&number);
			return true;
		}
	return written_value_fail(maker, "the type has too few template arguments");
}

/* One of the rows of @value's kinds, or of a base class of its own, that are called @word. */
static bool own_word_compile(struct written_maker *maker, const char *word,
			     struct written_value *value, unsigned bases)
{
	const struct function_features *sources = maker->finder->sources;
	const struct type_lookup lookup = {sources->image, sources->definitions, sources->names};
	const struct container_kind *kind = NULL;
	struct type type = value->of.type;
	Dwarf_Die child;

	while ((kind = written_compile_kind(maker, value, kind)))
		for (size_t i = 0; i < kind->n_rows; i++)
			if (kind->rows[i].word && !strcmp(kind->rows[i].word, word) &&
			    written_compile_row(maker, kind, &kind->rows[i], value))
				return true;
	if (!bases || value->of.pointers || type.kind != TYPE_RECORD)
		return false;
	for (bool more = die_first(&type.die, &child); more; more = die_next(&child)) {
		struct written_value base = *value;
		uint64_t offset, size;

		if (dwarf_tag(&child) != DW_TAG_inheritance)
			continue;
		base.of.type = complete_type(sources->definitions, &child);
		if (!type_lookup_base(&lookup, &type, &base.of.type, &offset) ||
		    !type_byte_size(&base.of.type, &size))
			continue;
		location_part(&base.at, offset, size, maker->finder->arena);
		if (!own_word_compile(maker, word, &base, bases - 1))
			continue;
		*value = base;
		return true;
	}
	return false;
}

static bool word_compile(struct written_maker *maker, const char *word, struct written_value *value)
{
	if (!written_value_settle(maker, value))
		return false;
	return own_word_compile(maker, word, value, BASES_MAX) ||
	       written_value_fail(
		       maker,
		       arena_printf(maker->finder->arena,
				    "%s is no container of which %s is known (see --containers)",
				    written_value_type_name(maker->finder, &value->of), word));
}

bool written_compile_element(struct written_maker *maker, const struct written *index,
			     struct written_value *value)
{
	const struct container_kind *kind = NULL;
	struct container_row row;

	if (index->kind != WRITTEN_NUMBER || index->number > UINT32_MAX ||
	    !written_value_settle(maker, value))
		return false;
	while ((kind = written_compile_kind(maker, value, kind)))
		for (size_t i = 0; i < kind->n_rows; i++)
			if (kind->rows[i].role == CONTAINER_ELEMENT &&
			    container_table_element(&kind->rows[i], (unsigned)index->number,
						    maker->finder->arena, &row) &&
			    written_compile_row(maker, kind, &row, value))
				return true;
	return false;
}

/* A class with an operator of its own: `p->m` of `p.get()`, `a[i]` of the array in it. */
static bool operand_compile(struct written_maker *maker, const char *word,
			    struct written_value *value)
{
	return written_value_settle(maker, value) &&
	       (value->of.pointers || value->of.type.kind != TYPE_RECORD ||
		word_compile(maker, word, value));
}

static bool binary_compile(struct written_maker *maker, const struct written *tree,
			   struct written_value *left)
{
	struct written_value right;

	if (!written_compile(maker, tree->right, &right))
		return false;
	if (tree->kind == WRITTEN_INDEX) {
		maker->depth++;
		if (written_compile_element(maker, tree->right, left))
			return true;
		return operand_compile(maker, "[]", left) &&
		       written_value_index(maker, left, &right);
	}
	return written_operator_binary(maker, left, &right, tree->kind);
}

static bool operator_compile(struct written_maker *maker, const struct written *tree,
			     struct written_value *value)
{
	struct written_type to;

	if (tree->right)
		return binary_compile(maker, tree, value);
	if (tree->kind == WRITTEN_CAST)
		return type_compile(maker, tree, &to) && written_operator_cast(maker, value, &to);
	if (tree->kind == WRITTEN_CALL)
		return word_compile(maker, tree->text, value);
	if (tree->kind == WRITTEN_ADDRESS)
		return written_value_address(maker, value);
	if (tree->kind >= WRITTEN_MINUS)
		return written_operator_unary(maker, value, tree->kind);
	maker->depth++;
	if (tree->kind == WRITTEN_STRLEN)
		return written_operator_strlen(maker, value);
	if (tree->kind != WRITTEN_MEMBER &&
	    !(operand_compile(maker, "get()", value) && written_value_dereference(maker, value)))
		return false;
	return tree->kind == WRITTEN_DEREFERENCE ||
	       (written_value_settle(maker, value) &&
		written_value_member(maker, value, tree->text));
}

static bool name_compile(struct written_maker *maker, const char *name, struct written_value *ret)
{
	if (!maker->container)
		return maker->find(maker, name, ret);
	*ret = *maker->container;
	return written_value_member(maker, ret, name);
}

bool written_compile(struct written_maker *maker, const struct written *tree,
		     struct written_value *ret)
{
	if (tree->kind == WRITTEN_NUMBER) {
		*ret = written_value_number(tree);
		return true;
	}
	if (tree->kind == WRITTEN_ARGUMENT)
		return argument_number(maker, tree->text, ret);
	if (tree->kind == WRITTEN_SIZEOF)
		return sizeof_compile(maker, tree, ret);
	if (tree->kind == WRITTEN_NAME)
		return name_compile(maker, tree->text, ret);
	if (tree->kind == WRITTEN_CALL && !tree->left) {
		if (!maker->container)
			return written_value_fail(maker, "functions are not called");
		*ret = *maker->container;
		return word_compile(maker, tree->text, ret);
	}
	return written_compile(maker, tree->left, ret) && operator_compile(maker, tree, ret) &&
	       (!ret->at.steps.overflow ||
		written_value_fail(maker, "it takes too many steps to read"));
}

const struct container_kind *written_compile_kind(struct written_maker *maker,
						  const struct written_value *value,
						  const struct container_kind *after)
{
	const struct container_table *table = maker->finder->limits->containers;
	Dwarf_Die die = value->of.type.die;
	struct type_name name;

	if (!table || value->of.pointers || value->of.type.kind != TYPE_RECORD ||
	    !type_names_find(maker->finder->sources->names, &die, &name))
		return NULL;
	return container_table_find(table, name.name, after);
}

/* Append what must not be 0; false: the type has no such parts. */
static bool requirement_append(struct written_maker *maker, const struct written *tree,
			       enum absence absence, struct steps *to)
{
	struct written_value value;

	if (!written_compile(maker, tree, &value) || !written_value_load(maker, &value))
		return false;
	location_append_steps(to, &value.at.steps);
	location_push(to, PLAN_REQUIRE, absence);
	return true;
}

static bool count_check(struct written_maker *maker, struct written_value *value)
{
	if (!written_value_load(maker, value) || written_value_is_pointer(value))
		return false;
	location_push(&value->at.steps, PLAN_DUP, 0);
	location_push(&value->at.steps, PLAN_CONST, COUNT_END);
	location_push(&value->at.steps, PLAN_BELOW, 0);
	location_push(&value->at.steps, PLAN_REQUIRE, ABSENT_CORRUPT);
	return true;
}

/* Steps that are to come before a place in memory or a number on the stack. */
static bool value_prepend(struct written_maker *maker, const struct steps *before,
			  struct written_value *value)
{
	struct steps steps = *before;

	if (!before->n)
		return true;
	if (value->at.kind != LOCATION_MEMORY && value->at.kind != LOCATION_VALUE &&
	    !written_value_load(maker, value))
		return false;
	location_append_steps(&steps, &value->at.steps);
	value->at.steps = steps;
	return true;
}

/* The container, whose address is @value's steps no more, but picked by the mark @nesting. */
static bool address_share(struct written_value *container, unsigned nesting)
{
	if (container->at.kind != LOCATION_MEMORY || container->at.steps.n < 2)
		return false;
	container->at.steps.n = 0;
	location_push(&container->at.steps, PLAN_PICK, -(int64_t)nesting);
	return true;
}

/* Behind the steps @address comes what picks it, by its distance from the top; then it goes. */
static void address_unshare(const struct steps *address, unsigned nesting,
			    struct written_value *value)
{
	struct steps *steps = &value->at.steps;
	struct steps all = *address;

	for (unsigned i = 0; i < steps->n; i++)
		if (steps->step[i].op == PLAN_PICK && steps->step[i].arg == -(int64_t)nesting)
			steps->step[i].arg =
				read_plan_depth(&(struct read_plan){.steps = steps->step}, i);
	location_append_steps(&all, steps);
	location_push(&all, PLAN_SWAP, 0);
	location_push(&all, PLAN_DROP, 0);
	*steps = all;
}

static bool row_read(struct written_maker *maker, const struct container_kind *kind,
		     const struct container_row *row, struct written_value *ret)
{
	struct steps before = {.n = 0};

	for (size_t i = 0; row->role == CONTAINER_COUNT && &kind->rows[i] != row; i++)
		if (kind->rows[i].role == CONTAINER_CHECK)
			requirement_append(maker, kind->rows[i].value, ABSENT_CORRUPT, &before);
	return (!row->guard || requirement_append(maker, row->guard, ABSENT_EMPTY, &before)) &&
	       written_compile(maker, row->value, ret) && written_value_settle(maker, ret) &&
	       (row->role != CONTAINER_COUNT || count_check(maker, ret)) &&
	       value_prepend(maker, &before, ret);
}

bool written_compile_row(struct written_maker *maker, const struct container_kind *kind,
			 const struct container_row *row, struct written_value *value)
{
	const struct written_value *outer = maker->container;
	const unsigned depth = maker->depth;
	struct written_value container = *value, found;
	bool is_shared, is_found;

	if (maker->nesting == CONTAINERS_NESTING_MAX)
		return written_value_fail(maker, "containers refer to each other");
	maker->nesting++;
	is_shared = address_share(&container, maker->nesting);
	maker->container = &container;
	is_found = row_read(maker, kind, row, &found);
	maker->container = outer;
	maker->depth = depth;
	if (is_found && is_shared)
		address_unshare(&value->at.steps, maker->nesting, &found);
	maker->nesting--;
	if (is_found)
		*value = found;
	return is_found;
}
