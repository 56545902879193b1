/*
 * Locations: DWARF expressions, given as operators, run as plans over registers and memory that are
 * arrays. Base types are those of a compiled fixture.
 */
#include "dwarf_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan/plan_runner.h"
#include "dwarf/location/frame_base.h"
#include "dwarf/type/scalar.h"

enum { BASE = 0x1000, RDI = 5, RSI = 4 };

struct fixture {
	struct elf_file *image;
	struct arena *arena;
	struct frame_base frame;
	struct plan_context context;
	uint8_t memory[256];
	Dwarf_Die unit;
	Dwarf_Attribute attribute; /* some attribute of the unit: where types are looked for */
};

static void read_array(void *self, struct memory_read *reads, size_t n)
{
	const struct fixture *f = self;

	for (size_t i = 0; i < n; i++) {
		reads[i].ok = reads[i].address >= BASE &&
			      reads[i].address + reads[i].size <= BASE + sizeof(f->memory);
		if (reads[i].ok)
			memcpy(reads[i].to, f->memory + (reads[i].address - BASE), reads[i].size);
	}
}

static void open_fixture(void **state, struct fixture *f)
{
	Dwarf_CU *unit = NULL;
	struct err err;

	memset(f, 0, sizeof(*f));
	if (!elf_file_open(fixture(state, "c-O2"), &f->image, &err))
		fail_msg("%s", err.text);
	f->arena = arena_create();
	f->frame.cfa = (struct location){.kind = LOCATION_VALUE, .where = "CFA"};
	location_push(&f->frame.cfa.steps, PLAN_REG, 7);
	f->frame.base = f->frame.cfa;
	f->context.memory = (struct memory){read_array, f};
	f->context.registers[7] = BASE + 64;
	assert_int_equal(dwarf_get_units(f->image->dwarf, unit, &unit, NULL, NULL, &f->unit, NULL),
			 0);
	assert_non_null(dwarf_attr(&f->unit, DW_AT_name, &f->attribute));
}

static void close_fixture(struct fixture *f)
{
	arena_destroy(f->arena);
	elf_file_close(f->image);
}

#define COMPILE(f, ret, ...)                                                                       \
	do {                                                                                       \
		const Dwarf_Op ops_[] = {__VA_ARGS__};                                             \
                                                                                                   \
		location_compile(&(f)->attribute, ops_, sizeof(ops_) / sizeof(*ops_), &(f)->frame, \
				 NULL, (f)->arena, (ret));                                         \
	} while (0)

static struct value run(struct fixture *f, struct location at, enum plan_result result,
			unsigned size)
{
	struct plan_runner *runner = plan_runner_create();
	struct read_plan plan, *pointer = &plan;
	struct value value;
	struct err err;

	location_load(&at, size);
	if (at.kind == LOCATION_ABSENT) {
		plan_runner_destroy(runner);
		return (struct value){.absence = at.absence};
	}
	plan = (struct read_plan){at.steps.step, at.steps.n, result, size};
	if (!read_plan_verify(&plan, &err))
		fail_msg("%s", err.text);
	plan_runner_run(runner, (const struct read_plan *const *)&pointer, 1, &f->context, &value);
	plan_runner_destroy(runner);
	return value;
}

static void assert_number(struct value value, double number)
{
	assert_int_equal(value.absence, PRESENT);
	if (value.number != number)
		fail_msg("%.17g is not %.17g", value.number, number);
}

static void assert_absent(const struct location *at, enum absence absence, const char *phrase)
{
	assert_int_equal(at->kind, LOCATION_ABSENT);
	assert_int_equal(at->absence, absence);
	if (!strstr(at->where, phrase))
		fail_msg("\"%s\" does not say \"%s\"", at->where, phrase);
}

