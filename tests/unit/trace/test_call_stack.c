/* Matching of calls: recursion, tail calls, exceptions, other stacks. */
#include "check.h"

#include "trace/call_stack.h"

enum { F, G, H };
enum { MAIN_STACK = 0x7000, OTHER_STACK = 0x3000 };

static struct open_call *push(struct call_stack *stack, unsigned function, uint64_t cfa,
			      uint64_t where)
{
	const struct open_call call = {.function = function, .cfa = cfa, .stack = where};

	return call_stack_push(stack, &call);
}

static void recursion_is_matched_by_frame_address(void **state)
{
	struct call_stack stack = {0};
	struct open_call *found;

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK);
	push(&stack, F, 0x6e00, MAIN_STACK);
	push(&stack, F, 0x6d00, MAIN_STACK);
	found = call_stack_find(&stack, F, 0x6e00);
	assert_non_null(found);
	assert_int_equal(found->cfa, 0x6e00);
	assert_true(call_stack_suspects(&stack.calls[2], found->cfa, MAIN_STACK));
	assert_null(call_stack_find(&stack, G, 0x6e00));
	call_stack_deinit(&stack);
}

static void a_frame_below_a_new_one_is_suspected_and_no_caller(void **state)
{
	struct call_stack stack = {0};

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK);
	push(&stack, G, 0x6d00, MAIN_STACK); /* left by an exception */
	assert_true(call_stack_suspects(&stack.calls[1], 0x6e00, MAIN_STACK));
	assert_false(call_stack_suspects(&stack.calls[0], 0x6e00, MAIN_STACK));
	assert_ptr_equal(call_stack_caller(&stack, 0x6e00, MAIN_STACK), &stack.calls[0]);
	call_stack_deinit(&stack);
}

static void a_frame_on_another_stack_is_not_suspected(void **state)
{
	struct call_stack stack = {0};

	(void)state;
	push(&stack, F, 0x2f00, OTHER_STACK);
	assert_false(call_stack_suspects(&stack.calls[0], 0x6e00, MAIN_STACK));
	assert_ptr_equal(call_stack_caller(&stack, 0x6e00, MAIN_STACK), &stack.calls[0]);
	call_stack_deinit(&stack);
}

static void a_second_entry_of_the_same_frame_is_a_new_call_and_the_old_one_is_suspected(
	void **state)
{
	struct call_stack stack = {0};

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK);
	assert_int_equal(call_stack_entry(&stack, F, 0x6f00, false), ENTRY_NEW);
	assert_true(call_stack_suspects(&stack.calls[0], 0x6f00, MAIN_STACK));
	call_stack_deinit(&stack);
}

static void a_loop_through_the_probe_is_the_same_call(void **state)
{
	struct call_stack stack = {0};

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK);
	assert_int_equal(call_stack_entry(&stack, F, 0x6f00, true), ENTRY_AGAIN);
	assert_int_equal(call_stack_entry(&stack, F, 0x6e00, true), ENTRY_NEW);
	call_stack_deinit(&stack);
}

static void an_interrupted_first_instruction_is_the_same_call_once(void **state)
{
	struct call_stack stack = {0};

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK)->restarted = true;
	assert_int_equal(call_stack_entry(&stack, F, 0x6f00, false), ENTRY_AGAIN);
	assert_int_equal(call_stack_entry(&stack, F, 0x6f00, false), ENTRY_NEW);
	call_stack_deinit(&stack);
}

static void tail_calls_share_a_frame_and_end_together(void **state)
{
	struct call_stack stack = {0};
	struct open_call *call;

	(void)state;
	push(&stack, F, 0x6f00, MAIN_STACK)->return_pc = 0x1000;
	assert_int_equal(call_stack_entry(&stack, G, 0x6f00, false), ENTRY_NEW);
	assert_false(call_stack_suspects(&stack.calls[0], 0x6f00, MAIN_STACK));
	push(&stack, G, 0x6f00, MAIN_STACK)->return_pc = 0x1000;
	assert_null(call_stack_find_waiting(&stack, 0x1000, 0x6e00));
	call = call_stack_find_waiting(&stack, 0x1000, 0x6f00);
	assert_int_equal(call->function, G);
	call_stack_remove(&stack, call);
	assert_int_equal(call_stack_find_waiting(&stack, 0x1000, 0x6f00)->function, F);
	call_stack_deinit(&stack);
}

static void mutual_tail_recursion_is_counted_but_does_not_pile_up(void **state)
{
	struct call_stack stack = {0};
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		if (call_stack_entry(&stack, F, 0x6f00, false) == ENTRY_NEW)
			push(&stack, F, 0x6f00, MAIN_STACK)->return_pc = 0x1000;
		if (call_stack_entry(&stack, G, 0x6f00, false) == ENTRY_NEW)
			push(&stack, G, 0x6f00, MAIN_STACK)->return_pc = 0x1000;
	}
	assert_int_equal(stack.n, 128);
	call_stack_deinit(&stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_is_matched_by_frame_address),
		cmocka_unit_test(a_frame_below_a_new_one_is_suspected_and_no_caller),
		cmocka_unit_test(a_frame_on_another_stack_is_not_suspected),
		cmocka_unit_test(
			a_second_entry_of_the_same_frame_is_a_new_call_and_the_old_one_is_suspected),
		cmocka_unit_test(a_loop_through_the_probe_is_the_same_call),
		cmocka_unit_test(an_interrupted_first_instruction_is_the_same_call_once),
		cmocka_unit_test(tail_calls_share_a_frame_and_end_together),
		cmocka_unit_test(mutual_tail_recursion_is_counted_but_does_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
