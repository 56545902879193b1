/* Values as text with holes: written_compile.c finds the value, here is what people see of it. */
#include "written_shown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "dwarf/type/scalar.h"
#include "dwarf/type/type_lookup.h"
#include "dwarf/type/type_text.h"
#include "written_compile.h"
#include "written_scope.h"

enum {
	PARTS_MAX = 400,
	ELEMENTS_MAX = 200,
	TUPLE_MAX = 8, /* so many std::get<> has containers.table */
	ELEMENTS_SHOWN = 5,
	OBJECTS_NESTING_MAX = 5,
	NAMES_MAX = 500,
	TEXT_BETWEEN_MAX = 4096
};

struct shown_writer {
	struct written_maker *maker;
	struct arena *arena; /* of the result */
	struct text before;  /* of the next part */
	struct shown_part *parts;
	size_t n, capacity;
	unsigned depth;
};

static void part_add(struct shown_writer *writer, struct shown_part part)
{
	writer->parts =
		mem_grow(writer->parts, &writer->capacity, writer->n + 1, sizeof(*writer->parts));
	part.before = arena_strdup(writer->arena, writer->before.bytes ? writer->before.bytes : "");
	text_cut(&writer->before, 0);
	writer->parts[writer->n++] = part;
}

static void part_absent(struct shown_writer *writer, const char *why)
{
	part_add(writer, (struct shown_part){.why = arena_strdup(writer->arena, why)});
}

/* Of objects without numbers in them there is text only. */
static bool is_full(const struct shown_writer *writer)
{
	return writer->n >= PARTS_MAX || writer->before.n > TEXT_BETWEEN_MAX;
}

static struct read_plan keep_plan(struct shown_writer *writer, const struct steps *steps,
				  enum plan_result result, unsigned size)
{
	return (struct read_plan){
		.steps = arena_copy(writer->arena, steps->step, steps->n * sizeof(*steps->step)),
		.n_steps = steps->n,
		.result = result,
		.size = size,
	};
}

static bool part_plan(struct shown_writer *writer, const struct written_value *value,
		      struct shown_part part, enum plan_result result, unsigned size)
{
	struct err err;

	part.plan = keep_plan(writer, &value->at.steps, result, size);
	if (value->at.steps.overflow || !read_plan_verify(&part.plan, &err)) {
		part_absent(writer, "it takes too many steps to read");
		return false;
	}
	part_add(writer, part);
	return true;
}

static void show_float(struct shown_writer *writer, const struct written_value *value)
{
	struct written_value copy = *value;
	struct read_plan shape = {.n_steps = 0};

	if (!scalar_load(&copy.of.type, &copy.at, writer->arena, &shape))
		part_absent(writer, copy.at.where);
	else
		part_plan(writer, &copy, (struct shown_part){.as = SHOWN_FLOAT}, shape.result,
			  shape.size);
}

/* Of an enumeration, by its names. */
static struct shown_part labelled(struct shown_writer *writer, const struct type *type)
{
	struct shown_part part = {.as = SHOWN_ENUM};
	struct label *own;

	part.n_labels = type_labels(type, writer->arena, &part.labels);
	own = arena_array(writer->arena, struct label, part.n_labels);
	for (size_t i = 0; i < part.n_labels; i++)
		own[i] = (struct label){part.labels[i].number,
					arena_strdup(writer->arena, part.labels[i].name)};
	part.labels = own;
	return part;
}

static void show_number(struct shown_writer *writer, const struct written_value *value)
{
	const struct type type = value->of.type;
	struct written_value copy = *value;
	struct shown_part part = {.as = type.kind == TYPE_BOOL   ? SHOWN_BOOL
					: type.kind == TYPE_CHAR ? SHOWN_CHAR
					: type.is_signed         ? SHOWN_SIGNED
								 : SHOWN_UNSIGNED};

	if (type.kind == TYPE_ENUM)
		part = labelled(writer, &type);
	part.size = type.size;
	if (written_value_load(writer->maker, &copy))
		part_plan(writer, &copy, part, type.is_signed ? PLAN_SIGNED : PLAN_UNSIGNED, 8);
	else
		part_absent(writer, writer->maker->why);
}

