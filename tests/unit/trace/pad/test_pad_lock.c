/* Pads of functions that lock, at work in this process: what is waited for and held, and by whom. */
#include "check.h"
#include "pad_play.h"

#include <errno.h>

enum { ONE = 1, TWO = 2, LONG = 1000 /* ticks, of 20,000 turns of a loop */ };

#define LOOP "mov $20000, %ecx\n 1: dec %ecx\n jnz 1b\n"

/* Operations: the result is the third argument. */
PAD_PLAY_FUNCTION(take, LOOP "mov %edx, %eax");
PAD_PLAY_FUNCTION(try, LOOP "mov %edx, %eax");
PAD_PLAY_FUNCTION(release, LOOP "mov %edx, %eax");
PAD_PLAY_FUNCTION(part, "call take\n call release\n" LOOP "mov %edx, %eax");
PAD_PLAY_FUNCTION(spin, "mov %edx, %eax\n dec %rsi\n jnz spin");

/* What is measured calls them. */
PAD_PLAY_FUNCTION(use, "call take\n" LOOP "call release");
PAD_PLAY_FUNCTION(use_take, "call take");
PAD_PLAY_FUNCTION(use_nothing, LOOP);
PAD_PLAY_FUNCTION(use_both, "call use_nothing\n call use");

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8};
static const struct pad_function any;

static struct pad_function measured(unsigned number)
{
	return (struct pad_function){.number = number,
				     .wait = true,
				     .hold = true,
				     .cfa = {.plan = &cfa, .head = 2, .words = 1}};
}

static void operates(struct pad_play *play, void (*function)(void), void (*end)(void),
		     const struct pad_cost *cost)
{
	const struct pad_probe entry = {.kind = PAD_LOCK_ENTRY, .function = &any, .cost = cost};
	const struct pad_probe leave = {
		.kind = PAD_LOCK_EXIT, .insn = 1, .function = &any, .cost = cost};

	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
}

static struct pad_play *play_locks(bool hold)
{
	static const struct pad_cost costs[][4] = {{{1, COST_LOCK_TAKE, false},
						    {2, COST_LOCK_TRY, false},
						    {3, COST_LOCK_RELEASE, false},
						    {4, COST_CONDITION_WAIT, false}},
						   {{1, COST_LOCK_TAKE, true},
						    {2, COST_LOCK_TRY, true},
						    {3, COST_LOCK_RELEASE, true},
						    {4, COST_CONDITION_WAIT, true}}};
	struct pad_play *play = pad_play_start();

	operates(play, take, take_end, &costs[hold][0]);
	operates(play, try, try_end, &costs[hold][1]);
	operates(play, release, release_end, &costs[hold][2]);
	operates(play, part, part_end, &costs[hold][3]);
	return play;
}

static void operate(void (*operation)(void), uint64_t first, uint64_t second, int result)
{
	struct pad_play_state state = {
		.registers = {[5] = first, [4] = second, [1] = (unsigned)result}};

	pad_play_run(&state, (const void *)(uintptr_t)operation);
}

static void call(void (*function)(void))
{
	operate(function, 7, 7, 0);
}

/* The time in which it held locks until now. */
static int64_t held(const struct pad_play *play)
{
	return (int64_t)(play->block->locks.held +
			 (__builtin_ia32_rdtsc() & play->block->locks.holding));
}