/* The offset of the base type @name in its unit. */
static Dwarf_Word base_type(struct fixture *f, const char *name)
{
	Dwarf_Die child;

	for (bool more = die_first(&f->unit, &child); more; more = die_next(&child)) {
		const char *found = dwarf_diename(&child);

		if (dwarf_tag(&child) == DW_TAG_base_type && found && !strcmp(found, name))
			return dwarf_cuoffset(&child);
	}
	fail_msg("there is no type %s", name);
	return 0;
}

static void put_double(uint64_t *word, double number)
{
	memcpy(word, &number, sizeof(number));
}

static void a_part_of_a_register_is_shifted_down(void **state)
{
	struct fixture f;
	struct location at, part;

	open_fixture(state, &f);
	f.context.registers[RDI] = 0xfffffffe00000007;
	COMPILE(&f, &at, {DW_OP_reg5});
	part = at;
	location_part(&part, 0, 4, f.arena);
	assert_number(run(&f, part, PLAN_SIGNED, 4), 7);
	assert_string_equal(location_phrase(&part, f.arena), "in rdi");
	part = at;
	location_part(&part, 4, 4, f.arena);
	assert_number(run(&f, part, PLAN_SIGNED, 4), -2);
	assert_string_equal(location_phrase(&part, f.arena), "computed from rdi>>32");
	location_part(&part, 2, 2, f.arena);
	assert_number(run(&f, part, PLAN_UNSIGNED, 2), 0xffff);
	part = at;
	location_part(&part, 0, 0, f.arena);
	assert_int_equal(part.kind, LOCATION_REGISTER);
	part = at;
	location_part(&part, 8, 8, f.arena);
	assert_absent(&part, ABSENT_OPTIMIZED_OUT, "rdi");
	part = at;
	location_part(&part, 6, 4, f.arena);
	assert_int_equal(part.kind, LOCATION_ABSENT);
	part = at;
	location_part(&part, UINT64_MAX - 1, 4, f.arena);
	assert_int_equal(part.kind, LOCATION_ABSENT);
	close_fixture(&f);
}

static void a_part_in_the_upper_half_of_a_vector_register_is_absent(void **state)
{
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	COMPILE(&f, &at, {DW_OP_regx, 17}, {DW_OP_piece, 16});
	location_part(&at, 8, 8, f.arena);
	assert_absent(&at, ABSENT_UNSUPPORTED, "upper part of xmm0");
	close_fixture(&f);
}

static void pieces_hold_parts_and_are_joined(void **state)
{
	struct fixture f;
	struct location at, part;

	open_fixture(state, &f);
	f.context.registers[RDI] = 0xaaaaaaaa00000001;
	f.context.registers[RSI] = 0x5555555500000002;
	f.memory[64] = 9;
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_piece, 4}, {DW_OP_reg4}, {DW_OP_piece, 4},
		{DW_OP_fbreg, 0}, {DW_OP_piece, 8}, {DW_OP_piece, 8});
	assert_int_equal(at.kind, LOCATION_PIECES);
	assert_int_equal(at.n_pieces, 4);
	assert_number(run(&f, at, PLAN_SIGNED, 8), 0x200000001);
	part = at;
	location_part(&part, 4, 4, f.arena);
	assert_number(run(&f, part, PLAN_SIGNED, 4), 2);
	part = at;
	location_part(&part, 2, 4, f.arena); /* the halves of two pieces */
	assert_number(run(&f, part, PLAN_UNSIGNED, 4), 0x00020000);
	part = at;
	location_part(&part, 8, 8, f.arena);
	assert_number(run(&f, part, PLAN_SIGNED, 8), 9);
	part = at;
	location_part(&part, 16, 4, f.arena);
	assert_absent(&part, ABSENT_OPTIMIZED_OUT, "optimised out here");
	part = at;
	location_part(&part, 24, 4, f.arena);
	assert_absent(&part, ABSENT_OPTIMIZED_OUT, "optimised out here");
	part = at;
	location_part(&part, 12, 8, f.arena); /* of which a half is nowhere */
	assert_int_equal(run(&f, part, PLAN_SIGNED, 8).absence, ABSENT_OPTIMIZED_OUT);
	part = at;
	location_part(&part, UINT64_MAX, 8, f.arena);
	assert_int_equal(part.kind, LOCATION_ABSENT);
	close_fixture(&f);
}

