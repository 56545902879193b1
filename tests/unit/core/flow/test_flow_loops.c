/* Where loops and their turns are, in code drawn by hand: an instruction is 10 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "core/flow/flow_loops.h"

#define INSN(kind, addr, target)                \
	{                                       \
		kind, addr, (addr) + 10, target \
	}
#define FIND(insns, ret_n) flow_loops_find(insns, sizeof(insns) / sizeof(*(insns)), 100, ret_n)

/* for (…) for (…): both tested at their ends, reached by jumps to the tests. */
static void nested_loops_are_the_outer_first(void **state)
{
	static const struct flow_insn insns[] = {
		INSN(FLOW_JUMP, 110, 180), /* to the outer test */
		INSN(FLOW_JUMP, 130, 160), /* 120: the outer body; to the inner test */
		INSN(FLOW_IF, 160, 140),   /* 140: the inner body */
		INSN(FLOW_IF, 180, 120),   INSN(FLOW_END, 190, 0),
	};
	size_t n;
	struct flow_loop *loops = FIND(insns, &n);

	(void)state;
	assert_true(n == 2);
	assert_true(loops[0].turn_addr == 120 && loops[0].jump_addr == 180 && loops[0].depth == 0);
	assert_true(loops[1].turn_addr == 140 && loops[1].jump_addr == 160 && loops[1].depth == 1);
	free(loops);
}

/* while (…): the test is at the head, and a turn begins behind it. */
static void a_turn_begins_behind_a_test_that_leaves(void **state)
{
	static const struct flow_insn insns[] = {
		INSN(FLOW_IF, 120, 150), /* 110: the test, which leaves */
		INSN(FLOW_JUMP, 140, 110), INSN(FLOW_END, 150, 0),
		INSN(FLOW_END, 160, 0), /* whose target is not the next */
	};
	static const struct flow_insn stays[] = {
		INSN(FLOW_JUMP, 100, 110),
		INSN(FLOW_IF, 120, 140), /* 110: the test, which goes on */
		INSN(FLOW_END, 130, 0),
		INSN(FLOW_JUMP, 160, 110),
	};
	static const struct flow_insn shared[] = {
		INSN(FLOW_JUMP, 100, 110), INSN(FLOW_IF, 120, 160),
		INSN(FLOW_IF, 140, 130), /* 130: an inner loop begins where the turn does */
		INSN(FLOW_JUMP, 150, 110), INSN(FLOW_END, 160, 0),
	};
	size_t n;
	struct flow_loop *loops = FIND(insns, &n);

	(void)state;
	assert_true(n == 1 && loops[0].head_addr == 110 && loops[0].turn_addr == 130);
	free(loops);
	loops = FIND(stays, &n);
	assert_true(n == 1 && loops[0].turn_addr == 140);
	free(loops);
	loops = FIND(shared, &n);
	assert_true(n == 1 && loops[0].turn_addr == 130 && loops[0].depth == 1);
	free(loops);
}

/* Code that was put behind the return, and jumps back to where it was left. */
static void code_that_was_put_aside_is_no_loop(void **state)
{
	static const struct flow_insn insns[] = {INSN(FLOW_IF, 110, 150), INSN(FLOW_END, 140, 0),
						 INSN(FLOW_JUMP, 170, 120)};
	static const struct flow_insn within[] = {
		INSN(FLOW_IF, 120, 160), /* 110: the head; 130: where the other goes on */
		INSN(FLOW_IF, 140, 110), INSN(FLOW_END, 150, 0), INSN(FLOW_JUMP, 170, 130)};
	size_t n;
	struct flow_loop *loops = FIND(insns, &n);

	(void)state;
	assert_true(n == 0);
	free(loops);
	loops = FIND(within, &n);
	assert_true(n == 1 && loops[0].turn_addr == 110 && loops[0].jump_addr == 140);
	free(loops);
}

/* for (;;) switch (…): nothing but the table leads to the cases. */
static void cases_of_a_switch_turn_its_loop(void **state)
{
	static const struct flow_insn insns[] = {
		INSN(FLOW_JUMP, 100, 110), INSN(FLOW_TABLE, 120, 0), INSN(FLOW_JUMP, 130, 110),
		INSN(FLOW_JUMP, 140, 110), INSN(FLOW_END, 150, 0)};
	static const struct flow_insn thrown[] = {/* what handles an exception jumps back */
						  INSN(FLOW_END, 120, 0),
						  INSN(FLOW_JUMP, 140, 110)};
	size_t n;
	struct flow_loop *loops = FIND(insns, &n);

	(void)state;
	assert_true(n == 1 && loops[0].turn_addr == 110 && loops[0].jump_addr == 140);
	free(loops);
	loops = FIND(thrown, &n);
	assert_true(n == 0);
	free(loops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_loops_are_the_outer_first),
		cmocka_unit_test(a_turn_begins_behind_a_test_that_leaves),
		cmocka_unit_test(code_that_was_put_aside_is_no_loop),
		cmocka_unit_test(cases_of_a_switch_turn_its_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