static void a_lock_is_held_from_its_taking_to_its_release(void **state)
{
	struct pad_play *play = play_locks(true);
	int64_t sum;

	(void)state;
	call(take);
	assert_int_equal(play->block->locks.n, 1);
	assert_int_equal(play->block->locks.list[0].object, 7);
	assert_true(play->block->locks.holding);
	assert_true(play->block->locks.waited > LONG);
	assert_true(held(play) < 1 << 30);
	call(use_nothing);
	call(release);
	assert_int_equal(play->block->locks.n, 0);
	assert_int_equal(play->block->locks.call.cfa, 0);
	sum = held(play);
	assert_true(sum > LONG);
	call(use_nothing);
	assert_true(held(play) == sum);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void what_fails_takes_nothing(void **state)
{
	struct pad_play *play = play_locks(true);

	(void)state;
	operate(take, 7, 0, ETIMEDOUT);
	assert_true(play->block->locks.waited > LONG);
	assert_int_equal(play->block->locks.n, 0);
	play->block->locks.waited = 0;
	operate(try, 7, 0, EBUSY);
	assert_int_equal(play->block->locks.n, 0);
	operate(try, 7, 0, 0);
	assert_int_equal(play->block->locks.n, 1);
	operate(release, 7, 0, EPERM);
	assert_int_equal(play->block->locks.n, 1);
	operate(take, 8, 0, EOWNERDEAD);
	assert_int_equal(play->block->locks.n, 2);
	assert_true(play->block->locks.waited > LONG);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void attempts_and_releases_do_not_wait(void **state)
{
	struct pad_play *play = play_locks(true);

	(void)state;
	operate(try, 7, 0, 0);
	operate(release, 7, 0, 0);
	assert_int_equal(play->block->locks.waited, 0);
	pad_play_end(play);
}

static void a_lock_is_held_until_it_was_released_as_often_as_taken(void **state)
{
	struct pad_play *play = play_locks(true);

	(void)state;
	call(take);
	operate(take, 8, 0, 0);
	operate(take, 9, 0, 0);
	call(take);
	call(release);
	assert_int_equal(play->block->locks.n, 3);
	call(release);
	assert_int_equal(play->block->locks.n, 2);
	assert_int_equal(play->block->locks.list[0].object, 9);
	assert_int_equal(play->block->locks.list[0].count, 1);
	assert_int_equal(play->block->locks.list[1].object, 8);
	operate(release, 9, 0, 0);
	assert_true(play->block->locks.holding);
	operate(release, 8, 0, 0);
	assert_false(play->block->locks.holding);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void the_release_of_an_unknown_lock_asks(void **state)
{
	struct pad_play *play = play_locks(true);

	(void)state;
	operate(take, 8, 0, 0);
	call(release);
	assert_int_equal(play->questions, 1);
	assert_int_equal(play->block->locks.n, 1);
	assert_true(play->block->locks.call.cfa != 0); /* the tracer ends it */
	pad_play_end(play);
}

static void too_many_locks_ask(void **state)
{
	struct pad_play *play = play_locks(true);

	(void)state;
	for (unsigned i = 0; i < PAD_HELD_MAX; i++)
		operate(take, 100 + i, 0, 0);
	operate(take, 100, 0, 0);
	assert_int_equal(play->questions, 0);
	operate(take, 99, 0, 0);
	assert_int_equal(play->questions, 1);
	assert_int_equal(play->block->locks.n, PAD_HELD_MAX);
	play->block->locks.call.cfa = 0;
	play->block->locks.n++; /* as the tracer leaves it */
	operate(release, 100, 0, 0);
	assert_int_equal(play->questions, 2);
	play->block->locks.call.cfa = 0;
	operate(take, 100, 0, 0);
	assert_int_equal(play->questions, 3);
	pad_play_end(play);
}

/* Its own operations are parts of the wait. */
static void a_wait_for_a_condition_parts_from_the_lock(void **state)
{
	static const int results[] = {0, ETIMEDOUT, EOWNERDEAD};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct pad_play *play = play_locks(true);
		const struct pad_locks *locks = &play->block->locks;
		struct pad_locks before;

		call(take);
		before = *locks;
		operate(part, 1000, 7, results[i]);
		assert_true(locks->waited - before.waited > 3 * LONG);
		assert_int_equal(before.held - locks->held, locks->waited - before.waited);
		assert_true(locks->holding);
		assert_int_equal(locks->n, 1);
		before = *locks;
		operate(part, 1000, 7, EPERM); /* it does not */
		assert_int_equal(before.held, locks->held);
		assert_int_equal(before.waited, locks->waited);
		assert_int_equal(play->questions, 0);
		operate(part, 1000, 8, 0);
		assert_int_equal(play->questions, 1);
		pad_play_end(play);
	}
}

static void a_call_has_what_was_waited_and_held_within_it(void **state)
{
	const struct pad_function inner = measured(ONE), outer = measured(TWO);
	struct pad_play *play = play_locks(true);
	const struct pad_frame *record;
	uint64_t offset = 0;

	(void)state;
	call(take);
	call(release);
	pad_play_call(play, use, use_end, &inner);
	pad_play_call(play, use_both, use_both_end, &outer);
	call(use_both);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->function, ONE);
	assert_true(record->waited > LONG && record->waited < record->ticks);
	assert_true(record->held > LONG && record->held < record->ticks);
	assert_int_equal(record->inner_wait, 0);
	assert_int_equal(record->inner_hold, 0);
	pad_play_end(play);
}

static void callers_know_what_callees_waited_and_held(void **state)
{
	const struct pad_function inner = measured(ONE), outer = measured(TWO);

	(void)state;
	for (uint64_t limit = 0; limit <= PAD_RANK_ALL; limit += PAD_RANK_ALL) {
		struct pad_play *play = play_locks(true);
		const struct pad_frame *record;
		uint64_t offset = 0;

		pad_play_call(play, use, use_end, &inner);
		pad_play_call(play, use_both, use_both_end, &outer);
		pad_play_sums(play, ONE)->limit = limit; /* 0: not chosen */
		call(use_both);
		record = pad_play_record(play, &offset);
		if (limit)
			record = pad_play_record(play, &offset);
		assert_int_equal(record->function, TWO);
		assert_true(record->waited > LONG);
		assert_int_equal(record->inner_wait, record->waited);
		assert_int_equal(record->inner_hold, record->held);
		pad_play_end(play);
	}
}

static void a_call_under_a_lock_holds_it_all_the_time(void **state)
{
	const struct pad_function function = measured(ONE);
	struct pad_play *play = play_locks(true);
	const struct pad_frame *record;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, use_nothing, use_nothing_end, &function);
	call(take);
	call(use_nothing);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->held, record->ticks);
	call(release);
	call(use_nothing);
	assert_int_equal(pad_play_record(play, &offset)->held, 0);
	pad_play_end(play);
}

