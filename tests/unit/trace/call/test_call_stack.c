/* Matching of calls: recursion, tail calls, exceptions, other stacks. */
#include "check.h"

#include "base/random.h"
#include "trace/call/call_stack.h"

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

/*
 * Facts in the order of struct entry_facts; -1: whatever it is. Each of the 32 cases has one row.
 */
static void when_a_hit_of_an_entry_begins_a_call(void **state)
{
	static const struct {
		int facts[5];
		bool begins;
	} table[] = {
		{{true, false, -1, -1, -1},
		 false}, /* the open call's loop, or endless tail calls */
		{{true, true, false, -1, -1}, true},
		{{true, true, true, true, -1}, true},
		{{true, true, true, false, true}, true},
		{{true, true, true, false, false},
		 false}, /* a turn of a call that nobody saw begin */
		{{false, -1, false, -1, -1}, true},
		{{false, -1, true, true, -1}, true},
		{{false, -1, true, false, true}, true},
		{{false, -1, true, false, false}, false}, /* the same, with none open */
	};
	unsigned bits;

	(void)state;
	for (bits = 0; bits < 32; bits++) {
		const struct entry_facts facts = {bits & 1, bits & 2, bits & 4, bits & 8,
						  bits & 16};
		unsigned rows = 0;
		size_t i, j;

		for (i = 0; i < sizeof(table) / sizeof(*table); i++) {
			for (j = 0; j < 5; j++)
				if (table[i].facts[j] >= 0 && table[i].facts[j] != (bits >> j & 1))
					break;
			if (j < 5)
				continue;
			rows++;
			assert_int_equal(call_stack_begins(&facts), table[i].begins);
		}
		assert_int_equal(rows, 1);
	}
}

static size_t among_all(const struct call_stack *stack, size_t n, uint64_t low, uint64_t high)
{
	while (n && (stack->calls[n - 1].cfa <= low || stack->calls[n - 1].cfa > high))
		n--;
	return n;
}

/* Pushed, inserted and removed by chance, mostly as on one stack, now and then on another one. */
static void a_search_by_halves_finds_what_a_look_at_all_calls_finds(void **state)
{
	struct random_state chance = {.state = 7};
	struct call_stack stack = {0};

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const uint64_t top = stack.n ? stack.calls[stack.n - 1].cfa : 0x6f00;
		const uint64_t low = 0x6000 + random_next(&chance) % 0xf00;
		const uint64_t high = low + random_next(&chance) % 0x40;
		const size_t n = random_next(&chance) % (stack.n + 1);

		if (random_next(&chance) % 100 == 0)
			push(&stack, F, low, OTHER_STACK);
		else if (random_next(&chance) % 2 && top > 0x6010)
			push(&stack, F, top - random_next(&chance) % 2 * 0x10, MAIN_STACK);
		else if (stack.n)
			call_stack_remove(
				&stack,
				&stack.calls[random_next(&chance) % 4 ? stack.n - 1 : n % stack.n]);
		if (i % 500 == 0)
			while (stack.n)
				call_stack_remove(&stack, &stack.calls[stack.n - 1]);
		assert_int_equal(call_stack_among(&stack, stack.n, low, high),
				 among_all(&stack, stack.n, low, high));
		if (n <= stack.n)
			assert_int_equal(call_stack_among(&stack, n, low, high),
					 among_all(&stack, n, low, high));
	}
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
		cmocka_unit_test(when_a_hit_of_an_entry_begins_a_call),
		cmocka_unit_test(a_search_by_halves_finds_what_a_look_at_all_calls_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