static void a_structure_in_pieces_has_structures_in_pieces(void **state)
{
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	f.context.registers[RSI] = 0x700000003;
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_piece, 8}, {DW_OP_reg4}, {DW_OP_piece, 8});
	location_part(&at, 4, 12, f.arena);
	assert_int_equal(at.kind, LOCATION_PIECES);
	location_part(&at, 4, 8, f.arena);
	location_part(&at, 4, 4, f.arena);
	assert_number(run(&f, at, PLAN_SIGNED, 4), 7);
	close_fixture(&f);
}

static void pieces_of_bits_are_whole_bytes_or_absent(void **state)
{
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	f.context.registers[RDI] = 0x1234;
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_bit_piece, 8, 8});
	assert_number(run(&f, at, PLAN_UNSIGNED, 1), 0x12);
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_bit_piece, 3, 0});
	assert_absent(&at, ABSENT_UNSUPPORTED, "whole bytes");
	close_fixture(&f);
}

static void too_many_pieces_are_refused(void **state)
{
	Dwarf_Op ops[1000];
	struct location at;
	struct fixture f;

	open_fixture(state, &f);
	for (size_t i = 0; i < 1000; i++)
		ops[i] = (Dwarf_Op){i % 2 ? DW_OP_piece : DW_OP_reg5, 1};
	location_compile(NULL, ops, 1000, &f.frame, NULL, f.arena, &at);
	assert_absent(&at, ABSENT_UNSUPPORTED, "too many");
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_piece, UINT64_MAX});
	assert_int_equal(at.kind, LOCATION_ABSENT);
	close_fixture(&f);
}

static void numbers_of_16_bytes_are_read_wherever_they_are(void **state)
{
	const struct type wide = {.kind = TYPE_INT128, .size = 16, .is_signed = true};
	const struct type extended = {.kind = TYPE_LONG_DOUBLE, .size = 16};
	const long double number = -1.5L;
	struct read_plan plan;
	struct location at;
	struct fixture f;

	open_fixture(state, &f);
	f.context.registers[RDI] = (uint64_t)-5;
	f.context.registers[RSI] = UINT64_MAX;
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_piece, 8}, {DW_OP_reg4}, {DW_OP_piece, 8});
	assert_true(scalar_load(&wide, &at, f.arena, &plan));
	assert_number(run(&f, at, plan.result, plan.size), -5);
	memcpy(f.memory + 64, &number, 10);
	COMPILE(&f, &at, {DW_OP_fbreg, 0});
	assert_true(scalar_load(&extended, &at, f.arena, &plan));
	assert_number(run(&f, at, plan.result, plan.size), -1.5);
	COMPILE(&f, &at, {DW_OP_reg5});
	assert_false(scalar_load(&wide, &at, f.arena, &plan));
	assert_absent(&at, ABSENT_OPTIMIZED_OUT, "rdi");
	close_fixture(&f);
}

static void operators_compute_what_dwarf_says(void **state)
{
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	COMPILE(&f, &at, {DW_OP_lit1}, {DW_OP_lit2}, {DW_OP_lit3}, {DW_OP_rot}, {DW_OP_drop},
		{DW_OP_stack_value}); /* 3 1, and the 3 is below */
	assert_number(run(&f, at, PLAN_SIGNED, 8), 1);
	COMPILE(&f, &at, {DW_OP_const1s, (Dwarf_Word)-9}, {DW_OP_abs}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), 9);
	COMPILE(&f, &at, {DW_OP_lit17}, {DW_OP_lit5}, {DW_OP_mod}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), 2);
	close_fixture(&f);
}

