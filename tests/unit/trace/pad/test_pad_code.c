/* Pads at work, in this process: what they note of calls, and what they ask. */
#include "check.h"
#include "pad_subjects.h"

#include <string.h>
#include <x86intrin.h>

PAD_PLAY_FUNCTION(recursive, "test %rdi, %rdi\n je recursive_end\n dec %rdi\n call recursive");
PAD_PLAY_FUNCTION(outlives, "mov life(%rip), %rax\n movl $0, (%rax)");
PAD_PLAY_FUNCTION(closing, "movq $1, %gs:2112 + 40");     /* closed */
PAD_PLAY_FUNCTION(lowering, "movq $1000, %gs:2112 + 24"); /* limit */
PAD_PLAY_FUNCTION(waiting, SET_FLAGS(4));
PAD_PLAY_FUNCTION(values, SET_FLAGS(2));
PAD_PLAY_FUNCTION(returning, "mov $77, %eax");

static void a_chosen_call_becomes_a_record(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_sums *sums = pad_play_sums(play, ONE);
	const struct pad_frame *sentinel = pad_play_top(play), *record;
	uint64_t began;

	(void)state;
	play->block->last_id = 9;
	dirty(play);
	pad_play_call(play, returning, returning_end, &function);
	draw(play, 12345);
	began = __rdtsc();
	call(returning, 42);

	record = first_record(play);
	assert_non_null(record);
	assert_true(record->ticks <= __rdtsc() - began);
	assert_int_equal(record->previous, PAD_FRAME_SIZE + 3 * 8);
	assert_int_equal(record->previous, play->block->head);
	assert_int_equal(record->cfa, 0);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->flags, PAD_CHOSEN);
	assert_int_equal(record->id, 10);
	assert_int_equal(record->rank, 12345);
	assert_int_equal(record->limit, PAD_RANK_ALL);
	assert_int_equal(record->inner, 0);
	assert_true((int64_t)record->ticks > 0);
	assert_int_equal(record->cost, 0); /* they follow no pointer */
	assert_true(record->start > began);
	assert_int_equal(record->words[0], 0);
	assert_int_equal(record->words[1], 42);
	assert_int_equal(record->words[2], 77);
	assert_int_equal(sums->begun, 1);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->ticks, record->ticks);
	assert_int_equal(sentinel->inner, record->ticks);
	assert_ptr_equal(pad_play_top(play), sentinel);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

static void a_record_knows_how_many_calls_were_before(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t *elsewhere = (uint64_t *)((uint8_t *)play->block + pad_block_elsewhere(ONE));
	uint64_t offset = 0;

	(void)state;
	dirty(play);
	pad_play_call(play, returning, returning_end, &function);
	call(returning, 0);
	*elsewhere = 100;
	pad_play_sums(play, ONE)->limit = 0;
	call(returning, 0);
	pad_play_sums(play, ONE)->limit = PAD_RANK_ALL;
	call(returning, 0);
	assert_int_equal(pad_play_record(play, &offset)->before, 0);
	assert_int_equal(pad_play_record(play, &offset)->before, 102);
	assert_null(pad_play_record(play, &offset));
	pad_play_end(play);
}

static void a_bad_pointer_is_absent(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	const uint32_t at_entry = function.at_entry[1].word, at_return = function.at_return[1].word;
	static const uint64_t number = 4711;
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 16);
	call(leaf, (uintptr_t)&number);
	assert_int_equal(play->faults, 2);
	record = pad_play_record(play, &offset);
	assert_true(record->words[0] >> 11 & 1);
	assert_true(record->words[0] >> 13 & 1);
	assert_int_equal(record->words[at_entry], ABSENT_UNREADABLE);
	assert_int_equal(record->words[at_return], ABSENT_UNREADABLE);
	record = pad_play_record(play, &offset);
	assert_true(record->cost > 0); /* what follows a pointer may take long */
	assert_false(record->words[0] >> 11 & 1);
	assert_false(record->words[0] >> 13 & 1);
	assert_int_equal(record->words[at_entry], number);
	assert_int_equal(record->words[at_return], number);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 2);
	pad_play_end(play);
}

