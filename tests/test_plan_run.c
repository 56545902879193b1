/* Running read plans against memory that is an array, with holes. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan_run.h"

enum { BASE = 0x10000, SIZE = 0x8000, HOLE = 0x14000, HOLE_END = 0x15000 };

struct fake {
	uint8_t bytes[SIZE];
	unsigned calls;
	size_t reads;
};

static bool readable(uint64_t address, size_t size)
{
	if (address < BASE || address + size > BASE + SIZE)
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
		TEST(a_plan_without_steps_is_optimised_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
