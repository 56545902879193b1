/* Pads of functions that allocate, at work in this process: which bytes count, and in which call. */
#include "check.h"
#include "pad_play.h"

#include <sys/mman.h>

enum { ONE = 1, TWO = 2, BYTES = 100 };

/* Allocators: the address of the block is what is asked for, so none where that is 0. */
PAD_PLAY_FUNCTION(take, "mov %rdi, %rax");
PAD_PLAY_FUNCTION(refuse, "xor %eax, %eax");
PAD_PLAY_FUNCTION(give_error, "mov $12, %eax");
PAD_PLAY_FUNCTION(map_none, "mov $-1, %rax");
PAD_PLAY_FUNCTION(wrap, "call take");
PAD_PLAY_FUNCTION(observed, "call use");
PAD_PLAY_FUNCTION(jump_out, "xor %eax, %eax\n test %esi, %esi\n jump_out_jump:\n je take");
PAD_PLAY_FUNCTION(jump_clear, "jump_clear_jump:\n .byte 0xe9\n .long take - . - 4");
void jump_out_jump(void);
void jump_clear_jump(void);

/* What is measured calls them. */
PAD_PLAY_FUNCTION(use, "call take");
PAD_PLAY_FUNCTION(use_refuse, "call refuse");
PAD_PLAY_FUNCTION(use_fail, "call give_error");
PAD_PLAY_FUNCTION(use_map, "call map_none");
PAD_PLAY_FUNCTION(use_wrap, "call wrap");
PAD_PLAY_FUNCTION(use_observed, "call observed");
PAD_PLAY_FUNCTION(use_jump, "call jump_out");
PAD_PLAY_FUNCTION(use_clear, "call jump_clear");
PAD_PLAY_FUNCTION(use_both, "call use\n call take");

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8};
static const struct pad_function any;

static struct pad_function measured(unsigned number)
{
	return (struct pad_function){
		.number = number, .mem = true, .cfa = {.plan = &cfa, .head = 2, .words = 1}};
}

static void allocates(struct pad_play *play, void (*function)(void), void (*end)(void),
		      const struct pad_cost *cost)
{
	const struct pad_probe entry = {.kind = PAD_COST_ENTRY, .function = &any, .cost = cost};
	const struct pad_probe leave = {
		.kind = PAD_COST_EXIT, .insn = 1, .function = &any, .cost = cost};

	pad_play_replace(play, function, &entry, 1);
	if (end)
		pad_play_replace(play, end, &leave, 1);
}

static void call_with(void (*function)(void), uint64_t first, uint64_t second, uint64_t third)
{
	struct pad_play_state state = {.registers = {[5] = first, [4] = second, [1] = third}};

	pad_play_run(&state, (const void *)(uintptr_t)function);
}

static void call(void (*function)(void))
{
	call_with(function, BYTES, 1, 1);
}

static const struct pad_frame *first_record(const struct pad_play *play)
{
	uint64_t offset = 0;

	return pad_play_record(play, &offset);
}

