/* Plans as code of pads: each kind of step by hand, and thousands of plans that are drawn. */
#include "check.h"
#include "pad_plan_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pad/pad_plan.h"

struct fixture {
	struct pad_check *check;
	struct arena *arena;
};

static int set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){pad_check_create(), arena_create()};
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	pad_check_destroy(f->check);
	arena_destroy(f->arena);
	return 0;
}

static struct read_plan plan_of(struct fixture *f, const char *text)
{
	struct read_plan plan;
	struct err err;

	if (!read_plan_parse(text, f->arena, &plan, &err))
		fail_msg("%s: %s", text, err.text);
	return plan;
}

static struct value run(struct fixture *f, const struct read_plan *plan)
{
	struct value value;
	const char *wrong = pad_check_run(f->check, plan, &value);

	if (wrong) {
		read_plan_print(plan, stderr);
		fail_msg("%s", wrong);
	}
	return value;
}

/* Both ways, with registers saved and not. */
static struct value value_of(struct fixture *f, const char *text)
{
	const struct read_plan plan = plan_of(f, text);
	struct value value = {0};

	for (unsigned i = 0; i < 16; i++)
		value = run(f, &plan);
	return value;
}

static void expect_number(struct fixture *f, const char *text, double number)
{
	const struct value value = value_of(f, text);

	if (value.absence != PRESENT || value.number != number)
		fail_msg("%s: %g, %s", text, value.number, value_absence_name(value.absence));
}

static void expect_absent(struct fixture *f, const char *text, enum absence absence)
{
	const struct value value = value_of(f, text);

	if (value.absence != absence)
		fail_msg("%s: %g, %s", text, value.number, value_absence_name(value.absence));
}

static void put(struct fixture *f, uint64_t offset, uint64_t word)
{
	pad_check_set_memory(f->check, PAD_CHECK_BASE + offset, &word, sizeof(word));
}

static void registers_of_every_kind_are_read(void **state)
{
	struct fixture *f = *state;
	char text[64];

	for (unsigned reg = 0; reg < 33; reg++) {
		if (reg != 16)
			pad_check_set_register(f->check, reg, 1000 + reg);
		snprintf(text, sizeof(text), "reg %u; signed 8", reg);
		expect_number(f, text, reg == 16 ? PAD_CHECK_BASE + 0x700 : 1000 + reg);
	}
	expect_number(f, "reg 63; unsigned 8", (double)(uintptr_t)__builtin_thread_pointer());
	expect_number(f, "address 0x123; unsigned 8", PAD_CHECK_BASE + 0x123);
}

static void members_of_objects_are_loaded(void **state)
{
	struct fixture *f = *state;

	put(f, 0x110, UINT64_C(0xf1f2f3f4f5f6f7f8));
	pad_check_set_register(f->check, 5, PAD_CHECK_BASE + 0x100);
	expect_number(f, "reg 5; nonnull; add 16; load 1; unsigned 8", 0xf8);
	expect_number(f, "reg 5; add 16; load 2; unsigned 8", 0xf7f8);
	expect_number(f, "reg 5; add 16; load 4; unsigned 8", 0xf5f6f7f8);
	expect_number(f, "reg 5; add 16; load 4; sext 4; signed 8", (int32_t)0xf5f6f7f8);
	expect_number(f, "reg 5; add 16; load 8; signed 8", (double)(int64_t)0xf1f2f3f4f5f6f7f8);
	expect_number(f,
		      "reg 5; add 4611686018427387904; add -4611686018427387888; load 2; signed 8",
		      0xf7f8);
	pad_check_set_register(f->check, 7, PAD_CHECK_BASE + 0x100);
	expect_number(f, "reg 7; add 16; load 1; unsigned 8", 0xf8);
}

