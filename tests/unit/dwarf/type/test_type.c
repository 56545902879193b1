/* Types of compiled variables: what they are, how large, and what is said of them. */
#include "dwarf_fixture.h"

#include <string.h>

#include "dwarf/file/elf_file.h"
#include "dwarf/type/type.h"

static const char *const programs[] = {"types-gxx.so", "types-gxx-dwarf4.so", "types-clangxx.so"};

enum { N_PROGRAMS = sizeof(programs) / sizeof(*programs) };

struct context {
	struct elf_file *image;
	struct arena *arena;
	Dwarf_Die unit;
};

static bool find(Dwarf_Die *parent, const char *name, Dwarf_Die *ret, int nesting)
{
	Dwarf_Die child;

	for (bool more = die_first(parent, &child); more; more = die_next(&child)) {
		const char *found = dwarf_diename(&child);

		*ret = child;
		if ((dwarf_tag(&child) == DW_TAG_variable || dwarf_tag(&child) == DW_TAG_member) &&
		    found && !strcmp(found, name))
			return true;
		if (nesting && find(&child, name, ret, nesting - 1))
			return true;
	}
	return false;
}

/* The type of the variable; of a kind that is never one if it is not there. */
static bool lookup(struct context *c, const char *name, struct type *ret)
{
	Dwarf_Die die;

	if (!find(&c->unit, name, &die, 2))
		return false;
	*ret = type_of(&die);
	return true;
}

static struct type must_find(struct context *c, const char *name)
{
	struct type type;

	if (!lookup(c, name, &type))
		fail_msg("there is no %s", name);
	return type;
}

static bool open_program(void **state, const char *name, struct context *ret)
{
	Dwarf_CU *unit = NULL;
	struct err err;

	if (!has_fixture(state, name))
		return false;
	if (!elf_file_open(fixture(state, name), &ret->image, &err))
		fail_msg("%s", err.text);
	ret->arena = arena_create();
	assert_int_equal(
		dwarf_get_units(ret->image->dwarf, NULL, &unit, NULL, NULL, &ret->unit, NULL), 0);
	return true;
}

static void close_program(struct context *c)
{
	arena_destroy(c->arena);
	elf_file_close(c->image);
}

static void every_type_has_its_kind_and_size(void **state)
{
	static const struct {
		const char *name;
		enum type_kind kind;
		unsigned size;
		bool is_signed;
		uint64_t byte_size;
	} cases[] = {
		{"v_char", TYPE_CHAR, 1, true, 1},
		{"v_signed_char", TYPE_INTEGER, 1, true, 1},
		{"v_unsigned_char", TYPE_INTEGER, 1, false, 1},
		{"v_short", TYPE_INTEGER, 2, true, 2},
		{"v_wrapped", TYPE_INTEGER, 8, false, 8},
		{"v_bool", TYPE_BOOL, 1, false, 1},
		{"v_char32", TYPE_INTEGER, 4, false, 4},
		{"v_wide_char", TYPE_INTEGER, 4, true, 4},
		{"v_int128", TYPE_INT128, 16, true, 16},
		{"v_unsigned128", TYPE_INT128, 16, false, 16},
		{"v_float", TYPE_FLOAT, 4, false, 4},
		{"v_double", TYPE_FLOAT, 8, false, 8},
		{"v_long_double", TYPE_LONG_DOUBLE, 16, false, 16},
		{"v_float128", TYPE_OTHER, 0, false, 16},
		{"v_plain", TYPE_ENUM, 4, true, 4},
		{"v_small", TYPE_ENUM, 1, false, 1},
		{"v_wide", TYPE_ENUM, 8, false, 8},
		{"v_pointer", TYPE_POINTER, 8, false, 8},
		{"v_reference", TYPE_REFERENCE, 8, false, 8},
		{"v_member", TYPE_MEMBER_POINTER, 0, false, 0},
		{"v_null", TYPE_NULLPTR, 8, false, 8},
		{"v_vector", TYPE_VECTOR, 0, false, 16},
		{"v_array", TYPE_ARRAY, 0, false, 12},
		{"v_table", TYPE_ARRAY, 0, false, 80},
		{"v_records", TYPE_ARRAY, 0, false, 16},
	};
	struct context c;

	for (size_t k = 0; k < N_PROGRAMS; k++) {
		if (!open_program(state, programs[k], &c))
			continue;
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			const struct type type = must_find(&c, cases[i].name);
			uint64_t size = 0;

			if (type.kind != cases[i].kind || type.size != cases[i].size ||
			    type.is_signed != cases[i].is_signed)
				fail_msg("%s: %s is %s of %u bytes", programs[k], cases[i].name,
					 type_phrase(&type), type.size);
			type_byte_size(&type, &size);
			if (cases[i].byte_size && size != cases[i].byte_size)
				fail_msg("%s: %s has %lu bytes", programs[k], cases[i].name,
					 (unsigned long)size);
		}
		close_program(&c);
	}
}

static void complex_numbers_have_two_parts(void **state)
{
	struct context c;
	struct type type, part;

	assert_true(open_program(state, programs[0], &c));
	type = must_find(&c, "v_complex");
	assert_int_equal(type.kind, TYPE_COMPLEX);
	assert_int_equal(type.size, 16);
	part = type_complex_part(&type);
	assert_int_equal(part.kind, TYPE_FLOAT);
	assert_int_equal(part.size, 8);
	close_program(&c);
}