#define TAKES(play, name, kind_)                                        \
	do {                                                            \
		static const struct pad_cost cost_ = {__LINE__, kind_}; \
		allocates(play, name, name##_end, &cost_);              \
	} while (0)

/* The record of a call of @function, which is measured. */
#define RECORD_OF(play, name)                                        \
	({                                                           \
		const struct pad_function function_ = measured(ONE); \
		pad_play_call(play, name, name##_end, &function_);   \
		call(name);                                          \
		first_record(play);                                  \
	})

static void a_block_counts_in_the_call_that_takes_it(void **state)
{
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;

	(void)state;
	play->block->mem = 5;
	TAKES(play, take, COST_ALLOCATE);
	record = RECORD_OF(play, use);
	assert_int_equal(record->mem, BYTES);
	assert_int_equal(record->own_mem, BYTES);
	assert_int_equal(play->block->mem, 5 + BYTES);
	assert_int_equal(play->block->heap.cfa, 0);
	assert_int_equal(play->block->costs, 1);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void outside_of_calls_nothing_counts(void **state)
{
	struct pad_play *play = pad_play_start();

	(void)state;
	TAKES(play, take, COST_ALLOCATE);
	call(take);
	assert_int_equal(play->block->mem, 0);
	assert_int_equal(play->block->heap.cfa, 0);
	assert_int_equal(play->block->costs, 0);
	pad_play_end(play);
}

static void arguments_say_how_much(void **state)
{
	static const struct {
		enum cost_call_kind kind;
		unsigned bytes;
	} kinds[] = {
		{COST_ALLOCATE, 3},   {COST_ALLOCATE_ARRAY, 15},   {COST_ALLOCATE_ALIGNED, 5},
		{COST_REALLOCATE, 5}, {COST_REALLOCATE_ARRAY, 35},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct pad_cost cost = {1, kinds[i].kind};
		const struct pad_function function = measured(ONE);
		struct pad_play *play = pad_play_start();

		allocates(play, take, take_end, &cost);
		pad_play_call(play, use, use_end, &function);
		call_with(use, 3, 5, 7);
		assert_int_equal(first_record(play)->mem, kinds[i].bytes);
		pad_play_end(play);
	}
}

static void what_fails_is_nobodys(void **state)
{
	struct pad_play *play = pad_play_start();

	(void)state;
	TAKES(play, refuse, COST_ALLOCATE);
	assert_int_equal(RECORD_OF(play, use_refuse)->mem, 0);
	assert_int_equal(play->block->heap.cfa, 0);
	pad_play_end(play);
	play = pad_play_start();
	TAKES(play, give_error, COST_ALLOCATE_INTO);
	assert_int_equal(RECORD_OF(play, use_fail)->mem, 0);
	pad_play_end(play);
	play = pad_play_start();
	TAKES(play, refuse, COST_ALLOCATE_INTO); /* 0 is success */
	assert_int_equal(RECORD_OF(play, use_refuse)->mem, 1);
	pad_play_end(play);
	play = pad_play_start();
	TAKES(play, map_none, COST_MAP);
	assert_int_equal(RECORD_OF(play, use_map)->mem, 0);
	pad_play_end(play);
}

static void only_anonymous_mappings_count(void **state)
{
	static const struct pad_cost cost = {1, COST_MAP};
	const struct pad_function function = measured(ONE);
	uint64_t offset = 0;
	struct pad_play *play = pad_play_start();
	struct pad_play_state registers = {.registers = {[5] = 1, [4] = 4096}};

	(void)state;
	allocates(play, take, take_end, &cost);
	pad_play_call(play, use, use_end, &function);
	registers.registers[2] = MAP_PRIVATE;
	pad_play_run(&registers, (const void *)(uintptr_t)use);
	assert_int_equal(pad_play_record(play, &offset)->mem, 0);
	registers.registers[5] = 1;
	registers.registers[4] = 4096;
	registers.registers[2] = MAP_PRIVATE | MAP_ANONYMOUS;
	pad_play_run(&registers, (const void *)(uintptr_t)use);
	assert_int_equal(pad_play_record(play, &offset)->mem, 4096);
	pad_play_end(play);
}

static void of_calls_within_each_other_the_outermost_counts(void **state)
{
	struct pad_play *play = pad_play_start();

	(void)state;
	TAKES(play, take, COST_ALLOCATE);
	TAKES(play, wrap, COST_ALLOCATE);
	assert_int_equal(RECORD_OF(play, use_wrap)->mem, BYTES);
	assert_int_equal(play->block->costs, 2);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void one_that_goes_on_in_another_ends_there(void **state)
{
	static const struct pad_cost cost = {1000, COST_ALLOCATE};
	struct pad_play *play = pad_play_start();

	(void)state;
	TAKES(play, take, COST_ALLOCATE);
	allocates(play, jump_clear, NULL, &cost);
	assert_int_equal(RECORD_OF(play, use_clear)->mem, BYTES);
	assert_int_equal(play->block->heap.cfa, 0);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void a_jump_to_what_returns_its_argument_ends_it(void **state)
{
	static const struct pad_cost cost = {1, COST_ALLOCATE};
	const struct pad_probe jump = {
		.kind = PAD_COST_EXIT, .function = &any, .cost = &cost, .gives_argument = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	allocates(play, jump_clear, NULL, &cost);
	pad_play_replace(play, jump_clear_jump, &jump, 1);
	assert_int_equal(RECORD_OF(play, use_clear)->mem, BYTES);
	assert_int_equal(play->block->heap.cfa, 0);
	pad_play_end(play);
}

static void a_jump_out_asks_if_it_is_taken(void **state)
{
	static const struct pad_cost cost = {1, COST_ALLOCATE};
	const struct pad_probe jump = {.kind = PAD_COST_JUMP,
				       .insn = 0,
				       .function = &any,
				       .cost = &cost,
				       .flags_live = true};
	const struct pad_function function = measured(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	allocates(play, jump_out, jump_out_end, &cost);
	pad_play_replace(play, jump_out_jump, &jump, 1);
	pad_play_call(play, use_jump, use_jump_end, &function);
	call_with(use_jump, BYTES, 1, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(play->block->heap.cfa, 0);
	call_with(use_jump, BYTES, 0, 0);
	assert_int_equal(play->questions, 1);
	assert_true(play->block->heap.cfa != 0);
	pad_play_end(play);
}

static void what_callees_take_is_not_a_callers_own(void **state)
{
	const struct pad_function inner = measured(ONE), outer = measured(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	uint64_t offset = 0;

	(void)state;
	TAKES(play, take, COST_ALLOCATE);
	pad_play_call(play, use, use_end, &inner);
	pad_play_call(play, use_both, use_both_end, &outer);
	call(use_both);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->mem, BYTES);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->function, TWO);
	assert_int_equal(record->mem, 2 * BYTES);
	assert_int_equal(record->own_mem, BYTES);
	pad_play_end(play);
}

/* Its bytes are parts of what allocates. */
static void a_call_within_an_allocation_asks(void **state)
{
	const struct pad_function inner = measured(ONE), outer = measured(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	TAKES(play, observed, COST_ALLOCATE);
	pad_play_call(play, use, use_end, &inner);
	pad_play_call(play, use_observed, use_observed_end, &outer);
	call(use_observed);
	assert_int_equal(play->questions, 1);
	pad_play_end(play);
}

/* It was left by an exception: its return address is another, or its stack is gone. */
static void one_that_seems_to_be_gone_asks(void **state)
{
	uint64_t word[2] = {1, 2};
	struct pad_play *play = pad_play_start();
	const struct pad_function function = measured(ONE);

	(void)state;
	TAKES(play, take, COST_ALLOCATE);
	pad_play_call(play, use, use_end, &function);
	pad_play_sums(play, ONE)->limit = 0; /* not chosen: only the allocator asks */
	play->block->heap = (struct pad_cost_call){.cfa = (uintptr_t)&word[1], .return_address = 7};
	call(use);
	assert_int_equal(play->questions, 1);
	play->block->heap = (struct pad_cost_call){.cfa = UINT64_C(0x7ffffffff008)};
	call(use);
	assert_int_equal(play->questions, 2);
	assert_int_equal(play->faults, 1);
	play->block->heap = (struct pad_cost_call){.cfa = 8}; /* below */
	call(use);
	assert_int_equal(play->questions, 3);
	pad_play_end(play);
}

static void what_it_costs_is_taken_from_the_innermost_call(void **state)
{
	struct pad_play *play = pad_play_start();
	const struct pad_function function = measured(ONE);
	uint64_t offset = 0;
	uint64_t ticks;

	(void)state;
	play->costs = (struct pad_costs){.heap = 1 << 28, .heap_inner = 1 << 27};
	TAKES(play, take, COST_ALLOCATE);
	TAKES(play, wrap, COST_ALLOCATE);
	pad_play_call(play, use_wrap, use_wrap_end, &function);
	call(use_wrap);
	ticks = pad_play_record(play, &offset)->ticks;
	assert_true((int64_t)ticks < -((1 << 28) + (1 << 27) - (1 << 26)));
	assert_true((int64_t)ticks >= -((1 << 28) + (1 << 27)));
	pad_play_end(play);
}

static const struct pad_event *event_at(const struct pad_play *play, size_t index)
{
	return (const struct pad_event *)((const char *)play->block + PAD_EVENTS_OFFSET) + index;
}

static void assert_event(const struct pad_play *play, size_t index, struct pad_event wanted)
{
	const struct pad_event *event = event_at(play, index);

	assert_int_equal(event->kind, wanted.kind);
	assert_int_equal(event->function, wanted.function);
	assert_int_equal(event->a, wanted.a);
	assert_int_equal(event->b, wanted.b);
	assert_true(!index || event->at > event[-1].at);
}

/* Calls that allocate and free, in between the ends of the call that makes them. */
static void for_the_peak_all_is_told_in_its_order(void **state)
{
	static const struct {
		enum cost_call_kind kind;
		unsigned bytes;
		bool frees;
	} kinds[] = {
		{COST_ALLOCATE, 3, false},  {COST_ALLOCATE_ARRAY, 15, false},
		{COST_REALLOCATE, 5, true}, {COST_REALLOCATE_ARRAY, 35, true},
		{COST_UNMAP, 3, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct pad_cost cost = {9, kinds[i].kind, .blocks = true};
		struct pad_function function = measured(ONE);
		struct pad_play *play = pad_play_start();
		size_t n = 0;

		function.events = true;
		allocates(play, take, take_end, &cost);
		pad_play_call(play, use, use_end, &function);
		call_with(use, 3, 5, 7);
		assert_event(play, n++, (struct pad_event){.kind = PAD_EVENT_CALL, .a = 1});
		if (kinds[i].frees)
			assert_event(play, n++, (struct pad_event){0, PAD_EVENT_COST, 9, 3, 5});
		assert_event(play, n++,
			     (struct pad_event){0, PAD_EVENT_COST_END, 9, 3, kinds[i].bytes});
		assert_event(play, n++, (struct pad_event){.kind = PAD_EVENT_END, .a = 1});
		assert_int_equal(play->block->events, n * sizeof(struct pad_event));
		pad_play_end(play);
	}
}

static void a_block_that_is_put_somewhere_is_found_there(void **state)
{
	const struct pad_cost cost = {9, COST_ALLOCATE_INTO, .blocks = true};
	const struct pad_function function = measured(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t block = 4711;

	(void)state;
	allocates(play, refuse, refuse_end, &cost);
	pad_play_call(play, use_refuse, use_refuse_end, &function);
	call_with(use_refuse, (uintptr_t)&block, 1, BYTES);
	assert_event(play, 0, (struct pad_event){0, PAD_EVENT_COST_END, 9, 4711, BYTES});
	call_with(use_refuse, 8, 1, BYTES); /* nothing is there any more */
	assert_int_equal(play->faults, 1);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void what_is_freed_outside_of_calls_is_told(void **state)
{
	const struct pad_cost cost = {9, COST_FREE, .blocks = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	allocates(play, take, NULL, &cost);
	call_with(take, 3, 5, 7);
	assert_event(play, 0, (struct pad_event){0, PAD_EVENT_COST, 9, 3, 5});
	pad_play_end(play);
}

static void where_there_is_no_room_for_events_all_ask(void **state)
{
	const struct pad_cost cost = {9, COST_REALLOCATE, .blocks = true};
	struct pad_function function = measured(ONE);

	(void)state;
	function.events = true;
	for (unsigned room = 0; room <= 4; room++) {
		/* of the call, of what it frees, what it has then, and of its end; who nobody
		   answers has not begun */
		static const unsigned wanted[] = {2, 2, 2, 1, 0};
		struct pad_play *play = pad_play_start();

		allocates(play, take, take_end, &cost);
		pad_play_call(play, use, use_end, &function);
		play->block->events = PAD_EVENTS_SIZE - room * sizeof(struct pad_event);
		call(use);
		assert_int_equal(play->questions, wanted[room]);
		assert_int_equal(play->block->events, PAD_EVENTS_SIZE);
		pad_play_end(play);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_counts_in_the_call_that_takes_it),
		cmocka_unit_test(outside_of_calls_nothing_counts),
		cmocka_unit_test(arguments_say_how_much),
		cmocka_unit_test(what_fails_is_nobodys),
		cmocka_unit_test(only_anonymous_mappings_count),
		cmocka_unit_test(of_calls_within_each_other_the_outermost_counts),
		cmocka_unit_test(one_that_goes_on_in_another_ends_there),
		cmocka_unit_test(a_jump_to_what_returns_its_argument_ends_it),
		cmocka_unit_test(a_jump_out_asks_if_it_is_taken),
		cmocka_unit_test(what_callees_take_is_not_a_callers_own),
		cmocka_unit_test(a_call_within_an_allocation_asks),
		cmocka_unit_test(one_that_seems_to_be_gone_asks),
		cmocka_unit_test(for_the_peak_all_is_told_in_its_order),
		cmocka_unit_test(a_block_that_is_put_somewhere_is_found_there),
		cmocka_unit_test(what_is_freed_outside_of_calls_is_told),
		cmocka_unit_test(where_there_is_no_room_for_events_all_ask),
		cmocka_unit_test(what_it_costs_is_taken_from_the_innermost_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