static void null_and_unreadable_pointers_make_values_absent(void **state)
{
	struct fixture *f = *state;

	pad_check_set_register(f->check, 5, 0);
	expect_absent(f, "reg 5; nonnull; load 8; signed 8", ABSENT_NULL);
	expect_absent(f, "reg 5; load 8; load 8; signed 8", ABSENT_UNREADABLE);
	pad_check_set_register(f->check, 5, PAD_CHECK_BASE + 3 * PAD_CHECK_PAGE - 4);
	expect_absent(f, "reg 5; load 8; signed 8", ABSENT_UNREADABLE);
	pad_check_set_register(f->check, 5, UINT64_C(0x8000000000000000)); /* not canonical */
	expect_absent(f, "reg 5; load 8; signed 8", ABSENT_UNREADABLE);
	pad_check_set_register(f->check, 6, 7);
	pad_check_set_register(f->check, 5, 6);
	expect_absent(f, "reg 6; reg 5; bound; signed 8", ABSENT_UNREADABLE);
	expect_number(f, "reg 5; reg 6; bound; signed 8", 6);
	expect_number(f, "reg 6; reg 6; bound; signed 8", 7);
}

static void strings_end_at_a_zero_or_a_limit(void **state)
{
	struct fixture *f = *state;

	pad_check_set_memory(f->check, PAD_CHECK_BASE + 0xffe, "abcdef", 7);
	pad_check_set_register(f->check, 4, PAD_CHECK_BASE + 0xffe);
	expect_number(f, "reg 4; strlen; signed 8", 6);
	expect_number(f, "reg 4; strnlen 7; signed 8", 6);
	expect_absent(f, "reg 4; strnlen 6; signed 8", ABSENT_TOO_LONG);
	expect_number(f, "reg 4; strlen; reg 4; plus; unsigned 8", PAD_CHECK_BASE + 0x1004);
	pad_check_set_memory(f->check, PAD_CHECK_BASE + 0x2ffd, "xyz", 3);
	pad_check_set_register(f->check, 4, PAD_CHECK_BASE + 0x2ffd);
	expect_absent(f, "reg 4; strlen; signed 8", ABSENT_UNREADABLE);
	expect_absent(f, "reg 4; strnlen 3; signed 8", ABSENT_TOO_LONG);
}

static const char *sum_text(const struct plan_array *array, const char *rest)
{
	static char text[64];

	snprintf(text, sizeof(text), "reg 5; sum %lld; %s", (long long)read_plan_pack_array(array),
		 rest);
	return text;
}

static void arrays_are_summed(void **state)
{
	static const double doubles[] = {1e100, 3.25, -1e100, 0.1, 0.2, 1e-300};
	static const float floats[] = {1e30F, 3.25F, -1e30F, 0.1F, 0.2F};
	struct fixture *f = *state;
	double total = 0, single = 0;

	for (size_t i = 0; i < 6; i++)
		total += doubles[i];
	for (size_t i = 0; i < 5; i++)
		single += (double)floats[i];
	pad_check_set_register(f->check, 5, PAD_CHECK_BASE + 0x101);
	pad_check_set_memory(f->check, PAD_CHECK_BASE + 0x101, "\xff\x01\x00\xfe", 4);
	expect_number(f, sum_text(&(struct plan_array){4, 1, PLAN_SIGNED}, "signed 8"), -2);
	expect_number(f, sum_text(&(struct plan_array){4, 1, PLAN_UNSIGNED}, "signed 8"), 510);
	expect_number(f, sum_text(&(struct plan_array){4, 1, PLAN_BOOL}, "signed 8"), 3);
	expect_number(f, sum_text(&(struct plan_array){2, 2, PLAN_SIGNED}, "signed 8"), 511 - 512);
	pad_check_set_memory(f->check, PAD_CHECK_BASE + 0x101, doubles, sizeof(doubles));
	expect_number(f, sum_text(&(struct plan_array){6, 8, PLAN_FLOAT}, "float 8"), total);
	pad_check_set_memory(f->check, PAD_CHECK_BASE + 0x101, floats, sizeof(floats));
	expect_number(f, sum_text(&(struct plan_array){5, 4, PLAN_FLOAT}, "float 8"), single);
	pad_check_set_register(f->check, 5, PAD_CHECK_BASE + 3 * PAD_CHECK_PAGE - 8);
	expect_absent(f, sum_text(&(struct plan_array){3, 4, PLAN_FLOAT}, "float 8"),
		      ABSENT_UNREADABLE);
	expect_absent(f, sum_text(&(struct plan_array){9, 1, PLAN_UNSIGNED}, "signed 8"),
		      ABSENT_UNREADABLE);
	expect_number(f, sum_text(&(struct plan_array){1, 8, PLAN_UNSIGNED}, "bool 1"),
		      value_of(f, "reg 5; load 8; bool 1").number);
}

