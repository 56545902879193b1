/*
 * The stack of a read plan while its code is written: where the pad will have each word. Private to
 * the files that write the code of plans.
 *
 * Every word has a home, a register that no other word has. What is known before the pad runs is
 * kept back: constants, what is added to a word, and words that are in a register of the program,
 * so that `reg 5; add 16; load 8` is one instruction.
 */
#pragma once

#include "pad_plan.h"

/* Registers that are no word's home in plans with steps that need them (pad_words_scratch()). */
enum { PAD_RAX = 0, PAD_RDX = 1, PAD_RCX = 2 };

enum { PAD_NO_REGISTER = -1 };

struct pad_word {
	int home;
	int reg;         /* its home, or one of the program's; the word is what is in it + number */
	uint64_t number; /* beside a register: a sign-extended 32-bit number */
};

/* The code goes on where the value is made absent. */
struct pad_exit {
	struct asm_fixup jump;
	enum absence absence;
};

enum { PAD_EXITS_MAX = 3 * PLAN_STEPS_MAX };

struct pad_words {
	struct assembler *code;
	const struct pad_plan_place *place;
	struct pad_faults *faults;
	size_t first_fault; /* of this plan */
	struct pad_word words[PLAN_STACK];
	unsigned depth;
	struct pad_exit exits[PAD_EXITS_MAX];
	unsigned n_exits;
};

/* Are rax, rdx and rcx no homes, as a step of the head needs them? */
bool pad_words_scratch(const struct pad_plan *plan);

/* The registers that are homes, most used first. */
const uint8_t *pad_words_homes(const struct pad_plan *plan);

struct pad_word *pad_words_top(struct pad_words *words);
void pad_words_push_constant(struct pad_words *words, uint64_t number);

/* Push a word that the caller's code leaves in its home, which is returned. */
int pad_words_push_home(struct pad_words *words);
void pad_words_push_register(struct pad_words *words, int reg); /* of the program */
void pad_words_push_copy(struct pad_words *words, const struct pad_word *of);
struct pad_word *pad_words_pop(struct pad_words *words);

/* Write code so that the word is in a register, which is returned and not to be changed. */
int pad_words_read(struct pad_words *words, struct pad_word *word);

/* The same, in its home: it may be changed. */
int pad_words_own(struct pad_words *words, struct pad_word *word);

/* The word is in its home now. */
void pad_words_in_home(struct pad_word *word);
void pad_words_add(struct pad_words *words, struct pad_word *word, uint64_t number);

/* The value is absent, always or if a condition holds. */
void pad_words_exit(struct pad_words *words, enum absence absence);
void pad_words_exit_if(struct pad_words *words, enum asm_condition condition, enum absence absence);

/* The next instruction may fault: the value is unreadable then. Returns the fault's index. */
size_t pad_words_may_fault(struct pad_words *words);

/* Leave the stack in the frame; write the code for absent values. */
void pad_words_end(struct pad_words *words);

/*
 * Of pad_step.c: the code of those steps of read plans that take more than an instruction or two.
 * The operands are on top of the stack, rax, rdx and rcx are free.
 */
void pad_step_shift(struct pad_words *words, enum plan_op op);
void pad_step_divide(struct pad_words *words, enum plan_op op); /* PLAN_DIV, PLAN_MOD */
void pad_step_string(struct pad_words *words, uint32_t limit);
void pad_step_sum(struct pad_words *words, const struct plan_array *array);
void pad_step_cast(struct pad_words *words, uint64_t cast);