static void comparisons_give_one_or_zero(void **state)
{
	static const struct {
		unsigned atom;
		int less, equal, greater;
	} cases[] = {
		{DW_OP_eq, 0, 1, 0}, {DW_OP_ne, 1, 0, 1}, {DW_OP_lt, 1, 0, 0},
		{DW_OP_le, 1, 1, 0}, {DW_OP_gt, 0, 0, 1}, {DW_OP_ge, 0, 1, 1},
	};
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		COMPILE(&f, &at, {DW_OP_const1s, (Dwarf_Word)-1}, {DW_OP_lit2}, {cases[i].atom},
			{DW_OP_stack_value});
		assert_number(run(&f, at, PLAN_SIGNED, 8), cases[i].less);
		COMPILE(&f, &at, {DW_OP_lit2}, {DW_OP_lit2}, {cases[i].atom}, {DW_OP_stack_value});
		assert_number(run(&f, at, PLAN_SIGNED, 8), cases[i].equal);
		COMPILE(&f, &at, {DW_OP_lit2}, {DW_OP_const1s, (Dwarf_Word)-1}, {cases[i].atom},
			{DW_OP_stack_value});
		assert_number(run(&f, at, PLAN_SIGNED, 8), cases[i].greater);
	}
	close_fixture(&f);
}

static void words_of_base_types_keep_their_width(void **state)
{
	struct fixture f;
	struct location at;

	open_fixture(state, &f);
	f.context.registers[RDI] = 0x1fffffffe;
	/* As an unsigned int it is 0xfffffffe; as an int -2. */
	COMPILE(&f, &at, {DW_OP_regval_type, RDI, base_type(&f, "unsigned int")}, {DW_OP_lit1},
		{DW_OP_convert, base_type(&f, "unsigned int")}, {DW_OP_gt}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), 1);
	COMPILE(&f, &at, {DW_OP_regval_type, RDI, base_type(&f, "int")}, {DW_OP_lit1},
		{DW_OP_convert, base_type(&f, "int")}, {DW_OP_gt}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), 0);
	/* 0xfffffffe + 2 wraps around in 32 bits. */
	COMPILE(&f, &at, {DW_OP_regval_type, RDI, base_type(&f, "unsigned int")},
		{DW_OP_plus_uconst, 2}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), 0);
	f.memory[0] = 0xff;
	f.context.registers[RDI] = BASE;
	COMPILE(&f, &at, {DW_OP_breg5, 0}, {DW_OP_deref_type, 1, base_type(&f, "char")},
		{DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 8), -1);
	close_fixture(&f);
}

static void floats_are_converted_but_not_computed_with(void **state)
{
	struct fixture f;
	struct location at;
	Dwarf_Word type;

	open_fixture(state, &f);
	type = base_type(&f, "double");
	put_double(&f.context.registers[17], -3.75);
	COMPILE(&f, &at, {DW_OP_regval_type, 17, type}, {DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_FLOAT, 8), -3.75);
	COMPILE(&f, &at, {DW_OP_regval_type, 17, type}, {DW_OP_convert, base_type(&f, "int")},
		{DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_SIGNED, 4), -3);
	f.context.registers[RDI] = (uint64_t)-2;
	COMPILE(&f, &at, {DW_OP_regval_type, RDI, base_type(&f, "int")}, {DW_OP_convert, type},
		{DW_OP_stack_value});
	assert_number(run(&f, at, PLAN_FLOAT, 8), -2);
	COMPILE(&f, &at, {DW_OP_regval_type, 17, type}, {DW_OP_neg}, {DW_OP_stack_value});
	assert_absent(&at, ABSENT_UNSUPPORTED, "DW_OP_neg of floating-point numbers");
	COMPILE(&f, &at, {DW_OP_regval_type, 17, type}, {DW_OP_reinterpret, base_type(&f, "int")},
		{DW_OP_stack_value});
	assert_absent(&at, ABSENT_UNSUPPORTED, "DW_OP_reinterpret of another size");
	close_fixture(&f);
}

