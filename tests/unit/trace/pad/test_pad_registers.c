/* Pads at work, in this process: nothing of the program changes, and a stop may come at any time. */
#include "check.h"
#include "pad_subjects.h"

#include <asm/prctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void registers_and_live_flags_are_kept(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();
	struct pad_sums *sums = pad_play_sums(play, ONE);
	struct pad_frame *sentinel = pad_play_top(play);

	(void)state;
	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	sums->left = 32;
	expect_nothing_changed(leaf); /* chosen, with a halving */
	assert_true(sums->limit < PAD_RANK_ALL);
	assert_int_equal(sums->calls, 64);
	sums->limit = PAD_RANK_ALL;
	play->block->tail = play->block->head - PAD_RING_SIZE;
	expect_nothing_changed(leaf); /* lost */
	assert_true(sums->lost > 0);
	sums->limit = 0;
	expect_nothing_changed(leaf); /* not chosen */
	assert_int_equal(sums->calls, 3 * 64);
	sums->closed = 1;
	expect_nothing_changed(leaf);
	assert_int_equal(sums->closed, 1 + 64);
	sums->closed = 0;
	*play->life = 0;
	expect_nothing_changed(leaf); /* nobody there */
	assert_int_equal(sums->calls, 3 * 64);
	*play->life = PAD_PLAY_ALIVE;
	sentinel->cfa = 1;
	expect_nothing_changed(leaf); /* questions */
	assert_int_equal(play->questions, 2 * 64);
	sentinel->cfa = UINT64_MAX;
	play->block->top = play->block->address + PAD_FRAMES_OFFSET;
	*pad_play_top(play) = (struct pad_frame){.cfa = UINT64_MAX};
	expect_nothing_changed(leaf); /* too deep */
	assert_int_equal(play->block->deep, 64);
	pad_play_end(play);
}

/* Whether the flags are alive or not; at a conditional jump they are. */
static void replace_all(struct pad_play *play, const struct pad_function *function, bool flags_live)
{
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = function, .flags_live = flags_live};
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = function, .flags_live = flags_live};
	const struct pad_probe branch = {
		.kind = PAD_BRANCH, .function = function, .flags_live = true};
	const struct pad_probe tail = {.kind = PAD_TAIL, .function = function, .flags_live = true};

	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	pad_play_replace(play, branchy, &entry, 1);
	pad_play_replace(play, branchy_jump, &branch, 1);
	pad_play_replace(play, tail_jump_if, &tail, 1);
}

static void run_all(bool flags_live)
{
	void (*const all[])(void) = {leaf, branchy, tail_if};

	for (int i = 0; i < 3; i++)
		if (flags_live)
			expect_nothing_changed(all[i]);
		else
			call(all[i], 0);
}

static void expect_no_trace(struct pad_play *play, bool flags_live, void *block)
{
	memcpy(block, play->block, PAD_BLOCK_SIZE);
	run_all(flags_live);
	assert_memory_equal(block, play->block, PAD_BLOCK_SIZE);
}

/*
 * Another thread may have the same block then, or the program memory of its own there, of which the
 * tracer learns by a fault.
 */
static void blocks_are_not_touched_without_a_tracer_or_by_others(void **state)
{
	const struct pad_function function = with_branch(ONE);
	void *block = malloc(PAD_BLOCK_SIZE);

	(void)state;
	for (int flags_live = 0; flags_live < 2; flags_live++) {
		struct pad_play *play = pad_play_start();

		replace_all(play, &function, flags_live);
		*play->life = PAD_PLAY_ALIVE | 0x40000000;
		expect_no_trace(play, flags_live, block);
		*play->life = PAD_PLAY_ALIVE;
		play->block->magic++;
		assert_int_equal(play->faults, 0);
		expect_no_trace(play, flags_live, block);
		assert_true(play->faults >= 4);
		play->faults = 0;
		syscall(SYS_arch_prctl, 0x1001, 0x1000);
		run_all(flags_live);
		assert_true(play->faults >= 4);
		*play->life = 0;
		play->faults = 0;
		run_all(flags_live);
		assert_int_equal(play->faults, 0);
		syscall(SYS_arch_prctl, 0x1001, play->block);
		play->block->magic--;
		*play->life = PAD_PLAY_ALIVE;
		run_all(flags_live);
		assert_true(pad_play_sums(play, ONE)->begun >= 2);
		pad_play_end(play);
	}
	free(block);
}

static void a_window_may_begin_again(void **state)
{
	enum { TRAP_FLAG = 0x100, IN_A_WINDOW = 3 /* instructions, behind its first */ };
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};

	(void)state;
	for (int chosen = 0; chosen < 2; chosen++) {
		struct pad_play *play = pad_play_start();
		struct pad_play_state before = random_state(1, TRAP_FLAG | FLAGS), after;

		before.registers[5] = (uintptr_t)&before; /* rdi, a pointer */
		after = before;
		pad_play_sums(play, ONE)->limit = chosen ? PAD_RANK_ALL : 0;
		pad_play_replace(play, leaf, &entry, 1);
		pad_play_replace(play, leaf_end, &leave, 1);
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		assert_int_equal(play->restarts, (chosen ? 3 : 2) * IN_A_WINDOW);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_int_equal(after.flags & FLAGS, FLAGS);
		assert_int_equal(pad_play_sums(play, ONE)->calls, 1);
		assert_true((int64_t)pad_play_sums(play, ONE)->ticks > 0);
		pad_play_end(play);
	}
}