static void words_move_on_the_stack(void **state)
{
	struct fixture *f = *state;

	pad_check_set_register(f->check, 1, 10);
	pad_check_set_register(f->check, 2, 200);
	pad_check_set_register(f->check, 3, 3000);
	expect_number(f, "reg 1; reg 2; reg 3; rot; minus; plus; reg 1; drop; signed 8",
		      3000 + 10 - 200);
	expect_number(f, "reg 1; reg 2; swap; minus; reg 1; drop; signed 8", 190);
	expect_number(f, "reg 1; dup; add 5; mul; reg 1; drop; signed 8", 150);
	expect_number(f, "reg 1; reg 2; reg 3; pick 2; minus; plus; plus; reg 1; drop; signed 8",
		      10 + 200 + 2990);
	expect_number(f, "reg 1; neg; not; reg 1; drop; signed 8", 9);
}

static void numbers_are_computed_and_compared(void **state)
{
	struct fixture *f = *state;

	pad_check_set_register(f->check, 1, (uint64_t)-100);
	pad_check_set_register(f->check, 2, 7);
	pad_check_set_register(f->check, 3, 70);
	expect_number(f, "reg 1; reg 2; div; signed 8", -14);
	expect_number(f, "reg 3; reg 2; div; reg 1; plus; signed 8", -90);
	expect_number(f, "reg 1; const 7; mod; reg 1; drop; signed 8", (UINT64_MAX - 99) % 7);
	expect_number(f, "reg 2; reg 3; xor; const 1; or; reg 1; and; reg 1; drop; signed 8",
		      ((7 ^ 70) | 1) & -100);
	expect_number(f, "reg 2; reg 2; shl; reg 1; drop; signed 8", 7 << 7);
	expect_number(f, "reg 2; reg 3; shl; reg 1; drop; signed 8", 0);
	expect_number(f, "reg 2; const 64; shr; reg 1; drop; signed 8", 0);
	expect_number(f, "reg 1; reg 3; shra; reg 1; drop; signed 8", -1);
	expect_number(f, "reg 1; reg 2; shra; reg 1; drop; signed 8", -100 >> 7);
	expect_number(f, "reg 1; const 99; shra; reg 1; drop; signed 8", -1);
	pad_check_set_register(f->check, 4, INT64_MAX);
	expect_number(f, "reg 4; const 99; shra; reg 1; drop; signed 8", 0);
	expect_number(f, "reg 1; reg 2; less; reg 1; drop; signed 8", 1);
	expect_number(f, "reg 1; reg 2; below; reg 1; drop; signed 8", 0);
	expect_number(f, "reg 2; dup; equal; reg 1; drop; signed 8", 1);
}

static void divisions_without_a_result_make_values_absent(void **state)
{
	struct fixture *f = *state;

	pad_check_set_register(f->check, 1, (uint64_t)INT64_MIN);
	pad_check_set_register(f->check, 2, UINT64_MAX);
	pad_check_set_register(f->check, 3, 0);
	expect_absent(f, "reg 1; reg 2; div; reg 1; drop; signed 8", ABSENT_UNSUPPORTED);
	expect_absent(f, "reg 1; reg 3; div; reg 1; drop; signed 8", ABSENT_UNSUPPORTED);
	expect_absent(f, "reg 1; reg 3; mod; reg 1; drop; signed 8", ABSENT_UNSUPPORTED);
	expect_number(f, "reg 1; reg 2; mod; reg 1; drop; signed 8", -0x1p63);
	expect_number(f, "reg 2; reg 2; div; reg 1; drop; signed 8", 1);
}

