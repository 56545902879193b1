/* Pads at work, in this process: jumps in runs, loops, tail calls and branches. */
#include "check.h"
#include "pad_subjects.h"

#include "core/catalogue/rare.h"

PAD_PLAY_FUNCTION(tail_call, "tail_jump:\n .byte 0xe9\n .long leaf - . - 4");
PAD_PLAY_FUNCTION(tail_tail_call, "tail_tail_jump:\n .byte 0xe9\n .long tail_call - . - 4");
PAD_PLAY_FUNCTION(lands, "call tail_call\n landing:\n .byte 0x0f, 0x1f, 0x44, 0, 0");
PAD_PLAY_FUNCTION(switching, "mov $4, %ecx\n lea switching(%rip), %rdx\n switch_load:\n"
			     "movslq (%rdx,%rcx,4), %rax\n nop\n mov $8, %eax\n"
			     "switch_scaled:\n mov (%rdx,%rax), %eax\n nop\n nop");
PAD_PLAY_FUNCTION(turning, "mov $5, %ecx\n turning_head:\n .byte 0x0f, 0x1f, 0x44, 0, 0\n"
			   "dec %ecx\n jnz turning_head");
PAD_PLAY_FUNCTION(round_about, "xor %eax, %eax\n mov $5, %ecx\n test %edi, %edi\n je 2f\n"
			       "1: add %ecx, %eax\n dec %ecx\n jnz 1b\n 2:");
PAD_PLAY_FUNCTION(looping, "looping_jump:\n loop 1f\n .byte 0x0f, 0x1f, 0\n 1:");
void turning_head(void);
void looping_jump(void);
void landing(void);
void tail_jump(void);
void tail_tail_jump(void);
void switch_load(void);
void switch_scaled(void);

/* An entry in a loop, beside the function's own. */
static void turn(bool probe_in_loop, unsigned head_number, unsigned calls, unsigned questions)
{
	struct pad_function function = a_function(ONE), head = a_function(head_number);
	const struct pad_probe probe = {.kind = PAD_ENTRY, .function = &head};
	struct pad_play *play = pad_play_start();

	head.probe_in_loop = probe_in_loop;
	pad_play_call(play, turning, turning_end, &function);
	pad_play_replace(play, turning_head, &probe, 1);
	call(turning, 0);
	assert_int_equal(play->questions, questions);
	assert_int_equal(pad_play_sums(play, ONE)->calls, calls);
	assert_int_equal(pad_play_sums(play, ONE)->begun, calls);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 0);
	pad_play_end(play);
}

/* Jumps stay in the pad, as nothing but traps is left where they would lead else. */
static void a_run_with_jumps_runs_in_its_pad(void **state)
{
	static const uint64_t expected[] = {0, 15};
	const struct pad_function function = a_function(ONE);
	const struct pad_probe probes[] = {{.kind = PAD_ENTRY, .function = &function},
					   {.kind = PAD_RETURN, .insn = 9, .function = &function}};

	(void)state;
	for (uint64_t n = 0; n < 2; n++) {
		struct pad_play *play = pad_play_start();
		struct pad_play_state registers = {.registers = {[5] = n}};

		pad_play_replace_all(play, round_about, round_about_end, probes, 2);
		pad_play_run(&registers, (const void *)(uintptr_t)round_about);
		assert_int_equal(registers.registers[0], expected[n]);
		assert_int_equal(pad_play_sums(play, ONE)->calls, 1);
		assert_int_equal(play->questions, 0);
		pad_play_end(play);
	}
}

static void turns_of_a_loop_are_no_calls(void **state)
{
	(void)state;
	turn(true, ONE, 1, 0);
	turn(false, ONE, 1, 5);
	turn(true, TWO, 1, 5);
}

/* One at the entry and one at the return of the function that was jumped to. */
static void an_unexpected_tail_call_is_asked_about(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, tail_call, tail_call_end, &first);
	pad_play_call(play, leaf, leaf_end, &second);
	call(tail_call, 0);
	assert_int_equal(play->questions, 2);
	assert_int_equal(pad_play_sums(play, TWO)->begun, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	assert_int_equal(pad_play_top(play)->function, ONE);
	pad_play_end(play);
}

static void replace_tail(struct pad_play *play, void (*jump)(void),
			 const struct pad_function *function)
{
	const struct pad_probe probe = {.kind = PAD_TAIL, .function = function, .flags_live = true};

	pad_play_replace(play, jump, &probe, 1);
	pad_play_sums(play, function->number)->end =
		pad_play_alone(play, &(struct pad_probe){.kind = PAD_END, .function = function});
}

