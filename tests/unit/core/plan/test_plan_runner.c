/* Running read plans against memory that is an array, with holes. */
#include "base/mem.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/plan_runner.h"

enum { BASE = 0x10000, SIZE = 0x8000, HOLE = 0x14000, HOLE_END = 0x15000 };

struct fake {
	uint8_t bytes[SIZE];
	unsigned calls;
	size_t reads;
};

static bool readable(uint64_t address, size_t size)
{
	if (address < BASE || address > BASE + SIZE || address + size > BASE + SIZE)
		return false;
	return address + size <= HOLE || address >= HOLE_END;
}

static void fake_read(void *self, struct memory_read *reads, size_t n)
{
	struct fake *fake = self;
	size_t i;

	fake->calls++;
	fake->reads += n;
	for (i = 0; i < n; i++) {
		reads[i].ok = readable(reads[i].address, reads[i].size);
		if (reads[i].ok)
			memcpy(reads[i].to, fake->bytes + (reads[i].address - BASE), reads[i].size);
	}
}

static void put(struct fake *fake, uint64_t address, uint64_t word, size_t size)
{
	memcpy(fake->bytes + (address - BASE), &word, size);
}

struct fixture {
	struct fake fake;
	struct plan_context context;
	struct plan_runner *runner;
	struct arena *arena;
};

static int set_up(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->arena = arena_create();
	f->runner = plan_runner_create();
	f->context.memory = (struct memory){fake_read, &f->fake};
	f->context.load_bias = 0x8000;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	plan_runner_destroy(f->runner);
	arena_destroy(f->arena);
	free(f);
	return 0;
}

static unsigned run_all(struct fixture *f, const char *const *texts, size_t n, struct value *ret)
{
	struct read_plan plans[16];
	const struct read_plan *pointers[16];
	struct err err = {0};
	size_t i;

	for (i = 0; i < n; i++) {
		if (!read_plan_parse(texts[i], f->arena, &plans[i], &err))
			fail_msg("%s: %s", texts[i], err.text);
		pointers[i] = &plans[i];
	}
	return plan_runner_run(f->runner, pointers, n, &f->context, ret);
}

static struct value run_one(struct fixture *f, const char *text)
{
	struct value value;

	run_all(f, &text, 1, &value);
	return value;
}

static void assert_number(struct value value, double expected)
{
	assert_int_equal(value.absence, PRESENT);
	assert_true(value.number == expected);
}

static void registers_give_signed_unsigned_and_boolean_numbers(void **state)
{
	struct fixture *f = *state;

	f->context.registers[5] = 0xfffffffffffffffeULL;
	assert_number(run_one(f, "reg 5; signed 4"), -2);
	assert_number(run_one(f, "reg 5; unsigned 2"), 65534);
	assert_number(run_one(f, "reg 5; signed 8"), -2);
	assert_number(run_one(f, "reg 5; bool 1"), 1);
	f->context.registers[5] = 0x100;
	assert_number(run_one(f, "reg 5; bool 1"), 0);
}

static void floats_and_doubles_come_from_xmm_registers(void **state)
{
	struct fixture *f = *state;
	float single = 1.5f;
	double number = -2.25;

	f->context.registers[17] = 0xdeadbeef00000000ULL;
	memcpy(&f->context.registers[17], &single, sizeof(single));
	memcpy(&f->context.registers[18], &number, sizeof(number));
	assert_number(run_one(f, "reg 17; float 4"), 1.5);
	assert_number(run_one(f, "reg 18; float 8"), -2.25);
}

static void a_float_that_is_not_finite_is_absent(void **state)
{
	struct fixture *f = *state;

	f->context.registers[18] = 0x7ff8000000000000ULL;
	assert_int_equal(run_one(f, "reg 18; float 8").absence, ABSENT_NOT_FINITE);
}

static void members_are_read_through_pointers(void **state)
{
	struct fixture *f = *state;

	f->context.registers[5] = BASE + 0x100;
	put(&f->fake, BASE + 0x108, BASE + 0x200, 8);
	put(&f->fake, BASE + 0x204, (uint32_t)-7, 4);
	assert_number(run_one(f, "reg 5; nonnull; add 8; load 8; nonnull; add 4; load 4; signed 4"),
		      -7);
}