/* Is one of the list's expressions the entry value of a register and nothing else? */
static bool is_entry_value(Dwarf_Attribute *list, Dwarf_Op **ret_ops, unsigned *ret_reg)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	size_t n;

	while ((at = dwarf_getlocations(list, at, &base, &low, &high, ret_ops, &n)) > 0) {
		Dwarf_Attribute inner;
		Dwarf_Op *ops;

		if (n != 2 || (*ret_ops)[0].atom != DW_OP_entry_value ||
		    dwarf_getlocation_attr(list, &(*ret_ops)[0], &inner) != 0 ||
		    dwarf_getlocation(&inner, &ops, &n) != 0 || n != 1 || ops[0].atom > DW_OP_reg15)
			continue;
		*ret_reg = ops[0].atom - DW_OP_reg0;
		return true;
	}
	return false;
}

static void find_entry_value(struct fixture *f, Dwarf_Attribute *ret, Dwarf_Op **ret_ops,
			     unsigned *ret_reg)
{
	Dwarf_Die function, parameter;

	for (bool more = die_first(&f->unit, &function); more; more = die_next(&function)) {
		for (bool go = die_first(&function, &parameter); go; go = die_next(&parameter))
			if (dwarf_attr_integrate(&parameter, DW_AT_location, ret) &&
			    location_is_list(ret) && is_entry_value(ret, ret_ops, ret_reg))
				return;
	}
	fail_msg("the fixture has no entry values");
}

static void an_entry_value_is_read_while_its_register_is_intact(void **state)
{
	Dwarf_Attribute list;
	struct location at;
	struct fixture f;
	unsigned reg = 0;
	Dwarf_Op *ops;

	open_fixture(state, &f);
	find_entry_value(&f, &list, &ops, &reg);
	f.context.registers[reg] = 1234;
	f.frame.at_entry = true;
	location_compile(&list, ops, 2, &f.frame, NULL, f.arena, &at);
	assert_number(run(&f, at, PLAN_SIGNED, 8), 1234);
	f.frame.at_entry = false;
	f.frame.intact = UINT64_C(1) << reg;
	location_compile(&list, ops, 2, &f.frame, NULL, f.arena, &at);
	assert_number(run(&f, at, PLAN_SIGNED, 8), 1234);
	f.frame.intact = ~f.frame.intact;
	location_compile(&list, ops, 2, &f.frame, NULL, f.arena, &at);
	assert_absent(&at, ABSENT_OPTIMIZED_OUT, "entry value");
	close_fixture(&f);
}

/* Without optimisation: push %rbp; mov %rsp,%rbp; and the first store follows. */
static void a_frame_knows_the_registers_that_are_intact(void **state)
{
	const uint64_t rdi = 1 << RDI, rbp = 1 << 6, rsp = 1 << 7;
	Dwarf_Die function;
	struct frame_base frame;
	struct elf_file *image;
	struct arena *arena = arena_create();
	Dwarf_Addr entry;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	const char *why;
	struct err err;

	assert_true(elf_file_open(fixture(state, "c-O0"), &image, &err));
	assert_int_equal(dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL), 0);
	for (bool more = die_first(&die, &function); more; more = die_next(&function))
		if (dwarf_tag(&function) == DW_TAG_subprogram &&
		    dwarf_entrypc(&function, &entry) == 0)
			break;
	assert_true(frame_base_init(image, &function, entry, arena, &frame, &why));
	assert_true(frame.at_entry);
	assert_int_equal(frame.intact, UINT64_MAX);
	assert_true(frame_base_init(image, &function, entry + 4, arena, &frame, &why));
	assert_false(frame.at_entry);
	assert_int_equal(frame.intact & (rdi | rbp | rsp), rdi);
	/* Within an instruction nothing is known. */
	assert_true(frame_base_init(image, &function, entry + 2, arena, &frame, &why));
	assert_int_equal(frame.intact, 0);
	elf_file_close(image);
	arena_destroy(arena);
}

