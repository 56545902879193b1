/* Functions with pads for tests of their code, and how they are called. */
#ifndef FATHOM_TESTS_PAD_SUBJECTS_H
#define FATHOM_TESTS_PAD_SUBJECTS_H

#include "check.h"

#include <string.h>

#include "pad_play.h"

enum { ONE = 1, TWO = 2, FLAGS = 0x8d5 /* all that arithmetic sets */ };

/* Bodies find the block by gs, as pads do. */
_Static_assert(offsetof(struct pad_block, top) == 16, "TOP");
_Static_assert(offsetof(struct pad_block, mem) == 80, "ALLOCATE");
_Static_assert(offsetof(struct pad_block, aside) + 8 * PAD_PFAULTS == 320, "adding");
_Static_assert(PAD_SUMS_OFFSET + sizeof(struct pad_sums) == 2112, "sums of function 1");
_Static_assert(offsetof(struct pad_frame, flags) == 28, "SET_FLAGS");
#define SET_FLAGS(flags) "mov %gs:16, %rax\n orl $" #flags ", 28(%rax)\n"

PAD_PLAY_FUNCTION(leaf, "");
PAD_PLAY_FUNCTION(caller, "call leaf\n call leaf");
int32_t *life; /* of the tracer */
PAD_PLAY_FUNCTION(adopted, SET_FLAGS(8));
PAD_PLAY_FUNCTION(adding, "addq $70, %gs:320"); /* aside */
PAD_PLAY_FUNCTION(tail_if, "tail_jump_if:\n .byte 0x0f, 0x84\n .long leaf - . - 4");
PAD_PLAY_FUNCTION(branchy, "branchy_jump:\n je 1f\n .byte 0x0f, 0x1f, 0x40, 0\n 1:");
PAD_PLAY_FUNCTION(twice, "twice_head:\n twice_jump:\n jb 1f\n .byte 0x0f, 0x1f, 0x40, 0\n 1:\n"
			 "mov $0, %eax\n xchg %rax, %rcx\n jrcxz 2f\n"
			 "2: xchg %rax, %rcx\n lea -1(%rsi), %rsi\n xchg %rsi, %rcx\n"
			 "jrcxz 3f\n xchg %rsi, %rcx\n jmp twice_head\n 3: xchg %rsi, %rcx");
void branchy_jump(void);
void twice_jump(void);
void tail_jump_if(void);

static const struct plan_step cfa_steps[] = {{PLAN_REG, 7}, {PLAN_ADD, 8}};
static const struct read_plan cfa = {cfa_steps, 2, PLAN_UNSIGNED, 8};

static inline struct pad_function a_function(unsigned number)
{
	return (struct pad_function){.number = number,
				     .cfa = {.plan = &cfa, .head = 2, .words = 1}};
}

/* With the first argument at the entry and the value returned as features. */
static inline struct pad_function with_features(unsigned number)
{
	static const struct plan_step argument[] = {{PLAN_REG, 5}}, value[] = {{PLAN_REG, 0}};
	static const struct read_plan argument_plan = {argument, 1, PLAN_SIGNED, 8};
	static const struct read_plan value_plan = {value, 1, PLAN_SIGNED, 8};
	static const struct pad_feature at_entry = {{&argument_plan, 1, 1, 0}, 1, 0};
	static const struct pad_feature at_return = {{&value_plan, 1, 1, 0}, 2, 1};
	struct pad_function function = a_function(number);

	function.at_entry = &at_entry;
	function.at_return = &at_return;
	function.n_at_entry = function.n_at_return = 1;
	function.n_words = 3;
	function.n_absent = 1;
	return function;
}