static void replace_live(struct pad_play *play, void (*function)(void), void (*end)(void),
			 const struct pad_function *padded)
{
	const struct pad_probe entry = {.kind = PAD_ENTRY, .function = padded, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = padded, .flags_live = true};

	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
}

static void a_tail_call_ends_when_its_callee_does(void **state)
{
	const struct pad_function first = with_features(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play), *callee, *record;
	uint64_t offset = 0;

	(void)state;
	dirty(play);
	replace_live(play, tail_call, tail_call_end, &first);
	replace_live(play, leaf, leaf_end, &second);
	replace_tail(play, tail_jump, &first);
	expect_nothing_changed(tail_call);
	play->block->tail = play->block->head;
	offset = play->block->head;
	call(tail_call, 5);
	callee = pad_play_record(play, &offset);
	record = pad_play_record(play, &offset);
	assert_int_equal(callee->function, TWO);
	assert_int_equal(callee->cfa, record->id);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->cfa, 0);
	assert_int_equal(record->inner, callee->ticks);
	assert_true(record->ticks > callee->ticks);
	assert_int_equal(record->words[1], 5);
	assert_false(record->words[0]);
	assert_int_equal(pad_play_sums(play, ONE)->calls, pad_play_sums(play, ONE)->begun);
	assert_int_equal(pad_play_sums(play, TWO)->calls, pad_play_sums(play, ONE)->begun);
	assert_ptr_equal(pad_play_top(play), sentinel);
	assert_int_equal(play->questions, 0);
	pad_play_end(play);
}

/* Its callee has no pads. Where no landing is, it asks. */
static void a_tail_call_ends_where_its_caller_goes_on(void **state)
{
	const struct pad_function first = with_features(ONE);
	const struct pad_probe tail = {
		.kind = PAD_TAIL, .function = &first, .flags_live = true, .lands = true};
	const struct pad_probe land = {.kind = PAD_LANDING, .function = &first, .flags_live = true};
	const struct pad_probe end = {.kind = PAD_END, .function = &first};
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play), *record;
	uint64_t offset;

	(void)state;
	dirty(play);
	replace_live(play, tail_call, tail_call_end, &first);
	pad_play_replace(play, tail_jump, &tail, 1);
	pad_play_sums(play, ONE)->end = pad_play_alone(play, &end);
	pad_play_replace(play, landing, &land, 1);
	expect_nothing_changed(lands);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, pad_play_sums(play, ONE)->begun);
	assert_ptr_equal(pad_play_top(play), sentinel);
	play->block->tail = offset = play->block->head;
	call(lands, 5);
	record = pad_play_record(play, &offset);
	assert_int_equal(record->function, ONE);
	assert_int_equal(record->words[1], 5);
	call(tail_call, 5);
	assert_int_equal(play->questions, 1);
	assert_int_equal(pad_play_top(play)->flags & PAD_WAITING, 0);
	pad_play_end(play);
}

static void tail_calls_after_each_other_end_together(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO),
				  third = a_function(3);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	pad_play_sums(play, 3)->limit = PAD_RANK_ALL;
	pad_play_sums(play, 3)->left = PAD_BUDGET;
	pad_play_sums(play, ONE)->limit = 0;
	pad_play_call(play, tail_tail_call, tail_tail_call_end, &first);
	pad_play_call(play, tail_call, tail_call_end, &second);
	pad_play_call(play, leaf, leaf_end, &third);
	replace_tail(play, tail_tail_jump, &first);
	replace_tail(play, tail_jump, &second);
	call(tail_tail_call, 0);
	pad_play_sums(play, TWO)->closed = 1;
	call(tail_tail_call, 0);
	pad_play_sums(play, 3)->closed = 1;
	call(tail_tail_call, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 3);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	assert_int_equal(pad_play_sums(play, 3)->calls, 2);
	assert_ptr_equal(pad_play_top(play), sentinel);
	pad_play_end(play);
}

static void callers_of_tail_calls_are_charged_what_all_of_them_cost(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO),
				  third = a_function(3);
	struct pad_play *play = pad_play_start();
	const struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	play->costs = (struct pad_costs){.pair = 3, .call = 50};
	pad_play_call(play, tail_tail_call, tail_tail_call_end, &first);
	pad_play_call(play, tail_call, tail_call_end, &second);
	pad_play_call(play, leaf, leaf_end, &third);
	replace_tail(play, tail_tail_jump, &first);
	replace_tail(play, tail_jump, &second);
	for (unsigned i = ONE; i <= 3; i++)
		pad_play_sums(play, i)->limit = 0;
	call(tail_tail_call, 0);
	assert_int_equal(sentinel->ticks, 3 * (3 + 50));
	pad_play_end(play);
}