static void a_null_pointer_makes_the_value_absent_not_zero(void **state)
{
	struct fixture *f = *state;

	f->context.registers[5] = 0;
	assert_int_equal(run_one(f, "reg 5; nonnull; add 8; load 4; signed 4").absence,
			 ABSENT_NULL);
}

static void unmapped_memory_makes_only_its_own_value_absent(void **state)
{
	static const char *const texts[] = {"reg 5; load 4; signed 4", "reg 4; load 4; signed 4",
					    "reg 3; load 4; signed 4"};
	struct fixture *f = *state;
	struct value values[3];

	f->context.registers[5] = HOLE - 8;
	f->context.registers[4] = HOLE + 8;
	f->context.registers[3] = 0xffffffffffffff00ULL;
	put(&f->fake, HOLE - 8, 5, 4);
	run_all(f, texts, 3, values);
	assert_number(values[0], 5);
	assert_int_equal(values[1].absence, ABSENT_UNREADABLE);
	assert_int_equal(values[2].absence, ABSENT_UNREADABLE);
}

static void link_time_addresses_get_the_load_bias(void **state)
{
	struct fixture *f = *state;

	put(&f->fake, BASE + 0x40, 77, 8);
	assert_number(run_one(f, "address 32832; load 8; unsigned 8"), 77); /* 0x8040 + 0x8000 */
}

static void many_plans_cost_one_read_a_level(void **state)
{
	static const char *const texts[] = {
		"reg 5; nonnull; load 4; signed 4",
		"reg 5; nonnull; add 4; load 4; signed 4",
		"reg 5; nonnull; add 8; load 8; nonnull; load 4; signed 4",
		"reg 5; nonnull; add 8; load 8; nonnull; add 4; load 4; signed 4",
		"reg 4; unsigned 8",
	};
	struct fixture *f = *state;
	struct value values[5];

	f->context.registers[5] = BASE + 0x100;
	f->context.registers[4] = 9;
	put(&f->fake, BASE + 0x100, 1, 4);
	put(&f->fake, BASE + 0x104, 2, 4);
	put(&f->fake, BASE + 0x108, BASE + 0x2000, 8);
	put(&f->fake, BASE + 0x2000, 3, 4);
	put(&f->fake, BASE + 0x2004, 4, 4);
	assert_int_equal(run_all(f, texts, 5, values), 2);
	assert_int_equal(f->fake.calls, 2);
	assert_int_equal(f->fake.reads, 2); /* neighbours are merged */
	assert_number(values[0], 1);
	assert_number(values[1], 2);
	assert_number(values[2], 3);
	assert_number(values[3], 4);
	assert_number(values[4], 9);
}

static void strings_are_measured_across_pages(void **state)
{
	struct fixture *f = *state;

	memset(f->fake.bytes + 0x300, 'x', 0x2800);
	f->context.registers[5] = BASE + 0x300;
	assert_number(run_one(f, "reg 5; nonnull; strlen; unsigned 8"), 0x2800);
	f->context.registers[5] = BASE + 0x300 + 0x2800;
	assert_number(run_one(f, "reg 5; nonnull; strlen; unsigned 8"), 0);
}

static void a_string_that_ends_right_before_a_hole_is_read(void **state)
{
	struct fixture *f = *state;

	memset(f->fake.bytes + 0x3000, 'x', HOLE - BASE - 0x3000 - 1);
	f->context.registers[5] = BASE + 0x3000 + 0xf80;
	assert_number(run_one(f, "reg 5; nonnull; strlen; unsigned 8"), 0x7f);
	f->context.registers[5] = BASE + 0x2f00;
	memset(f->fake.bytes + 0x2f00, 'x', 0x100);
	assert_number(run_one(f, "reg 5; nonnull; strlen; unsigned 8"), 0x10ff);
}