static void what_is_not_read_says_what_it_is(void **state)
{
	static const struct {
		const char *name, *phrase;
	} cases[] = {
		{"v_float128", "a floating-point number of 128 bits"},
		{"v_half", "a floating-point number of 16 bits"},
		{"v_odd", "an integer of an odd size"},
		{"v_member", "a pointer to a member"},
		{"v_function", "a pointer to a member"},
		{"v_null", "a nullptr_t, which is always null"},
	};
	struct type type;
	struct context c;

	for (size_t k = 0; k < N_PROGRAMS; k++) {
		if (!open_program(state, programs[k], &c))
			continue;
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			if (lookup(&c, cases[i].name, &type))
				assert_string_equal(type_phrase(&type), cases[i].phrase);
		close_program(&c);
	}
}

static void numbers_in_the_other_byte_order_are_not_taken_for_ours(void **state)
{
	struct type record, member;
	struct context c;
	Dwarf_Die die;

	assert_true(open_program(state, "returns-gcc-O0.so", &c));
	record = must_find(&c, "v_reversed");
	assert_true(find(&record.die, "member", &die, 0));
	member = type_of(&die);
	assert_int_equal(member.kind, TYPE_OTHER);
	assert_string_equal(type_phrase(&member), "a number in the other byte order");
	close_program(&c);
}

static void a_declaration_is_incomplete(void **state)
{
	struct type pointer, target;
	struct context c;

	assert_true(open_program(state, programs[0], &c));
	pointer = must_find(&c, "v_declared");
	target = type_of(&pointer.die);
	assert_int_equal(target.kind, TYPE_INCOMPLETE);
	close_program(&c);
}

static void arrays_have_a_shape(void **state)
{
	struct array_shape shape;
	struct context c;
	struct type type;

	for (size_t k = 0; k < N_PROGRAMS; k++) {
		if (!open_program(state, programs[k], &c))
			continue;
		type = must_find(&c, "v_table");
		assert_true(type_array(&type, &shape));
		assert_int_equal(shape.n_dimensions, 2);
		assert_int_equal(shape.counts[0], 2);
		assert_int_equal(shape.counts[1], 5);
		assert_int_equal(shape.n, 10);
		assert_int_equal(shape.element_size, 8);
		assert_int_equal(shape.element.kind, TYPE_FLOAT);
		type = must_find(&c, "v_records");
		assert_true(type_array(&type, &shape));
		assert_int_equal(shape.n, 4);
		assert_int_equal(shape.element.kind, TYPE_RECORD);
		type = must_find(&c, "v_vector");
		assert_true(type_array(&type, &shape));
		assert_int_equal(shape.n, 4);
		close_program(&c);
	}
}

static void arrays_of_unknown_length_have_none(void **state)
{
	struct array_shape shape;
	struct context c;
	struct type type;

	for (size_t k = 0; k < N_PROGRAMS; k++) {
		if (!open_program(state, programs[k], &c))
			continue;
		type = must_find(&c, "flexible");
		if (type_array(&type, &shape) && shape.n != 0)
			fail_msg("%s: a flexible member has %lu elements", programs[k],
				 (unsigned long)shape.n);
		type = must_find(&c, "v_local");
		assert_false(type_array(&type, &shape));
		type = must_find(&c, "v_short");
		assert_false(type_array(&type, &shape));
		close_program(&c);
	}
}

static void enumerators_are_sorted_and_have_their_numbers(void **state)
{
	const struct label *labels;
	struct context c;
	struct type type;

	for (size_t k = 0; k < N_PROGRAMS; k++) {
		if (!open_program(state, programs[k], &c))
			continue;
		type = must_find(&c, "v_plain");
		assert_int_equal(type_labels(&type, c.arena, &labels), 4);
		assert_string_equal(labels[0].name, "MINUS");
		assert_true(labels[0].number == -200);
		assert_string_equal(labels[3].name, "TWO"); /* and ALSO_TWO */
		type = must_find(&c, "v_small");
		assert_int_equal(type_labels(&type, c.arena, &labels), 2);
		assert_true(labels[1].number == 200);
		type = must_find(&c, "v_wide");
		assert_int_equal(type_labels(&type, c.arena, &labels), 1);
		assert_true(labels[0].number == 0x1p64);
		type = must_find(&c, "v_none");
		assert_int_equal(type_labels(&type, c.arena, &labels), 0);
		assert_null(labels);
		type = must_find(&c, "v_short");
		assert_int_equal(type_labels(&type, c.arena, &labels), 0);
		close_program(&c);
	}
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_its_kind_and_size),
		cmocka_unit_test(complex_numbers_have_two_parts),
		cmocka_unit_test(what_is_not_read_says_what_it_is),
		cmocka_unit_test(numbers_in_the_other_byte_order_are_not_taken_for_ours),
		cmocka_unit_test(a_declaration_is_incomplete),
		cmocka_unit_test(arrays_have_a_shape),
		cmocka_unit_test(arrays_of_unknown_length_have_none),
		cmocka_unit_test(enumerators_are_sorted_and_have_their_numbers),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