static void strings_are_looked_at_as_far_as_the_tracer_says(void **state)
{
	static const struct plan_step length[] = {{PLAN_REG, 5}, {PLAN_STRLEN, 0}};
	static const struct read_plan length_plan = {length, 2, PLAN_UNSIGNED, 8};
	static char text[PAD_STRINGS_LEAST + 2];
	struct pad_function function = with_features(ONE);
	struct pad_feature feature = {.word = 1};
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record;
	uint64_t offset = 0;
	const char *why;

	(void)state;
	memset(text, 'x', PAD_STRINGS_LEAST + 1);
	assert_true(pad_plan_split(&length_plan, &feature.plan, &why));
	function.at_entry = &feature;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, (uintptr_t)text);
	pad_play_sums(play, ONE)->strings = PAD_STRINGS_LEAST;
	call(leaf, (uintptr_t)text);
	call(leaf, (uintptr_t)(text + 2));
	record = pad_play_record(play, &offset);
	assert_int_equal(record->words[1], PAD_STRINGS_LEAST + 1);
	record = pad_play_record(play, &offset);
	assert_true(record->words[0] & 1);
	assert_int_equal(record->words[1], ABSENT_TOO_LONG);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->words[1], PAD_STRINGS_LEAST - 1);
	pad_play_end(play);
}

static void a_call_knows_its_caller_and_callees(void **state)
{
	const struct pad_function outer = a_function(ONE), inner = with_features(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *first, *second, *last;
	uint64_t offset = 0;

	(void)state;
	pad_play_call(play, caller, caller_end, &outer);
	pad_play_call(play, leaf, leaf_end, &inner);
	call(caller, 7);

	first = pad_play_record(play, &offset);
	second = pad_play_record(play, &offset);
	last = pad_play_record(play, &offset);
	assert_null(pad_play_record(play, &offset));
	assert_int_equal(first->function, TWO);
	assert_int_equal(second->words[1], 7);
	assert_int_equal(last->function, ONE);
	assert_int_equal(first->cfa, last->id);
	assert_int_equal(second->cfa, last->id);
	assert_int_equal(last->inner, first->ticks + second->ticks);
	assert_true(last->ticks > last->inner);
	assert_int_equal(pad_play_sums(play, TWO)->ticks, last->inner);
	assert_int_equal(pad_play_top(play)->ticks, first->cost + second->cost);
	pad_play_end(play);
}

static void recursive_calls_nest(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *record, *before = NULL;
	uint64_t offset = 0, n = 0;

	(void)state;
	pad_play_call(play, recursive, recursive_end, &function);
	call(recursive, 10);
	while ((record = pad_play_record(play, &offset))) {
		assert_int_equal(record->words[1], n++);
		if (before) {
			assert_int_equal(before->cfa, record->id);
			assert_int_equal(record->inner, before->ticks);
		}
		before = record;
	}
	assert_int_equal(n, 11);
	assert_int_equal(before->cfa, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 11);
	pad_play_end(play);
}

static void calls_that_are_not_chosen_are_summed(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	sums->limit = 0;
	draw(play, 0);
	call(leaf, 1);
	sums->limit = 1;
	draw(play, 1);
	call(leaf, 1);
	assert_int_equal(play->block->head, 0);
	assert_int_equal(sums->calls, 2);
	assert_int_equal(sums->begun, 2);
	assert_true((int64_t)sums->ticks > 0);
	assert_int_equal(pad_play_top(play)->inner, sums->ticks);

	draw(play, 0);
	call(leaf, 1);
	assert_int_equal(first_record(play)->rank, 0);
	assert_int_equal(first_record(play)->limit, 1);
	pad_play_end(play);
}

static void ranks_are_the_random_numbers(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t chance = 4711, offset = 0;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->chance = chance;
	for (int i = 0; i < 10; i++) {
		call(leaf, 0);
		chance = chance * PAD_CHANCE_FACTOR + PAD_CHANCE_STEP;
		assert_int_equal(pad_play_record(play, &offset)->rank, chance >> 32);
	}
	pad_play_end(play);
}

static void a_limit_lowered_during_a_call_counts(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, lowering, lowering_end, &function);
	draw(play, 1000);
	call(lowering, 0);
	assert_null(first_record(play));
	pad_play_sums(play, ONE)->limit = PAD_RANK_ALL;
	draw(play, 999);
	call(lowering, 0);
	assert_int_equal(first_record(play)->limit, 1000);
	pad_play_sums(play, ONE)->limit = 1000;
	pad_play_end(play);
}

static void a_spent_budget_halves_the_limit(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	sums->left = 2;
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, 1);
	assert_int_equal(sums->limit, PAD_RANK_ALL);
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, PAD_BUDGET);
	assert_int_equal(sums->limit, PAD_RANK_ALL / 2);
	sums->left = sums->limit = 1;
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->left, PAD_BUDGET);
	assert_int_equal(sums->limit, 1);
	pad_play_end(play);
}