/* Features at both ends, one of which cannot be read, and the record. */
static void a_stretch_ends_where_it_says(void **state)
{
	enum { TRAP_FLAG = 0x100, ALL = 3 };
	const struct pad_function function = with_long_plans(ONE);
	const struct pad_probe leave = {
		.kind = PAD_RETURN, .insn = 1, .function = &function, .flags_live = true};
	const struct pad_probe entry = {
		.kind = PAD_ENTRY, .function = &function, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &entry, 1);
	pad_play_replace(play, leaf_end, &leave, 1);
	for (int stops = 0; stops < 2; stops++) {
		struct pad_play_state before = random_state(1, TRAP_FLAG | FLAGS), after = before;

		if (stops)
			pad_play_stop_at_stretches(play);
		before.registers[5] = after.registers[5] = 8; /* rdi, no pointer */
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		assert_int_equal(play->stretches, (stops + 1) * ALL);
		assert_int_equal(play->questions, stops * ALL);
		assert_true(!stops || play->last_question == PAD_NOTHING);
		assert_int_equal(play->faults, (stops + 1) * 2);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_int_equal(pad_play_sums(play, ONE)->calls, stops + 1);
	}
	pad_play_end(play);
}

static void without_live_flags_registers_are_kept(void **state)
{
	const struct pad_function function = with_long_plans(ONE);
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_call(play, leaf, leaf_end, &function);
	for (unsigned i = 0; i < 20; i++) {
		struct pad_play_state before = random_state(i, 0), after = before;

		pad_play_sums(play, ONE)->limit = i % 2 ? PAD_RANK_ALL : 0;
		pad_play_run(&after, (const void *)(uintptr_t)leaf);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
	}
	pad_play_end(play);
}

/* @frame_register + @offset is the CFA in leaf, as it is called by pad_play_run(). */
static void any_register_may_hold_the_frame(void **state)
{
	(void)state;
	for (int reg = 0; reg < 16; reg++) {
		const struct plan_step steps[] = {
			{PLAN_REG, reg}, {PLAN_ADD, 1000}, {PLAN_ADD, -8}};
		const struct read_plan plan = {steps, 3, PLAN_UNSIGNED, 8};
		struct pad_function function = a_function(ONE);
		const struct pad_probe entry = {.kind = PAD_ENTRY, .function = &function};
		struct pad_play *play;
		struct pad_play_state given = random_state(1, 0);

		if (reg == 7)
			continue;
		function.cfa.plan = &plan;
		play = pad_play_start();
		pad_play_replace(play, leaf, &entry, 1);
		pad_play_run(&given, (const void *)(uintptr_t)leaf);
		assert_int_equal(pad_play_top(play)->cfa, given.registers[reg] + 992);
		pad_play_end(play);
	}
}

static void an_unconditional_question_changes_nothing(void **state)
{
	const struct pad_probe probe = {.kind = PAD_ASK, .flags_live = true};
	struct pad_play *play = pad_play_start();

	(void)state;
	pad_play_replace(play, leaf, &probe, 1);
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 64);
	*play->life = 0;
	expect_nothing_changed(leaf);
	assert_int_equal(play->questions, 64);
	*play->life = PAD_PLAY_ALIVE;
	pad_play_end(play);
}

/* Another's block cannot even be read, nor can the tracer's word be written. */
static void a_thread_s_pads_write_its_own_block_alone(void **state)
{
	enum { PAGE = 4096, ANY = PROT_READ | PROT_WRITE };
	const struct pad_function function = with_features(ONE);
	struct pad_play *play = pad_play_start();
	struct pad_block *other =
		mmap(NULL, PAD_BLOCK_SIZE, ANY, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t move = (uint64_t)other - (uint64_t)play->block;

	(void)state;
	assert_ptr_not_equal(other, MAP_FAILED);
	memcpy(other, play->block, PAD_BLOCK_SIZE);
	other->address += move;
	other->top += move;
	pad_play_call(play, leaf, leaf_end, &function);
	assert_int_equal(mprotect(play->block, PAD_BLOCK_SIZE, PROT_NONE), 0);
	assert_int_equal(mprotect(play->life, PAGE, PROT_READ), 0);
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, other), 0);
	leaf();
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, play->block), 0);
	assert_int_equal(mprotect(play->block, PAD_BLOCK_SIZE, ANY), 0);
	assert_int_equal(mprotect(play->life, PAGE, ANY), 0);
	assert_int_equal(play->faults, 0);
	assert_int_equal(play->block->head, 0);
	assert_int_equal(pad_play_sums(play, ONE)->begun, 0);
	assert_int_not_equal(other->head, 0);
	munmap(other, PAD_BLOCK_SIZE);
	pad_play_end(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unconditional_question_changes_nothing),
		cmocka_unit_test(registers_and_live_flags_are_kept),
		cmocka_unit_test(blocks_are_not_touched_without_a_tracer_or_by_others),
		cmocka_unit_test(a_thread_s_pads_write_its_own_block_alone),
		cmocka_unit_test(a_window_may_begin_again),
		cmocka_unit_test(a_stretch_ends_where_it_says),
		cmocka_unit_test(without_live_flags_registers_are_kept),
		cmocka_unit_test(any_register_may_hold_the_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
