/*
 * The code of those steps of read plans that take more than an instruction or two. Private to
 * pad_plan.c. Of all: the operands are on top of the stack, rax, rdx and rcx are free.
 */
#pragma once

#include "pad_words.h"

void pad_step_shift(struct pad_words *words, enum plan_op op);
void pad_step_divide(struct pad_words *words, enum plan_op op); /* PLAN_DIV, PLAN_MOD */
void pad_step_string(struct pad_words *words, uint32_t limit);
void pad_step_sum(struct pad_words *words, const struct plan_array *array);
void pad_step_cast(struct pad_words *words, uint64_t cast);