static const char *shown_type_name(struct shown_writer *writer, const struct written_value *value)
{
	return type_text_name(writer->maker->finder->sources->names, &value->of.type,
			      value->of.pointers, writer->arena);
}

static void show_pointer(struct shown_writer *writer, const struct written_value *value)
{
	struct shown_part part = {.as = SHOWN_POINTER, .size = 8};
	struct written_value copy = *value;
	struct written_type target;

	if (written_value_points_to(writer->maker->finder, &copy.of, &target) && !target.pointers &&
	    target.type.kind == TYPE_CHAR)
		part.as = SHOWN_STRING;
	else if (!writer->depth && (copy.of.type.kind == TYPE_POINTER || copy.of.pointers) &&
		 !(copy.of.type.kind == TYPE_VOID))
		text_add_string(&writer->before, arena_printf(writer->arena, "(%s) ",
							      shown_type_name(writer, value)));
	if (written_value_load(writer->maker, &copy))
		part_plan(writer, &copy, part, PLAN_UNSIGNED, 8);
	else
		part_absent(writer, writer->maker->why);
}

static void show_value(struct shown_writer *writer, struct written_value *value);

struct member_shower {
	struct shown_writer *writer;
	size_t n;
};

static bool member_show(void *self, const struct member *member)
{
	struct member_shower *shower = self;
	struct shown_writer *writer = shower->writer;
	struct written_value value = {
		.of = {.type = member->type}, .at = member->at, .bits = member->bits};

	if (member->is_skipped)
		return true;
	if (is_full(writer)) {
		text_add_string(&writer->before, "...");
		return false;
	}
	text_add_string(&writer->before, shower->n++ ? ", " : "");
	text_add_string(&writer->before, member->name);
	text_add_string(&writer->before, " = ");
	show_value(writer, &value);
	return true;
}

/* The first of @kind's rows of @role that the type has, without a condition. False: none. */
static bool row_find(struct shown_writer *writer, const struct container_kind *kind,
		     enum container_role role, struct written_value *value)
{
	for (size_t i = 0; i < kind->n_rows; i++) {
		struct written_value found = *value;

		if (kind->rows[i].role != role || kind->rows[i].guard ||
		    !written_compile_row(writer->maker, kind, &kind->rows[i], &found) ||
		    !written_value_load(writer->maker, &found) || found.at.steps.overflow)
			continue;
		*value = found;
		return true;
	}
	return false;
}

static bool show_text(struct shown_writer *writer, const struct container_kind *kind,
		      const struct written_value *value, const struct read_plan *size)
{
	struct shown_part part = {.as = SHOWN_OBJECT, .length = *size, .size = 1};
	struct written_value text = *value;
	struct written_type character;

	if (!row_find(writer, kind, CONTAINER_TEXT, &text))
		return false;
	if (written_value_target(writer->maker, &text, &character) && character.type.size == 2)
		part.size = 2;
	return part_plan(writer, &text, part, PLAN_UNSIGNED, 8);
}

/* What comes before belongs to no element, and what the part @from has is only there with it. */
static void group_end(struct shown_writer *writer, size_t from)
{
	part_add(writer, (struct shown_part){.as = SHOWN_TEXT});
	writer->parts[from].n_skipped = writer->n - from - 1;
}

static void show_elements(struct shown_writer *writer, const struct written_value *value,
			  const struct read_plan *size)
{
	struct shown_part more = {.as = SHOWN_IF, .plan = *size};
	struct written_value element = *value;
	struct written index = {.size = 8};
	const size_t begin = writer->n;
	size_t from;

	for (; index.number < ELEMENTS_SHOWN && !is_full(writer) &&
	       written_compile_element(writer->maker, &index, &element);
	     index.number++, element = *value) {
		from = writer->n;
		more.size = index.number;
		part_add(writer, more);
		text_add_string(&writer->before, index.number ? ", " : ": ");
		show_value(writer, &element);
		group_end(writer, from);
	}
	from = writer->n;
	more.size = index.number;
	part_add(writer, more);
	text_add_string(&writer->before, index.number ? ", ..." : "");
	group_end(writer, from);
	for (size_t i = begin; i < writer->n; i += writer->parts[i].n_skipped + 1)
		writer->parts[i].n_rest = writer->n - i - 1;
}