static void casts_find_the_part_by_the_class(void **state)
{
	struct fixture *f = *state;
	char text[64];

	put(f, 0x10 + 0x1c0, 4711);
	pad_check_set_register(f->check, 5, PAD_CHECK_BASE + 0x1c0); /* class 1: at 16 */
	expect_number(f, "reg 5; dup; cast 0; plus; load 4; signed 8", 4711);
	expect_absent(f, "reg 5; dup; cast 1; plus; load 4; signed 8", ABSENT_OTHER_CLASS);
	expect_absent(f, "reg 5; dup; cast 3; plus; load 4; signed 8", ABSENT_UNKNOWN_CLASS);
	for (uint64_t offset = 0; offset < 0x1010; offset += 8) {
		pad_check_set_register(f->check, 5, PAD_CHECK_BASE + offset);
		snprintf(text, sizeof(text), "reg 5; cast %d; reg 6; drop; signed 8",
			 (int)(offset / 8 % 3));
		value_of(f, text);
	}
	pad_check_set_register(f->check, 5, UINT64_MAX);
	expect_absent(f, "reg 5; cast 0; reg 6; drop; signed 8", ABSENT_UNKNOWN_CLASS);
}

static struct pad_plan split_of(struct fixture *f, const char *text)
{
	struct read_plan *plan = arena_alloc(f->arena, sizeof(*plan));
	struct pad_plan split;
	const char *why;

	*plan = plan_of(f, text);
	assert_true(pad_plan_split(plan, &split, &why));
	return split;
}

static void heads_end_behind_the_last_load_with_few_words(void **state)
{
	struct fixture *f = *state;
	struct pad_plan split = split_of(f, "reg 5; nonnull; load 8; class; signed 8");

	assert_int_equal(split.head, 3);
	assert_int_equal(split.words, 1);
	assert_int_equal(split.loads, 1);
	split = split_of(f, "reg 5; load 8; reg 4; load 8; int128 1; float 8");
	assert_int_equal(split.head, 4);
	assert_int_equal(split.words, 2);
	split = split_of(f, "reg 5; load 8; reg 5; add 8; load 8; minus; const 4; div; signed 8");
	assert_int_equal(split.head, 6);
	assert_int_equal(split.words, 1);
	split = split_of(f, "const 3; signed 8");
	assert_int_equal(split.head, 0);
	assert_int_equal(split.words, 1);
}

static void floats_cannot_lead_to_memory(void **state)
{
	static const char *const texts[] = {
		"reg 17; convert 12; load 8; signed 8", "reg 5; class; load 8; signed 8",
		"reg 5; reg 4; int128 0; load 8; signed 8", "reg 5; reg 4; x87; load 8; signed 8"};
	struct fixture *f = *state;
	struct pad_plan split;
	const char *why;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct read_plan plan = plan_of(f, texts[i]);

		why = NULL;
		assert_false(pad_plan_split(&plan, &split, &why));
		assert_non_null(why);
	}
	expect_number(f, "reg 16; convert 1; load 1; drop; reg 16; convert 4; unsigned 8",
		      PAD_CHECK_BASE + 0x700);
}