/* Without what ends it, too. */
static void a_tail_call_whose_end_was_missed_is_asked_about(void **state)
{
	const struct pad_function first = a_function(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, tail_call, tail_call_end, &first);
	replace_tail(play, tail_jump, &first);
	call(tail_call, 0);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_top(play)->flags, PAD_CHOSEN | PAD_WAITING);
	call(tail_call, 0);
	assert_int_equal(play->questions, 1);
	pad_play_sums(play, ONE)->end = 0;
	pad_play_call(play, leaf, leaf_end, &second);
	call(leaf, 0);
	assert_int_equal(play->questions, 2);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 0);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	pad_play_top(play)->return_address++;
	call(leaf, 0);
	assert_int_equal(play->questions, 4);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 1);
	pad_play_end(play);
}

/* Of the 64 calls half have the condition. */
static void only_a_jump_that_is_taken_leaves(void **state)
{
	const struct pad_function first = with_features(ONE), second = a_function(TWO);
	struct pad_play *play = pad_play_start();

	(void)state;
	replace_live(play, tail_if, tail_if_end, &first);
	replace_live(play, leaf, leaf_end, &second);
	replace_tail(play, tail_jump_if, &first);
	expect_nothing_changed(tail_if);
	assert_int_equal(play->questions, 0);
	assert_int_equal(pad_play_sums(play, ONE)->calls, 64);
	assert_int_equal(pad_play_sums(play, TWO)->calls, 32);
	pad_play_end(play);
}

static unsigned noted(const struct pad_play *play)
{
	const struct pad_frame *record = first_record(play);

	assert_non_null(record);
	return *(const uint8_t *)record->words;
}

/* What a chosen call notes of its branch, given flags and rcx. */
static unsigned branch_of(void (*function)(void), void (*end)(void), void (*jump)(void),
			  struct pad_play_state given)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true};
	const struct pad_probe entry = {.kind = PAD_ENTRY, .function = &padded, .flags_live = true};
	struct pad_play_state without = given;
	struct pad_play *play = pad_play_start();
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &padded, .flags_live = true};
	unsigned result;

	pad_play_run(&without, (const void *)(uintptr_t)function);
	dirty(play);
	pad_play_replace(play, function, &entry, 1);
	pad_play_replace(play, end, &leave, 1);
	pad_play_replace(play, jump, &probe, 1);
	pad_play_run(&given, (const void *)(uintptr_t)function);
	assert_memory_equal(&without.registers, &given.registers, sizeof(given.registers));
	assert_int_equal(without.flags & FLAGS, given.flags & FLAGS);
	assert_int_equal(play->questions, 0);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void branches_are_noted(void **state)
{
	(void)state;
	assert_int_equal(branch_of(branchy, branchy_end, branchy_jump, random_state(1, 0x40)), 2);
	assert_int_equal(branch_of(branchy, branchy_end, branchy_jump, random_state(1, 0x895)), 1);
	for (uint64_t turns = 1; turns < 4; turns++) {
		struct pad_play_state given = random_state(turns, 1);

		given.registers[4] = turns;
		assert_int_equal(branch_of(twice, twice_end, twice_jump, given),
				 turns == 1 ? 2 : 3);
	}
	for (uint64_t count = 0; count < 3; count++) {
		struct pad_play_state given = random_state(count, count ? FLAGS : 0);

		given.registers[2] = count;
		assert_int_equal(branch_of(looping, looping_end, looping_jump, given),
				 count == 1 ? 1 : 2);
	}
}