/* What the first row of that word that @whole's type has reads. */
static bool word_find(struct written_maker *maker, const char *word,
		      const struct written_value *whole, struct written_value *ret)
{
	const struct container_kind *kind = NULL;

	while ((kind = written_compile_kind(maker, whole, kind)))
		for (size_t i = 0; i < kind->n_rows; i++) {
			*ret = *whole;
			if (kind->rows[i].word && !strcmp(kind->rows[i].word, word) &&
			    written_compile_row(maker, kind, &kind->rows[i], ret))
				return true;
		}
	return false;
}

/* A class that is an array or optional; a tuple or variant of fewer than the table has rows for. */
static bool show_parts(struct shown_writer *writer, const struct written_value *value)
{
	struct written_value parts[TUPLE_MAX];
	char word[sizeof("std::get<0>()")];
	bool is_one;
	unsigned n;

	if (word_find(writer->maker, "[]", value, &parts[0]) &&
	    parts[0].of.type.kind == TYPE_ARRAY && !parts[0].of.pointers) {
		show_value(writer, &parts[0]);
		return true;
	}
	is_one = word_find(writer->maker, "value()", value, &parts[0]);
	for (n = is_one; !is_one && n < TUPLE_MAX; n++) {
		snprintf(word, sizeof(word), "std::get<%u>()", n % 10);
		if (!word_find(writer->maker, word, value, &parts[n]))
			break;
	}
	if (!n || n == TUPLE_MAX)
		return false;
	for (unsigned i = 0; i < n; i++) {
		text_add_string(&writer->before, i ? ", " : "{");
		show_value(writer, &parts[i]);
	}
	text_add_string(&writer->before, "}");
	return true;
}

/* A string, or what the table of containers says of its size and elements. False: neither. */
static bool show_container(struct shown_writer *writer, const struct written_value *value)
{
	const struct container_kind *kind = NULL;

	while ((kind = written_compile_kind(writer->maker, value, kind))) {
		struct written_value count = *value;
		struct read_plan size;
		struct err ignored;

		if (!row_find(writer, kind, CONTAINER_COUNT, &count))
			continue;
		size = keep_plan(writer, &count.at.steps, PLAN_UNSIGNED, 8);
		if (!read_plan_verify(&size, &ignored))
			continue;
		if (show_text(writer, kind, value, &size))
			return true;
		text_add_string(&writer->before, "{size ");
		part_plan(writer, &count, (struct shown_part){.as = SHOWN_UNSIGNED, .size = 8},
			  PLAN_UNSIGNED, 8);
		show_elements(writer, value, &size);
		text_add_string(&writer->before, "}");
		return true;
	}
	return show_parts(writer, value);
}

/* Of a class that has nothing else its pointer to the vtable tells which it is. */
static void show_vtable(struct shown_writer *writer, const struct written_value *value)
{
	struct classes *classes = writer->maker->finder->sources->classes;
	struct written_value vtable = *value;

	if (!classes || value->at.kind != LOCATION_MEMORY ||
	    !classes_is_dynamic(classes, &vtable.of.type.die))
		return;
	location_load(&vtable.at, 8);
	text_add_string(&writer->before, "_vptr = ");
	part_plan(writer, &vtable, (struct shown_part){.as = SHOWN_POINTER, .size = 8},
		  PLAN_UNSIGNED, 8);
}

/* A base that is a container is shown as one. */
static bool base_show(void *self, Dwarf_Die *base, const struct location *at)
{
	struct member_shower *shower = self;
	const struct written_value value = {.of = {.type = {.kind = TYPE_RECORD, .die = *base}},
					    .at = *at};
	struct shown_writer *writer = shower->writer;
	const size_t n = writer->n, n_before = writer->before.n;

	text_add_string(&writer->before, shower->n ? ", " : "");
	if (show_container(writer, &value)) {
		shower->n++;
		return true;
	}
	if (writer->n == n)
		text_cut(&writer->before, n_before);
	return false;
}