static void a_string_that_runs_into_a_hole_is_absent(void **state)
{
	struct fixture *f = *state;

	memset(f->fake.bytes + 0x3f00, 'x', 0x100);
	f->context.registers[5] = BASE + 0x3f00;
	assert_int_equal(run_one(f, "reg 5; nonnull; strlen; unsigned 8").absence,
			 ABSENT_UNREADABLE);
}

static void a_failed_long_string_does_not_take_its_neighbours_along(void **state)
{
	static const char *const texts[] = {"reg 5; strlen; unsigned 8",
					    "reg 4; load 8; load 4; signed 4"};
	struct fixture *f = *state;
	struct value values[2];

	memset(f->fake.bytes + 0x2000, 'x', 0x2000);
	f->context.registers[5] = BASE + 0x2000;
	f->context.registers[4] = BASE + 0x10;
	put(&f->fake, BASE + 0x10, BASE + 0x2104,
	    8); /* read in the same level as the string's second piece */
	put(&f->fake, BASE + 0x2104, 0x01010101, 4);
	run_all(f, texts, 2, values);
	assert_int_equal(values[0].absence, ABSENT_UNREADABLE);
	assert_number(values[1], 0x01010101);
}

static void arithmetic_follows_dwarf(void **state)
{
	struct fixture *f = *state;

	assert_number(run_one(f, "const 7; const 2; minus; signed 8"), 5);
	assert_number(run_one(f, "const 7; const 2; mul; signed 8"), 14);
	assert_number(run_one(f, "const -7; const 2; div; signed 8"), -3);
	assert_number(run_one(f, "const 1; const 70; shl; signed 8"), 0);
	assert_number(run_one(f, "const -8; const 1; shra; signed 8"), -4);
	assert_number(run_one(f, "const 200; sext 1; signed 8"), -56);
	assert_number(run_one(f, "const 1; const 2; swap; minus; signed 8"), 1);
	assert_number(run_one(f, "const 5; const 6; pick 1; plus; plus; signed 8"), 16);
	assert_int_equal(run_one(f, "const 1; const 0; div; signed 8").absence, ABSENT_UNSUPPORTED);
}

static void arithmetic_of_all_operators_follows_dwarf(void **state)
{
	struct fixture *f = *state;

	assert_number(run_one(f, "const 17; const 5; mod; signed 8"), 2);
	assert_number(run_one(f, "const -1; const 16; mod; signed 8"), 15);
	assert_number(run_one(f, "const 3; convert 3; const 8; convert 3; double 47; float 8"),
		      0.375);
	assert_int_equal(
		run_one(f, "const 1; convert 3; const 0; convert 3; double 47; float 8").absence,
		ABSENT_NOT_FINITE);
	assert_int_equal(run_one(f, "const 1; const 0; mod; signed 8").absence, ABSENT_UNSUPPORTED);
	assert_number(run_one(f, "const 3; const 3; equal; signed 8"), 1);
	assert_number(run_one(f, "const 3; const 4; equal; signed 8"), 0);
	assert_number(run_one(f, "const -3; const 4; less; signed 8"), 1);
	assert_number(run_one(f, "const -3; const 4; below; signed 8"), 0);
	assert_number(run_one(f, "const 4; const 4; less; signed 8"), 0);
	/* 1 2 3 becomes 3 1 2, and 3 * 100 + (1 * 10 + 2) would be with it. */
	assert_number(run_one(f, "const 1; const 2; const 3; rot; swap; const 10; mul; plus; swap; "
				 "const 100; mul; plus; signed 8"),
		      312);
}

#define S PLAN_FORMAT_SIGNED
#define U PLAN_FORMAT_UNSIGNED
#define F PLAN_FORMAT_FLOAT
#define D PLAN_FORMAT_DOUBLE

static struct value convert(struct fixture *f, uint64_t word, enum plan_format from,
			    enum plan_format to, enum plan_result result, unsigned size)
{
	const struct plan_step steps[] = {
		{PLAN_CONST, (int64_t)word},
		{PLAN_CONVERT, plan_convert_pack(from, to)},
	};
	const struct read_plan plan = {steps, 2, result, size}, *pointer = &plan;
	struct value value;

