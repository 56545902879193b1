/* Read plans as text, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/plan/read_plan.h"

static const char *const plans[] = {
	"reg 5; nonnull; add 16; load 8; signed 8",
	"reg 17; float 8",
	"reg 32; float 4",
	"const -1; unsigned 8",
	"address 0x4010; load 1; bool 1",
	"address 0xffffffffff600000; load 4; sext 4; signed 8",
	"reg 4; nonnull; strlen; unsigned 8",
	"const 1; dup; dup; drop; swap; plus; unsigned 4",
	"const 1; const 2; pick 1; minus; mul; unsigned 2",
	"const 1; const 2; div; neg; not; signed 1",
	"const 1; const 2; const 3; const 4; const 5; const 6; const 7; const 8; and; or; xor; "
	"shl; shr; "
	"shra; plus; unsigned 8",
	"reg 4; strnlen 1; unsigned 8",
	"reg 4; strnlen 1048576; unsigned 8",
	"reg 4; const 9; bound; unsigned 8",
	"reg 4; reg 5; int128 1; float 8",
	"reg 4; reg 5; x87; float 8",
	"reg 4; dup; cast 0; plus; class; unsigned 8",
	"reg 63; load 8; signed 8",
	"const 1; const 2; const 3; rot; mod; equal; unsigned 8",
	"const 1; const 2; const 3; less; below; unsigned 8",
	"reg 17; convert 14; unsigned 8",
	"reg 4; reg 5; double 43; float 8",
};

static void a_plan_prints_as_it_was_parsed(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		struct read_plan plan;
		struct err err = {0};
		char *printed = NULL;
		size_t size;
		FILE *out;

		if (!read_plan_parse(plans[i], arena, &plan, &err))
			fail_msg("%s: %s", plans[i], err.text);
		out = open_memstream(&printed, &size);
		read_plan_print(&plan, out);
		fclose(out);
		assert_string_equal(printed, plans[i]);
		free(printed);
	}
	arena_destroy(arena);
}

static void blanks_around_steps_mean_nothing(void **state)
{
	struct arena *arena = arena_create();
	struct read_plan plan;
	struct err err;

	(void)state;
	assert_true(read_plan_parse("  reg   5 ;add -8;  load 4;signed 4 ", arena, &plan, &err));
	assert_int_equal(plan.n_steps, 3);
	assert_int_equal(plan.steps[1].arg, -8);
	assert_int_equal(plan.result, PLAN_SIGNED);
	assert_int_equal(plan.size, 4);
	arena_destroy(arena);
}

static void plans_that_cannot_run_are_refused(void **state)
{
	static const char *const refused[] = {
		"",
		"signed 8",
		"reg 5",
		"reg 64; signed 8",
		"reg -1; signed 8",
		"reg; signed 8",
		"reg 5 6; signed 8",
		"reg x; signed 8",
		"reg 5x; signed 8",
		"reg 99999999999999999999; signed 8",
		"load 8; signed 8",
		"reg 5; load 3; signed 8",
		"reg 5; sext 8; signed 8",
		"reg 5; pick 1; plus; signed 8",
		"reg 5; reg 4; signed 8",
		"reg 5; drop; signed 8",
		"reg 5; plus; signed 8",
		"reg 5; jump; signed 8",
		"reg 65; signed 8",
		"reg 64; signed 8",
		"reg 5; strnlen 0; unsigned 8",
		"reg 5; strnlen -1; unsigned 8",
		"reg 5; strnlen 1048577; unsigned 8",
		"reg 5; strnlen; unsigned 8",
		"strnlen 4; unsigned 8",
		"reg 5; bound; unsigned 8",
		"reg 5; int128 1; float 8",
		"reg 5; reg 4; int128 2; float 8",
		"reg 5; x87; float 8",
		"class; unsigned 8",
		"reg 5; cast -1; unsigned 8",
		"reg 5; cast 2147483648; unsigned 8",
		"reg 5; reg 4; rot; plus; unsigned 8",
		"reg 5; convert -1; unsigned 8",
		"reg 5; reg 4; double 37; float 8",
		"reg 5; convert 16; unsigned 8",
		"reg 5; equal; unsigned 8",
		"reg 5; signed 3",
		"reg 5; signed",
		"reg 5; float 2",
		"reg 5; signed 8; reg 5",
		"reg 5;; signed 8",
		"nonnull; signed 8",
		"reg 5; dup; dup; dup; dup; dup; dup; dup; dup; signed 8",
		"reg 5; nonnullnonnullnonnullnonnullnonnullnonnullnonnullnonnullnonnullnonnull; "
		"signed 8",
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct read_plan plan;
		struct err err = {0};

		if (read_plan_parse(refused[i], arena, &plan, &err))
			fail_msg("\"%s\" was accepted", refused[i]);
		assert_int_equal(err.code, ERR_FORMAT);
		assert_true(strlen(err.text) > 0);
	}
	arena_destroy(arena);
}

static void arrays_that_are_too_long_or_of_odd_elements_are_refused(void **state)
{
	static const struct {
		struct plan_array array;
		bool valid;
	} cases[] = {
		{{1, 1, PLAN_SIGNED}, true},
		{{PLAN_ARRAY_MAX / 8, 8, PLAN_FLOAT}, true},
		{{PLAN_ARRAY_MAX, 1, PLAN_BOOL}, true},
		{{PLAN_ARRAY_MAX + 1, 1, PLAN_BOOL}, false},
		{{PLAN_ARRAY_MAX / 8 + 1, 8, PLAN_FLOAT}, false},
		{{UINT32_MAX, 8, PLAN_SIGNED}, false},
		{{0, 4, PLAN_SIGNED}, false},
		{{4, 3, PLAN_SIGNED}, false},
		{{4, 0, PLAN_SIGNED}, false},
		{{4, 2, PLAN_FLOAT}, false},
		{{4, 4, PLAN_RESULT_COUNT}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct plan_step steps[] = {
			{PLAN_REG, 5},
			{PLAN_SUM, read_plan_pack_array(&cases[i].array)},
		};
		const struct plan_step beyond[] = {
			{PLAN_REG, 5},
			{PLAN_SUM, read_plan_pack_array(&cases[i].array) | INT64_C(1) << 48},
		};
		struct read_plan plan = {steps, 2, PLAN_UNSIGNED, 8};
		struct err err;

		assert_int_equal(read_plan_verify(&plan, &err), cases[i].valid);
		plan.steps = beyond;
		assert_false(read_plan_verify(&plan, &err));
	}
}

static void a_plan_with_too_many_steps_is_refused(void **state)
{
	struct plan_step steps[PLAN_STEPS_MAX + 1];
	struct read_plan plan = {steps, PLAN_STEPS_MAX + 1, PLAN_UNSIGNED, 8};
	struct err err = {0};

	(void)state;
	steps[0] = (struct plan_step){PLAN_REG, 0};
	for (unsigned i = 1; i <= PLAN_STEPS_MAX; i++)
		steps[i] = (struct plan_step){PLAN_ADD, 1};
	assert_false(read_plan_verify(&plan, &err));
	plan.n_steps--;
	assert_true(read_plan_verify(&plan, &err));
}

static void steps_that_do_not_exist_are_refused(void **state)
{
	struct plan_step step = {PLAN_OP_COUNT, 0};
	struct read_plan plan = {&step, 1, PLAN_UNSIGNED, 8};
	struct err err = {0};

	(void)state;
	assert_false(read_plan_verify(&plan, &err));
	step.op = (enum plan_op) - 1;
	assert_false(read_plan_verify(&plan, &err));
	step = (struct plan_step){PLAN_REG, 0};
	plan.result = PLAN_RESULT_COUNT;
	assert_false(read_plan_verify(&plan, &err));
	plan.n_steps = 0;
	assert_false(read_plan_verify(&plan, &err));
}

static void only_plans_with_vector_registers_need_them(void **state)
{
	struct arena *arena = arena_create();
	struct read_plan plan;
	struct err err;

	(void)state;
	assert_true(read_plan_parse("reg 16; unsigned 8", arena, &plan, &err));
	assert_false(read_plan_uses_xmm(&plan));
	assert_true(read_plan_parse("reg 17; float 8", arena, &plan, &err));
	assert_true(read_plan_uses_xmm(&plan));
	assert_true(read_plan_parse("const 20; unsigned 8", arena, &plan, &err));
	assert_false(read_plan_uses_xmm(&plan));
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_prints_as_it_was_parsed),
		cmocka_unit_test(blanks_around_steps_mean_nothing),
		cmocka_unit_test(plans_that_cannot_run_are_refused),
		cmocka_unit_test(arrays_that_are_too_long_or_of_odd_elements_are_refused),
		cmocka_unit_test(a_plan_with_too_many_steps_is_refused),
		cmocka_unit_test(steps_that_do_not_exist_are_refused),
		cmocka_unit_test(only_plans_with_vector_registers_need_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