static void what_is_not_supported_is_named(void **state)
{
	static const struct {
		unsigned atom;
		const char *name;
	} cases[] = {
		{DW_OP_bra, "DW_OP_bra is"},
		{DW_OP_skip, "DW_OP_skip is"},
		{DW_OP_xderef, "DW_OP_xderef is"},
		{DW_OP_call4, "DW_OP_call4 is"},
		{DW_OP_push_object_address, "DW_OP_push_object_address is"},
		{DW_OP_form_tls_address, "DW_OP_form_tls_address is"},
		{0xe8, "DWARF operator 0xe8 is"},
	};
	struct location at;
	struct fixture f;

	open_fixture(state, &f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		COMPILE(&f, &at, {DW_OP_lit1}, {cases[i].atom}, {DW_OP_stack_value});
		assert_absent(&at, ABSENT_UNSUPPORTED, cases[i].name);
	}
	COMPILE(&f, &at, {DW_OP_implicit_pointer, 0, 0});
	assert_absent(&at, ABSENT_OPTIMIZED_OUT, "DW_OP_implicit_pointer");
	close_fixture(&f);
}

static void hostile_expressions_are_broken_not_run(void **state)
{
	struct location at;
	struct fixture f;
	Dwarf_Op ops[200];

	open_fixture(state, &f);
	COMPILE(&f, &at, {DW_OP_plus});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_drop});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_lit1}, {DW_OP_rot});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_lit1}, {DW_OP_pick, 255});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_lit1}, {DW_OP_drop}, {DW_OP_stack_value});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_deref});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_stack_value});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	COMPILE(&f, &at, {DW_OP_reg5}, {DW_OP_piece, 4}, {DW_OP_reg4});
	assert_absent(&at, ABSENT_UNSUPPORTED, "broken");
	for (size_t i = 0; i < 200; i++)
		ops[i] = (Dwarf_Op){DW_OP_lit1};
	location_compile(NULL, ops, 200, &f.frame, NULL, f.arena, &at);
	assert_absent(&at, ABSENT_UNSUPPORTED, "too long");
	for (size_t i = 1; i < 200; i++)
		ops[i] = (Dwarf_Op){DW_OP_neg};
	location_compile(NULL, ops, 200, &f.frame, NULL, f.arena, &at);
	assert_absent(&at, ABSENT_UNSUPPORTED, "too long");
	close_fixture(&f);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_of_a_register_is_shifted_down),
		cmocka_unit_test(a_part_in_the_upper_half_of_a_vector_register_is_absent),
		cmocka_unit_test(pieces_hold_parts_and_are_joined),
		cmocka_unit_test(a_structure_in_pieces_has_structures_in_pieces),
		cmocka_unit_test(pieces_of_bits_are_whole_bytes_or_absent),
		cmocka_unit_test(too_many_pieces_are_refused),
		cmocka_unit_test(numbers_of_16_bytes_are_read_wherever_they_are),
		cmocka_unit_test(operators_compute_what_dwarf_says),
		cmocka_unit_test(comparisons_give_one_or_zero),
		cmocka_unit_test(words_of_base_types_keep_their_width),
		cmocka_unit_test(floats_are_converted_but_not_computed_with),
		cmocka_unit_test(an_entry_value_is_read_while_its_register_is_intact),
		cmocka_unit_test(a_frame_knows_the_registers_that_are_intact),
		cmocka_unit_test(what_is_not_supported_is_named),
		cmocka_unit_test(hostile_expressions_are_broken_not_run),
	};

	return run_with_fixtures(argc, argv, tests, sizeof(tests) / sizeof(*tests));
}