	plan_runner_run(f->runner, &pointer, 1, &f->context, &value);
	return value;
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static void numbers_change_their_format(void **state)
{
	const uint64_t minus_one = UINT64_MAX, half = 0x3f000000;
	struct fixture *f = *state;

	assert_number(convert(f, minus_one, S, D, PLAN_FLOAT, 8), -1);
	assert_number(convert(f, minus_one, U, D, PLAN_FLOAT, 8), 0x1p64);
	assert_number(convert(f, minus_one, S, F, PLAN_FLOAT, 4), -1);
	assert_number(convert(f, minus_one, S, U, PLAN_UNSIGNED, 1), 255);
	assert_number(convert(f, half, F, D, PLAN_FLOAT, 8), 0.5);
	assert_number(convert(f, bits_of(0.1), D, F, PLAN_FLOAT, 4), (double)0.1f);
	assert_number(convert(f, bits_of(-2.75), D, S, PLAN_SIGNED, 8), -2);
	assert_number(convert(f, bits_of(0x1p63), D, U, PLAN_UNSIGNED, 8), 0x1p63);
}

static void a_float_without_an_integer_is_absent(void **state)
{
	static const struct {
		double number;
		enum plan_format to;
		enum absence absence;
	} cases[] = {
		{0x1p63, S, ABSENT_UNSUPPORTED},
		{-0x1.0000000000001p63, S, ABSENT_UNSUPPORTED},
		{0x1p64, U, ABSENT_UNSUPPORTED},
		{-1, U, ABSENT_UNSUPPORTED},
		{(double)NAN, S, ABSENT_NOT_FINITE},
		{(double)INFINITY, U, ABSENT_NOT_FINITE},
		{-0x1p63, S, PRESENT},
		{-0.5, U, PRESENT},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			convert(f, bits_of(cases[i].number), D, cases[i].to, PLAN_UNSIGNED, 8)
				.absence,
			cases[i].absence);
}

static void a_bounded_string_ends_at_its_bound(void **state)
{
	struct fixture *f = *state;

	memset(f->fake.bytes + 0x2000, 'x', 0x1000);
	f->fake.bytes[0x2005] = 0;
	f->context.registers[5] = BASE + 0x2000;
	assert_number(run_one(f, "reg 5; strnlen 6; unsigned 8"), 5);
	assert_int_equal(run_one(f, "reg 5; strnlen 5; unsigned 8").absence, ABSENT_TOO_LONG);
	/* Up to the last byte before the unreadable hole. */
	f->context.registers[5] = HOLE - 3;
	memset(f->fake.bytes + (HOLE - 3 - BASE), 'x', 3);
	assert_int_equal(run_one(f, "reg 5; strnlen 3; unsigned 8").absence, ABSENT_TOO_LONG);
	assert_int_equal(run_one(f, "reg 5; strnlen 4; unsigned 8").absence, ABSENT_UNREADABLE);
}

/* Sums the array at @address. */
static struct value sum(struct fixture *f, uint64_t address, const struct plan_array *array)
{
	const struct plan_step steps[] = {
		{PLAN_CONST, (int64_t)address},
		{PLAN_SUM, read_plan_pack_array(array)},
	};
	const struct read_plan plan = {steps, 2,
				       array->element == PLAN_FLOAT ? PLAN_FLOAT : PLAN_SIGNED, 8};
	const struct read_plan *pointer = &plan;
	struct value value;