/* At both ends one that needs many registers and one that loads from where rdi points. */
static inline struct pad_function with_long_plans(unsigned number)
{
	static const struct plan_step loading[] = {{PLAN_REG, 5}, {PLAN_LOAD, 8}};
	static const struct plan_step working[] = {
		{PLAN_REG, 5}, {PLAN_REG, 4}, {PLAN_REG, 1}, {PLAN_REG, 2},  {PLAN_REG, 8},
		{PLAN_MUL, 0}, {PLAN_DIV, 0}, {PLAN_XOR, 0}, {PLAN_PLUS, 0},
	};
	static const struct read_plan loading_plan = {loading, 2, PLAN_SIGNED, 8};
	static const struct read_plan working_plan = {working, 9, PLAN_SIGNED, 8};
	static struct pad_feature features[2][2];
	struct pad_function function = a_function(number);
	const char *why;

	function.n_words = function.n_absent = 1;
	for (unsigned i = 0; i < 4; i++) {
		struct pad_feature *feature = &features[i / 2][i % 2];

		assert_true(pad_plan_split(i % 2 ? &loading_plan : &working_plan, &feature->plan,
					   &why));
		feature->word = function.n_words;
		feature->bit = 10 + i;
		function.n_words += feature->plan.words;
	}
	function.at_entry = features[0];
	function.at_return = features[1];
	function.n_at_entry = function.n_at_return = 2;
	return function;
}

static inline struct pad_function with_branch(unsigned number)
{
	struct pad_function function = a_function(number);

	function.n_words = function.n_branches = 1;
	return function;
}

static inline void call(void (*function)(void), uint64_t argument)
{
	struct pad_play_state state = {.registers = {[5] = argument}};

	pad_play_run(&state, (const void *)(uintptr_t)function);
}

/* The next call has @rank: the inverse of the factor is found by Newton's method. */
static inline void draw(struct pad_play *play, uint32_t rank)
{
	uint64_t inverse = PAD_CHANCE_FACTOR;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - PAD_CHANCE_FACTOR * inverse;
	play->block->chance = (((uint64_t)rank << 32) - PAD_CHANCE_STEP) * inverse;
}

static inline const struct pad_frame *first_record(const struct pad_play *play)
{
	uint64_t offset = 0;

	return pad_play_record(play, &offset);
}

/* A frame below the innermost one. */
static inline void push_frame(struct pad_play *play, unsigned function, uint64_t frame_cfa,
			      uint32_t flags)
{
	struct pad_frame *frame = pad_play_top(play) - 1;

	*frame = (struct pad_frame){.previous = play->block->top,
				    .cfa = frame_cfa,
				    .function = function,
				    .flags = flags};
	play->block->top = (uintptr_t)frame;
}

/* Calls that ended have left something where frames will be. */
static inline void dirty(struct pad_play *play)
{
	memset((uint8_t *)play->block + PAD_FRAMES_OFFSET, 0xaa,
	       play->block->top - play->block->address - PAD_FRAMES_OFFSET);
}

static inline struct pad_play_state random_state(uint64_t seed, uint64_t flags)
{
	struct pad_play_state state = {.flags = flags};

	for (unsigned i = 0; i < sizeof(state) / 8 - 1; i++) {
		seed = seed * PAD_CHANCE_FACTOR + PAD_CHANCE_STEP;
		((uint64_t *)&state)[i] = seed;
	}
	return state;
}

/* Call with all combinations of flags, and see all registers and flags as they were. */
static inline void expect_nothing_changed(void (*function)(void))
{
	static const uint64_t bits[] = {1, 4, 0x10, 0x40, 0x80, 0x800};

	for (unsigned i = 0; i < 64; i++) {
		struct pad_play_state before = random_state(i, 0), after;

		for (unsigned k = 0; k < 6; k++)
			before.flags |= i >> k & 1 ? bits[k] : 0;
		after = before;
		pad_play_run(&after, (const void *)(uintptr_t)function);
		before.registers[7] = after.registers[7];
		assert_memory_equal(before.registers, after.registers, sizeof(before.registers));
		assert_memory_equal(before.xmm, after.xmm, sizeof(before.xmm));
		assert_int_equal(before.flags, after.flags & FLAGS);
	}
}

#endif