static void a_full_ring_loses_records_and_says_so(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	const uint64_t size = PAD_FRAME_SIZE + 3 * 8;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->tail = 800;
	play->block->head = 800 + PAD_RING_SIZE - size;
	call(leaf, 0);
	assert_int_equal(play->block->head, 800 + PAD_RING_SIZE);
	assert_int_equal(sums->lost, 0);
	play->block->tail = 792 + size;
	draw(play, 5000);
	call(leaf, 0);
	assert_int_equal(play->block->head, 800 + PAD_RING_SIZE);
	assert_int_equal(sums->lost, 1);
	assert_int_equal(sums->limit, 5000);
	draw(play, 0);
	call(leaf, 0);
	assert_int_equal(sums->lost, 2);
	assert_int_equal(sums->limit, 1);
	assert_int_equal(sums->calls, 3);
	pad_play_end(play);
}

static void a_record_may_run_over_the_end_of_the_ring(void **state)
{
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	uint64_t offset = PAD_RING_SIZE - 8;

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	play->block->tail = play->block->head = offset;
	call(leaf, 1);
	assert_int_equal(play->block->head, PAD_RING_SIZE);
	call(leaf, 2);
	assert_int_equal(play->block->head, PAD_RING_SIZE + PAD_FRAME_SIZE + 3 * 8);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 1);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 2);

	offset = play->block->head = play->block->tail = 2 * PAD_RING_SIZE - PAD_FRAME_SIZE - 4 * 8;
	call(leaf, 3);
	assert_int_equal(play->block->head, 2 * PAD_RING_SIZE - 8);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 3);
	offset = play->block->head = play->block->tail = 2 * PAD_RING_SIZE - PAD_FRAME_SIZE - 3 * 8;
	call(leaf, 4);
	assert_int_equal(play->block->head, 2 * PAD_RING_SIZE);
	assert_int_equal(pad_play_record(play, &offset)->words[1], 4);
	pad_play_end(play);
}

static void too_deep_calls_have_no_frames(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	const uint64_t lowest = play->block->address + PAD_FRAMES_OFFSET;
	struct pad_frame *frame = (struct pad_frame *)(lowest + PAD_FRAME_SIZE);

	(void)state;
	frame->cfa = UINT64_MAX;
	play->block->top = (uintptr_t)frame;
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(play->block->deep, 0);

	frame = (struct pad_frame *)(lowest + PAD_FRAME_SIZE - 8);
	*frame = (struct pad_frame){.cfa = UINT64_MAX};
	play->block->top = (uintptr_t)frame;
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->begun, 1);
	assert_int_equal(play->block->deep, 1);
	assert_ptr_equal(pad_play_top(play), frame);
	assert_int_equal(play->questions, 0);

	/* On another stack it may have begun in another thread, while the function is open. */
	play->block->stack_size = 0;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	sums->closed = 1;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	sums->closed = 0;
	play->questions = 0;
	play->block->deep = 1;
	play->block->stack_size = UINT64_MAX;

	play->block->patient = 1;
	call(leaf, 0);
	assert_int_equal(play->questions, 1);
	assert_int_equal(play->block->deep, 1);
	pad_play_end(play);
}

static void nothing_is_noted_once_the_tracer_is_gone(void **state)
{
	const struct pad_function function = with_features(ONE), other = a_function(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	pad_play_call(play, outlives, outlives_end, &other);
	/* It dies during a call. */
	life = play->life;
	call(outlives, 0);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 1);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 0);
	for (int chosen = 0; chosen < 2; chosen++) {
		sums->limit = chosen ? PAD_RANK_ALL : 0;
		call(leaf, 0);
	}
	assert_int_equal(sums->begun, 0);
	assert_int_equal(sums->calls, 0);
	assert_int_equal(play->block->head, 0);
	assert_ptr_not_equal(pad_play_top(play), sentinel);

	*play->life = PAD_PLAY_ALIVE;
	play->block->top = (uintptr_t)sentinel;
	call(leaf, 0);
	assert_int_equal(sums->calls, 1);
	assert_non_null(first_record(play));
	pad_play_end(play);
}

static void closed_functions_begin_no_calls(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);

	(void)state;
	pad_play_call(play, closing, closing_end, &function);
	call(closing, 0);
	assert_int_equal(sums->calls, 1);
	assert_non_null(first_record(play));
	call(closing, 0);
	assert_int_equal(sums->calls, 1);
	assert_int_equal(sums->begun, 1);
	pad_play_end(play);
}

static void frames_further_in_are_asked_about(void **state)
{
	const struct pad_function function = a_function(ONE);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *fake;

	(void)state;
	push_frame(play, ONE, 1, PAD_WAITING);
	fake = pad_play_top(play);
	pad_play_call(play, leaf, leaf_end, &function);
	call(leaf, 0);
	assert_int_equal(play->questions, 2);
	assert_ptr_equal(pad_play_top(play), fake);
	assert_int_equal(pad_play_sums(play, ONE)->begun, 0);
	pad_play_end(play);
}