static void without_holds_only_waits_in_calls_matter(void **state)
{
	const struct pad_function function = measured(ONE);
	struct pad_play *play = play_locks(false);
	uint64_t offset = 0;

	(void)state;
	call(take);
	assert_int_equal(play->block->locks.waited, 0);
	assert_int_equal(play->block->locks.operations, 0);
	pad_play_call(play, use_take, use_take_end, &function);
	call(use_take);
	assert_true(pad_play_record(play, &offset)->waited > LONG);
	assert_int_equal(play->block->locks.n, 0);
	assert_int_equal(play->block->locks.operations, 1);
	pad_play_end(play);
}

static void a_loop_at_the_entry_is_one_operation(void **state)
{
	static const struct pad_cost cost = {1, COST_LOCK_TAKE_SPIN, true};
	struct pad_play *play = pad_play_start();

	(void)state;
	operates(play, spin, spin_end, &cost);
	operate(spin, 7, 5, 0);
	assert_int_equal(play->block->locks.n, 1);
	assert_int_equal(play->block->locks.list[0].count, 1);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void one_that_seems_to_be_left_asks(void **state)
{
	uint64_t word[2] = {1, 2};
	struct pad_play *play = play_locks(true);

	(void)state;
	play->block->locks.call =
		(struct pad_lock_call){.cfa = (uintptr_t)&word[1], .return_address = 7};
	call(take);
	assert_int_equal(play->questions, 1);
	play->block->locks.call = (struct pad_lock_call){.cfa = UINT64_C(0x7ffffffff008)};
	call(take);
	assert_int_equal(play->questions, 2);
	assert_int_equal(play->faults, 1);
	pad_play_end(play);
}

static void an_exit_of_another_kind_asks(void **state)
{
	static const struct pad_cost cost = {9, COST_SEMAPHORE_WAIT, true};
	static const struct pad_cost other = {1, COST_LOCK_TAKE, true};
	const struct pad_probe entry = {.kind = PAD_LOCK_ENTRY, .function = &any, .cost = &cost};
	const struct pad_probe leave = {
		.kind = PAD_LOCK_EXIT, .insn = 1, .function = &any, .cost = &other};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, take, &entry, 1);
	pad_play_replace(play, take_end, &leave, 1);
	call(take);
	assert_int_equal(play->questions, 1);
	assert_int_equal(play->block->locks.waited, 0);
	pad_play_end(play);
}

static void what_it_costs_is_taken_from_the_innermost_call(void **state)
{
	const struct pad_function function = measured(ONE);
	struct pad_play *play = pad_play_start();
	static const struct pad_cost costs[] = {{1, COST_LOCK_TAKE, true},
						{2, COST_LOCK_RELEASE, true}};
	uint64_t offset = 0;
	const struct pad_frame *record;

	(void)state;
	play->costs = (struct pad_costs){.lock = 1 << 28};
	operates(play, take, take_end, &costs[0]);
	operates(play, release, release_end, &costs[1]);
	pad_play_call(play, use, use_end, &function);
	call(use);
	record = pad_play_record(play, &offset);
	assert_true((int64_t)record->ticks < -(1 << 29) + (1 << 26));
	assert_true((int64_t)record->ticks >= -(1 << 29));
	/* of the pads one half is in the time that the lock is held */
	assert_true((int64_t)record->held < -(1 << 28) + (1 << 26));
	assert_true((int64_t)record->held >= -(1 << 28));
	pad_play_end(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_is_held_from_its_taking_to_its_release),
		cmocka_unit_test(what_fails_takes_nothing),
		cmocka_unit_test(attempts_and_releases_do_not_wait),
		cmocka_unit_test(a_lock_is_held_until_it_was_released_as_often_as_taken),
		cmocka_unit_test(the_release_of_an_unknown_lock_asks),
		cmocka_unit_test(too_many_locks_ask),
		cmocka_unit_test(a_wait_for_a_condition_parts_from_the_lock),
		cmocka_unit_test(a_call_has_what_was_waited_and_held_within_it),
		cmocka_unit_test(callers_know_what_callees_waited_and_held),
		cmocka_unit_test(a_call_under_a_lock_holds_it_all_the_time),
		cmocka_unit_test(without_holds_only_waits_in_calls_matter),
		cmocka_unit_test(a_loop_at_the_entry_is_one_operation),
		cmocka_unit_test(one_that_seems_to_be_left_asks),
		cmocka_unit_test(an_exit_of_another_kind_asks),
		cmocka_unit_test(what_it_costs_is_taken_from_the_innermost_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