static void show_record(struct shown_writer *writer, struct written_value *value)
{
	struct member_shower shower = {.writer = writer};
	const struct feature_search *finder = writer->maker->finder;
	const struct member_visitor visitor = {
		.frame = finder->frame,
		.arena = finder->arena,
		.definitions = finder->sources->definitions,
		.each = member_show,
		.skips = base_show,
		.self = &shower,
	};

	if (show_container(writer, value))
		return;
	text_add_string(&writer->before, "{");
	members_each(&visitor, &value->of.type.die, &value->at);
	if (!shower.n)
		show_vtable(writer, value);
	text_add_string(&writer->before, "}");
}

static bool show_characters(struct shown_writer *writer, const struct written_value *value,
			    const struct array_shape *shape)
{
	if (shape->element.kind != TYPE_CHAR || value->at.kind != LOCATION_MEMORY ||
	    value->n_indexed + 1 != shape->n_dimensions)
		return false;
	part_plan(writer, value,
		  (struct shown_part){.as = SHOWN_CHARS,
				      .size = shape->counts[shape->n_dimensions - 1]},
		  PLAN_UNSIGNED, 8);
	return true;
}

static void show_array(struct shown_writer *writer, struct written_value *value)
{
	const struct written zero = {.size = 8, .is_signed = true};
	struct written number = zero;
	struct array_shape shape;
	uint64_t n;

	if (!type_array(&value->of.type, &shape) || !shape.n_dimensions) {
		part_absent(writer, "an array whose length is not known: name an element");
		return;
	}
	if (show_characters(writer, value, &shape))
		return;
	n = shape.counts[value->n_indexed];
	text_add_string(&writer->before, "{");
	for (uint64_t i = 0; i < n; i++) {
		struct written_value element = *value, index;

		text_add_string(&writer->before, i ? ", " : "");
		if (i == ELEMENTS_MAX || is_full(writer)) {
			text_add_string(&writer->before,
					arena_printf(writer->arena, "... %" PRIu64 " more", n - i));
			break;
		}
		number.number = i;
		index = written_value_number(&number);
		if (written_value_index(writer->maker, &element, &index))
			show_value(writer, &element);
		else
			part_absent(writer, writer->maker->why);
	}
	text_add_string(&writer->before, "}");
}

static void show_inner(struct shown_writer *writer, struct written_value *value)
{
	const enum type_kind kind = value->of.type.kind;

	if (value->at.kind == LOCATION_ABSENT && !value->is_computed)
		part_absent(writer, value->at.where);
	else if (written_value_is_pointer(value))
		show_pointer(writer, value);
	else if (written_value_is_integer(value))
		show_number(writer, value);
	else if (scalar_is(&value->of.type))
		show_float(writer, value);
	else if (writer->depth > OBJECTS_NESTING_MAX)
		text_add_string(&writer->before, "{...}");
	else if (kind == TYPE_RECORD || kind == TYPE_UNION)
		show_record(writer, value);
	else if (kind == TYPE_ARRAY || kind == TYPE_VECTOR)
		show_array(writer, value);
	else
		part_absent(writer, type_phrase(&value->of.type));
}

static void show_value(struct shown_writer *writer, struct written_value *value)
{
	if (!written_value_settle(writer->maker, value)) {
		part_absent(writer, writer->maker->why);
		return;
	}
	writer->depth++;
	show_inner(writer, value);
	writer->depth--;
}

static void shown_write(struct written_maker *maker, struct written_value *value,
			struct arena *arena, struct shown *ret)
{
	struct shown_writer writer = {.maker = maker, .arena = arena};
	struct written_type target;

	*ret = (struct shown){.type = shown_type_name(&writer, value)};
	if (value->at.kind == LOCATION_MEMORY && !value->bits.n_bits && !value->n_indexed)
		ret->address = keep_plan(&writer, &value->at.steps, PLAN_UNSIGNED, 8);
	if (!written_value_size(written_value_points_to(maker->finder, &value->of, &target)
					? &target
					: &value->of,
				&ret->size))
		ret->size = 0;
	show_inner(&writer, value);
	if (writer.before.n)
		part_add(&writer, (struct shown_part){.as = SHOWN_TEXT});
	ret->parts = arena_copy(arena, writer.parts, writer.n * sizeof(*writer.parts));
	ret->n_parts = writer.n;
	free(writer.parts);
	text_deinit(&writer.before);
}