/* What a call of this rank notes of a branch that has not mattered, and that it takes. */
static unsigned rare_branch_of(uint32_t rank)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probes[] = {
		{.kind = PAD_ENTRY, .function = &padded, .flags_live = true},
		{.kind = PAD_RETURN, .insn = 1, .function = &padded, .flags_live = true},
		{.kind = PAD_BRANCH, .function = &padded, .flags_live = true, .is_rare = true}};
	struct pad_play_state given = random_state(1, 0x40), without = given;
	struct pad_play *play = pad_play_start();
	unsigned result;

	pad_play_run(&without, (const void *)(uintptr_t)branchy);
	pad_play_replace(play, branchy, &probes[0], 1);
	pad_play_replace(play, branchy_end, &probes[1], 1);
	pad_play_replace(play, branchy_jump, &probes[2], 1);
	draw(play, rank);
	pad_play_run(&given, (const void *)(uintptr_t)branchy);
	assert_memory_equal(&without.registers, &given.registers, sizeof(given.registers));
	assert_int_equal(without.flags & FLAGS, given.flags & FLAGS);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void a_branch_that_has_not_mattered_is_noted_in_a_tenth(void **state)
{
	(void)state;
	assert_int_equal(rare_branch_of(7 * RARE_OF + RARE_TENTH - 1), 2);
	assert_int_equal(rare_branch_of(7 * RARE_OF + RARE_TENTH), 0);
}

/* What a chosen call notes at @load, where register @reg is @bias less than the entry, scaled. */
static unsigned entry_of(void (*load)(void), int8_t reg, uint8_t scale, int32_t bias)
{
	const struct pad_function padded = with_branch(ONE);
	const struct table_index index = {.reg = reg, .scale = scale, .bias = bias};
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true, .index = &index};
	struct pad_play *play = pad_play_start();
	unsigned result;

	dirty(play);
	replace_live(play, switching, switching_end, &padded);
	pad_play_replace(play, load, &probe, 1);
	call(switching, 0);
	assert_int_equal(play->questions, 0);
	result = noted(play);
	pad_play_end(play);
	return result;
}

static void entries_of_tables_are_noted(void **state)
{
	(void)state;
	assert_int_equal(entry_of(switch_load, 2, 1, 0), 4 + 4);
	assert_int_equal(entry_of(switch_load, 2, 1, -3), 4 + 1);
	assert_int_equal(entry_of(switch_load, 2, 1, -4), 4 + 0);
	assert_int_equal(entry_of(switch_load, 2, 1, -5), 255);
	assert_int_equal(entry_of(switch_load, 2, 1, 246), 254);
	assert_int_equal(entry_of(switch_load, 2, 1, 247), 255);
	assert_int_equal(entry_of(switch_scaled, 0, 4, 0), 4 + 2);
}

/* A branch alone, with a frame of @function on top. */
static unsigned branch_in_frame(unsigned function, uint64_t frame_cfa, uint32_t flags,
				unsigned questions)
{
	const struct pad_function padded = with_branch(ONE);
	const struct pad_probe probe = {
		.kind = PAD_BRANCH, .function = &padded, .flags_live = true};
	struct pad_play *play = pad_play_start();
	unsigned result;

	play->block->top -= 8; /* room for the branch */
	*pad_play_top(play) = (struct pad_frame){.cfa = UINT64_MAX};
	push_frame(play, function, frame_cfa, flags);
	pad_play_top(play)->words[0] = 0;
	pad_play_replace(play, branchy_jump, &probe, 1);
	expect_nothing_changed(branchy);
	assert_int_equal(play->questions, questions);
	result = *(uint8_t *)pad_play_top(play)->words;
	pad_play_end(play);
	return result;
}

static void branches_of_others_are_not_noted(void **state)
{
	(void)state;
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_CHOSEN, 0), 3);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_CHOSEN | PAD_VALUES, 0), 3);
	assert_int_equal(branch_in_frame(TWO, UINT64_MAX, PAD_CHOSEN, 0), 0);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, 0, 0), 0);
	assert_int_equal(branch_in_frame(ONE, UINT64_MAX, PAD_WAITING, 0), 0);
	assert_int_equal(branch_in_frame(ONE, 1, PAD_CHOSEN, 64), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_with_jumps_runs_in_its_pad),
		cmocka_unit_test(turns_of_a_loop_are_no_calls),
		cmocka_unit_test(a_tail_call_ends_when_its_callee_does),
		cmocka_unit_test(a_tail_call_ends_where_its_caller_goes_on),
		cmocka_unit_test(tail_calls_after_each_other_end_together),
		cmocka_unit_test(callers_of_tail_calls_are_charged_what_all_of_them_cost),
		cmocka_unit_test(a_tail_call_whose_end_was_missed_is_asked_about),
		cmocka_unit_test(only_a_jump_that_is_taken_leaves),
		cmocka_unit_test(an_unexpected_tail_call_is_asked_about),
		cmocka_unit_test(branches_are_noted),
		cmocka_unit_test(a_branch_that_has_not_mattered_is_noted_in_a_tenth),
		cmocka_unit_test(entries_of_tables_are_noted),
		cmocka_unit_test(branches_of_others_are_not_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