/* What a member costs: the load, a test, a store; nothing but rax is changed. */
static void a_member_costs_a_few_instructions(void **state)
{
	struct fixture *f = *state;
	const struct pad_plan split = split_of(f, "reg 5; nonnull; add 16; load 8; signed 8");
	const struct pad_plan_place place = {.frame = 3, .words = 96, .absent = 88, .saved = 11};
	static const uint8_t expected[] = {
		0x48, 0x81, 0xff, 0xe8, 0x0f, 0x00, 0x00, /* cmp $4096 - 8 - 16,%rdi */
		0x0f, 0x83, 0x10, 0x00, 0x00, 0x00,       /* jae, to the load */
		0x48, 0x83, 0xff, 0x00,                   /* cmp $0,%rdi */
		0x0f, 0x84, 0x13, 0x00, 0x00, 0x00,       /* je */
		0x0f, 0x85, 0x1a, 0x00, 0x00, 0x00,       /* jne */
		0x48, 0x8b, 0x47, 0x10,                   /* mov 16(%rdi),%rax */
		0x48, 0x89, 0x43, 0x60,                   /* mov %rax,96(%rbx) */
		0xe9,                                     /* jmp, behind it */
	};
	uint8_t bytes[256];
	struct assembler code = {.bytes = bytes, .capacity = sizeof(bytes)};
	struct pad_faults faults = {0};

	assert_int_equal(pad_plan_changes(&split), 1);
	pad_plan_emit(&code, &split, &place, &faults);
	assert_false(code.failed);
	assert_memory_equal(bytes, expected, sizeof(expected));
	assert_int_equal(faults.n, 1);
	assert_int_equal(faults.list[0].at, 29);
	free(faults.list);
}

static void a_plan_without_steps_was_optimized_out(void **state)
{
	struct fixture *f = *state;
	const struct read_plan none = {.result = PLAN_SIGNED, .size = 8};

	assert_int_equal(run(f, &none).absence, ABSENT_OPTIMIZED_OUT);
}

static void draw_bytes(uint8_t *bytes, size_t n, uint64_t *random)
{
	for (size_t i = 0; i < n; i++) {
		*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
		bytes[i] = (uint8_t)(*random >> 56);
	}
}

/* And with each reason for absence: the plans reach what they are drawn to reach. */
static void thousands_of_plans_give_what_the_interpreter_gives(void **state)
{
	enum { PLANS = 20000 };
	unsigned absent[ABSENCE_COUNT] = {0};
	struct fixture *f = *state;
	uint64_t random = 4711;
	uint8_t bytes[96];

	for (unsigned i = 0; i < PLANS; i++) {
		struct read_plan plan;
		size_t n;

		draw_bytes(bytes, sizeof(bytes), &random);
		n = 3 + bytes[0] % (sizeof(bytes) - 3);
		if (i % 64 == 0)
			pad_check_draw(f->check, i + 1);
		plan = pad_check_plan(bytes, n, f->arena);
		absent[run(f, &plan).absence]++;
	}
	assert_true(absent[PRESENT] > PLANS / 10);
	assert_true(absent[ABSENT_NULL] > PLANS / 200);
	assert_true(absent[ABSENT_UNREADABLE] > PLANS / 10);
	assert_true(absent[ABSENT_UNSUPPORTED] > PLANS / 1000);
	assert_true(absent[ABSENT_TOO_LONG] > 0);
	assert_true(absent[ABSENT_OTHER_CLASS] > PLANS / 1000);
	assert_true(absent[ABSENT_UNKNOWN_CLASS] > PLANS / 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_of_every_kind_are_read),
		cmocka_unit_test(members_of_objects_are_loaded),
		cmocka_unit_test(null_and_unreadable_pointers_make_values_absent),
		cmocka_unit_test(strings_end_at_a_zero_or_a_limit),
		cmocka_unit_test(arrays_are_summed),
		cmocka_unit_test(words_move_on_the_stack),
		cmocka_unit_test(numbers_are_computed_and_compared),
		cmocka_unit_test(divisions_without_a_result_make_values_absent),
		cmocka_unit_test(casts_find_the_part_by_the_class),
		cmocka_unit_test(heads_end_behind_the_last_load_with_few_words),
		cmocka_unit_test(floats_cannot_lead_to_memory),
		cmocka_unit_test(a_member_costs_a_few_instructions),
		cmocka_unit_test(a_plan_without_steps_was_optimized_out),
		cmocka_unit_test(thousands_of_plans_give_what_the_interpreter_gives),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