/* What compiling at a place needs. */
struct place_compiler {
	struct feature_search finder;
	struct written_roots roots;
	struct written_scope scope;
	Dwarf_Die function;
};

static void compiler_init(struct place_compiler *compiler, const struct written_place *place)
{
	*compiler = (struct place_compiler){
		.function = place->function,
		.finder = {.arena = arena_create(),
			   .frame = place->frame,
			   .sources = place->sources,
			   .limits = place->limits},
	};
	compiler->roots = written_scope_roots(&compiler->finder);
	compiler->scope = (struct written_scope){
		.maker = {.finder = &compiler->finder,
			  .function = &compiler->function,
			  .find = written_scope_find},
		.roots = &compiler->roots,
		.addr = place->addr,
	};
}

static void compiler_deinit(struct place_compiler *compiler)
{
	feature_search_deinit(&compiler->roots.search);
	feature_search_deinit(&compiler->finder);
	arena_destroy(compiler->finder.arena);
}

static bool place_compile(struct place_compiler *compiler, const char *expression,
			  struct written_value *ret, struct err *err)
{
	struct written_maker *maker = &compiler->scope.maker;
	const struct written *tree;

	if (!written_parse(expression, compiler->finder.arena, &tree, NULL, err))
		return false;
	return (written_compile(maker, tree, ret) && written_value_settle(maker, ret)) ||
	       err_set(err, ERR_NOT_FOUND, "%s", maker->why);
}

bool written_shown_make(const struct written_place *place, const char *expression,
			struct arena *arena, struct shown *ret, struct err *err)
{
	struct place_compiler compiler;
	struct written_value value;
	bool ok;

	compiler_init(&compiler, place);
	ok = place_compile(&compiler, expression, &value, err);
	if (ok)
		shown_write(&compiler.scope.maker, &value, arena, ret);
	compiler_deinit(&compiler);
	return ok;
}

bool written_shown_type(const struct written_place *place, const char *text, struct arena *arena,
			const char **ret, struct err *err)
{
	const struct function_features *sources = place->sources;
	const struct type_lookup lookup = {sources->image, sources->definitions, sources->names};
	struct place_compiler compiler;
	struct written_value value = {.n_indexed = 0};
	bool ok;

	compiler_init(&compiler, place);
	ok = place_compile(&compiler, text, &value, err);
	if (!ok) {
		value = (struct written_value){.n_indexed = 0};
		ok = type_lookup_find(&lookup, &compiler.function, text, &value.of.type);
	}
	if (ok)
		*ret = type_text_definition(sources->names, &value.of.type, value.of.pointers,
					    arena);
	compiler_deinit(&compiler);
	return ok;
}

/* The names in @block, and in the blocks within around @addr, once each. */
static void names_gather(Dwarf_Die *block, uint64_t addr, bool parameters, unsigned depth,
			 const char **names, size_t *n)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		const char *name = dwarf_diename(&child);
		size_t i = 0;

		if (tag == DW_TAG_lexical_block && !parameters && depth < OBJECTS_NESTING_MAX * 8 &&
		    dwarf_haspc(&child, addr) > 0)
			names_gather(&child, addr, parameters, depth + 1, names, n);
		if (tag != (parameters ? DW_TAG_formal_parameter : DW_TAG_variable) || !name ||
		    !*name || die_flag(&child, DW_AT_external) || *n == NAMES_MAX)
			continue;
		while (i < *n && strcmp(names[i], name) != 0)
			i++;
		names[i] = name;
		*n += i == *n;
	}
}

size_t written_shown_names(const struct written_place *place, bool parameters, struct arena *arena,
			   const char *const **ret)
{
	const char **names = arena_array(arena, const char *, NAMES_MAX);
	Dwarf_Die function = place->function;
	size_t n = 0;

	names_gather(&function, place->addr, parameters, 0, names, &n);
	for (size_t i = 0; i < n; i++)
		names[i] = arena_strdup(arena, names[i]);
	*ret = names;
	return n;
}