	plan_runner_run(f->runner, &pointer, 1, &f->context, &value);
	return value;
}

static void arrays_are_summed_by_their_elements(void **state)
{
	static const float floats[] = {0.5f, -1.25f, 100};
	static const int8_t bytes[] = {-1, 2, 100, 100};
	struct fixture *f = *state;

	memcpy(f->fake.bytes + 0x2000, bytes, sizeof(bytes));
	assert_number(sum(f, BASE + 0x2000, &(struct plan_array){4, 1, PLAN_SIGNED}), 201);
	assert_number(sum(f, BASE + 0x2000, &(struct plan_array){4, 1, PLAN_UNSIGNED}), 457);
	assert_number(sum(f, BASE + 0x2000, &(struct plan_array){5, 1, PLAN_BOOL}), 4);
	memcpy(f->fake.bytes + 0x2000, floats, sizeof(floats));
	assert_number(sum(f, BASE + 0x2000, &(struct plan_array){3, 4, PLAN_FLOAT}), 99.25);
}

static void a_sum_wraps_around_as_the_programs_own_would(void **state)
{
	static const int64_t numbers[] = {INT64_MAX, 1};
	struct fixture *f = *state;

	memcpy(f->fake.bytes + 0x2000, numbers, sizeof(numbers));
	assert_number(sum(f, BASE + 0x2000, &(struct plan_array){2, 8, PLAN_SIGNED}), -0x1p63);
}

static void an_array_may_cross_pages_but_no_hole(void **state)
{
	struct fixture *f = *state;

	memset(f->fake.bytes + 0x1800, 1, 0x1000);
	assert_number(sum(f, BASE + 0x1800, &(struct plan_array){0x1000, 1, PLAN_SIGNED}), 0x1000);
	assert_int_equal(sum(f, HOLE - 8, &(struct plan_array){3, 4, PLAN_SIGNED}).absence,
			 ABSENT_UNREADABLE);
	assert_int_equal(sum(f, HOLE - 8, &(struct plan_array){2, 4, PLAN_SIGNED}).absence,
			 PRESENT);
	assert_int_equal(sum(f, UINT64_MAX - 4, &(struct plan_array){4, 4, PLAN_SIGNED}).absence,
			 ABSENT_UNREADABLE);
	assert_int_equal(sum(f, 0, &(struct plan_array){PLAN_ARRAY_MAX, 1, PLAN_SIGNED}).absence,
			 ABSENT_UNREADABLE);
}

static void a_bound_is_compared_without_sign(void **state)
{
	struct fixture *f = *state;

	assert_number(run_one(f, "const 5; const 5; bound; signed 8"), 5);
	assert_int_equal(run_one(f, "const 6; const 5; bound; signed 8").absence,
			 ABSENT_UNREADABLE);
	assert_int_equal(run_one(f, "const -1; const 5; bound; signed 8").absence,
			 ABSENT_UNREADABLE);
	assert_number(run_one(f, "const 6; const -1; bound; signed 8"), 6);
}

static void integers_of_128_bits_are_rounded_to_doubles(void **state)
{
	struct fixture *f = *state;

	assert_number(run_one(f, "const -2; const -1; int128 1; float 8"), -2);
	assert_number(run_one(f, "const 0; const 1; int128 1; float 8"), 0x1p64);
	assert_number(run_one(f, "const -1; const -1; int128 0; float 8"), 0x1p128);
	assert_number(run_one(f, "const 0; const 0x8000000000000000; int128 1; float 8"), -0x1p127);
}

static void long_doubles_are_rounded_to_doubles(void **state)
{
	struct fixture *f = *state;

	assert_number(run_one(f, "const 0xc000000000000000; const 0x3fff; x87; float 8"), 1.5);
	assert_number(run_one(f, "const 0xc000000000000000; const 0xbfff; x87; float 8"), -1.5);
	/* The bytes above the sign are padding with arbitrary contents. */
	assert_number(run_one(f, "const 0xc000000000000000; const 0x77773fff; x87; float 8"), 1.5);
	assert_number(run_one(f, "const 0; const 0; x87; float 8"), 0);
	/* Infinite, not a number, beyond any double, and an encoding that no processor writes. */
	assert_int_equal(run_one(f, "const 0x8000000000000000; const 0x7fff; x87; float 8").absence,
			 ABSENT_NOT_FINITE);
	assert_int_equal(run_one(f, "const 0xc000000000000000; const 0x7fff; x87; float 8").absence,
			 ABSENT_NOT_FINITE);
	assert_int_equal(run_one(f, "const 0x8000000000000000; const 0x7ffe; x87; float 8").absence,
			 ABSENT_NOT_FINITE);
	assert_int_equal(run_one(f, "const 1; const 0x3fff; x87; float 8").absence,
			 ABSENT_NOT_FINITE);
}

/* Two classes; in objects of the second the cast's target is at offset 16. */
static void the_class_of_an_object_is_that_of_its_vtable(void **state)
{
	static const struct class_map_range ranges[] = {{0x1000, 0x1020, 0}, {0x1040, 0x1060, 1}};
	static const struct class_type types[] = {{"A", 7}, {"B", 9}};
	static const struct class_cast_entry entries[] = {{1, -16}};
	static const struct class_cast cast = {"T", entries, 1};
	const struct class_map map = {ranges, 2, types, &cast, 1};
	struct fixture *f = *state;

	assert_int_equal(run_one(f, "const 0x1000; class; unsigned 8").absence,
			 ABSENT_UNKNOWN_CLASS);
	f->context.classes = &map;
	assert_number(run_one(f, "const 0x1000; class; unsigned 8"), 7);
	assert_number(run_one(f, "const 0x105f; class; unsigned 8"), 9);
	assert_number(run_one(f, "const 0x1040; cast 0; signed 8"), -16);
	assert_int_equal(run_one(f, "const 0x1000; cast 0; signed 8").absence, ABSENT_OTHER_CLASS);
	assert_int_equal(run_one(f, "const 0x1040; cast 1; signed 8").absence,
			 ABSENT_UNKNOWN_CLASS);
	assert_int_equal(run_one(f, "const 0x1020; class; unsigned 8").absence,
			 ABSENT_UNKNOWN_CLASS);
	assert_int_equal(run_one(f, "const 0x1060; class; unsigned 8").absence,
			 ABSENT_UNKNOWN_CLASS);
	assert_int_equal(run_one(f, "const -1; cast 0; unsigned 8").absence, ABSENT_UNKNOWN_CLASS);
	assert_int_equal(run_one(f, "const 0; class; unsigned 8").absence, ABSENT_UNKNOWN_CLASS);
}

static void a_plan_without_steps_is_optimised_out(void **state)
{
	const struct read_plan none = {0};
	const struct read_plan *plan = &none;
	struct fixture *f = *state;
	struct value value;

	plan_runner_run(f->runner, &plan, 1, &f->context, &value);
	assert_int_equal(value.absence, ABSENT_OPTIMIZED_OUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_give_signed_unsigned_and_boolean_numbers),
		TEST(floats_and_doubles_come_from_xmm_registers),
		TEST(a_float_that_is_not_finite_is_absent),
		TEST(members_are_read_through_pointers),
		TEST(a_null_pointer_makes_the_value_absent_not_zero),
		TEST(unmapped_memory_makes_only_its_own_value_absent),
		TEST(link_time_addresses_get_the_load_bias),
		TEST(many_plans_cost_one_read_a_level),
		TEST(strings_are_measured_across_pages),
		TEST(a_string_that_ends_right_before_a_hole_is_read),
		TEST(a_string_that_runs_into_a_hole_is_absent),
		TEST(a_failed_long_string_does_not_take_its_neighbours_along),
		TEST(arithmetic_follows_dwarf),
		TEST(arithmetic_of_all_operators_follows_dwarf),
		TEST(numbers_change_their_format),
		TEST(a_float_without_an_integer_is_absent),
		TEST(a_bounded_string_ends_at_its_bound),
		TEST(arrays_are_summed_by_their_elements),
		TEST(a_sum_wraps_around_as_the_programs_own_would),
		TEST(an_array_may_cross_pages_but_no_hole),
		TEST(a_bound_is_compared_without_sign),
		TEST(integers_of_128_bits_are_rounded_to_doubles),
		TEST(long_doubles_are_rounded_to_doubles),
		TEST(the_class_of_an_object_is_that_of_its_vtable),
		TEST(a_plan_without_steps_is_optimised_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