static void a_call_that_began_before_is_passed_over(void **state)
{
	const struct pad_function function = a_function(ONE);
	const struct pad_probe leave = {.kind = PAD_RETURN, .insn = 1, .function = &function};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf_end, &leave, 1);
	call(leaf, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	pad_play_end(play);
}

static void end_flagged(void (*function)(void), void (*end)(void), bool features, bool asked)
{
	const struct pad_function padded = features ? with_features(ONE) : a_function(ONE);
	struct pad_play *play = pad_play_start();

	for (int chosen = 0; chosen < 2; chosen++) {
		pad_play_sums(play, ONE)->limit = chosen ? PAD_RANK_ALL : 0;
		if (chosen == 0)
			pad_play_call(play, function, end, &padded);
		play->questions = 0;
		call(function, 0);
		assert_int_equal(play->questions, asked || !chosen);
		assert_int_equal(pad_play_sums(play, ONE)->calls, !asked && chosen);
		if (asked || !chosen)
			play->block->top = pad_play_top(play)->previous;
	}
	pad_play_end(play);
}

static void frames_with_more_to_them_are_asked_about(void **state)
{
	(void)state;
	end_flagged(waiting, waiting_end, false, true);
	end_flagged(adopted, adopted_end, false, true);
	end_flagged(values, values_end, true, false);
	end_flagged(values, values_end, false, false);
}

static void what_may_leave_calls_asks_only_while_some_are_open(void **state)
{
	const struct pad_function function = a_function(ONE);
	const struct pad_probe probe = {.kind = PAD_ASK_IF_OPEN, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &probe, 1);
	pad_play_call(play, caller, caller_end, &function);
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 0);
	call(caller, 0);
	assert_int_equal(play->questions, 2);
	*play->life = 0;
	call(caller, 0);
	assert_int_equal(play->questions, 2);
	/* On another stack others' calls may be. */
	*play->life = PAD_PLAY_ALIVE;
	play->block->stack_size = 0;
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 66);
	pad_play_end(play);
}

static void what_cannot_be_written_is_refused(void **state)
{
	static const struct plan_step loading[] = {{PLAN_REG, 7}, {PLAN_LOAD, 8}};
	static const struct read_plan plan = {loading, 2, PLAN_UNSIGNED, 8};
	const struct insn nop = {.bytes = {0x90}, .size = 1, .kind = INSN_NOP};
	struct pad_function function = a_function(ONE);
	struct pad_probe probe = {.kind = PAD_BRANCH, .function = &function};
	struct pad_request request = {
		.run = &nop, .n_run = 1, .next = 1, .probes = &probe, .n_probes = 1};
	struct pad_code code;
	struct err err;

	(void)state;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "a branch is another instruction");
	probe.kind = PAD_ENTRY;
	assert_true(pad_code_make(&request, &code, &err));
	pad_code_deinit(&code);
	function.n_words = PAD_RECORD_MAX / 8;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "its features need too much room");
	function.n_words = 0;
	function.cfa.plan = &plan;
	assert_false(pad_code_make(&request, &code, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	function.cfa.plan = &cfa;
	request.next = UINT64_C(1) << 32;
	assert_false(pad_code_make(&request, &code, &err));
	assert_string_equal(err.text, "the run is out of reach");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chosen_call_becomes_a_record),
		cmocka_unit_test(a_record_knows_how_many_calls_were_before),
		cmocka_unit_test(a_bad_pointer_is_absent),
		cmocka_unit_test(strings_are_looked_at_as_far_as_the_tracer_says),
		cmocka_unit_test(a_call_knows_its_caller_and_callees),
		cmocka_unit_test(recursive_calls_nest),
		cmocka_unit_test(calls_that_are_not_chosen_are_summed),
		cmocka_unit_test(ranks_are_the_random_numbers),
		cmocka_unit_test(a_limit_lowered_during_a_call_counts),
		cmocka_unit_test(a_spent_budget_halves_the_limit),
		cmocka_unit_test(a_full_ring_loses_records_and_says_so),
		cmocka_unit_test(a_record_may_run_over_the_end_of_the_ring),
		cmocka_unit_test(too_deep_calls_have_no_frames),
		cmocka_unit_test(nothing_is_noted_once_the_tracer_is_gone),
		cmocka_unit_test(closed_functions_begin_no_calls),
		cmocka_unit_test(what_may_leave_calls_asks_only_while_some_are_open),
		cmocka_unit_test(frames_further_in_are_asked_about),
		cmocka_unit_test(a_call_that_began_before_is_passed_over),
		cmocka_unit_test(frames_with_more_to_them_are_asked_about),
		cmocka_unit_test(what_cannot_be_written_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
