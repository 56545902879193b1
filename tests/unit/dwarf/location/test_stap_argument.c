/* Arguments of USDT probes: each form of operand that compilers write, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/location/stap_argument.h"

static void assert_steps(const char *text, unsigned size, bool is_signed,
			 const struct plan_step *steps, unsigned n)
{
	const char *at = text;
	struct stap_argument argument;

	assert_true(stap_argument_next(&at, &argument));
	assert_int_equal(*at, '\0');
	assert_int_equal(argument.at.kind, LOCATION_VALUE);
	assert_int_equal(argument.size, size);
	assert_int_equal(argument.is_signed, is_signed);
	assert_int_equal(argument.at.steps.n, n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(argument.at.steps.step[i].op, steps[i].op);
		assert_int_equal(argument.at.steps.step[i].arg, steps[i].arg);
	}
}

static void registers_constants_and_memory_are_read(void **state)
{
	(void)state;
	assert_steps("-4@%eax", 4, true, (struct plan_step[]){{PLAN_REG, 0}}, 1);
	assert_steps("8@%r15", 8, false, (struct plan_step[]){{PLAN_REG, 15}}, 1);
	assert_steps("1@%sil", 1, false, (struct plan_step[]){{PLAN_REG, 4}}, 1);
	assert_steps("-8@$-5", 8, true, (struct plan_step[]){{PLAN_CONST, -5}}, 1);
	assert_steps("2@(%rbp)", 2, false, (struct plan_step[]){{PLAN_REG, 6}, {PLAN_LOAD, 2}}, 2);
	assert_steps("4@-20(%rbp)", 4, false,
		     (struct plan_step[]){{PLAN_REG, 6}, {PLAN_ADD, -20}, {PLAN_LOAD, 4}}, 3);
	assert_steps("8@16(%rax,%rcx,8)", 8, false,
		     (struct plan_step[]){{PLAN_REG, 0},
					  {PLAN_REG, 2},
					  {PLAN_CONST, 8},
					  {PLAN_MUL, 0},
					  {PLAN_PLUS, 0},
					  {PLAN_ADD, 16},
					  {PLAN_LOAD, 8}},
		     7);
}

static void several_are_told_apart_by_blanks(void **state)
{
	const char *text = " 4@%edi  -8@$3 ";
	struct stap_argument argument;

	(void)state;
	assert_true(stap_argument_next(&text, &argument));
	assert_int_equal(argument.size, 4);
	assert_true(stap_argument_next(&text, &argument));
	assert_int_equal(argument.size, 8);
	assert_false(stap_argument_next(&text, &argument));
}

static void other_forms_are_absent_and_the_next_one_is_read(void **state)
{
	static const char *const others[] = {
		"4@%xmm0",     "3@%eax",          "%eax",    "4@",       "4@%ah", "4@8(%rax",
		"4@8(%rax,%)", "4@counter(%rip)", "4@%eaxx", "8f@%xmm1", "4@$",   "-@%eax",
		"4@(",         "4@%rax%rbx"};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		char both[64] = "";
		const char *text = both;
		struct stap_argument argument;

		strcat(strcat(both, others[i]), " 8@%rdi");
		assert_true(stap_argument_next(&text, &argument));
		assert_int_equal(argument.at.kind, LOCATION_ABSENT);
		assert_true(stap_argument_next(&text, &argument));
		assert_int_equal(argument.at.kind, LOCATION_VALUE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_constants_and_memory_are_read),
		cmocka_unit_test(several_are_told_apart_by_blanks),
		cmocka_unit_test(other_forms_are_absent_and_the_next_one_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
