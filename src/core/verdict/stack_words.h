/*
 * Stacks in sentences: what each thread that is in the program's own code does, and for how much
 * longer.
 */
#pragma once

#include "stack.h"

/*
 * Print a sentence for each deadlock, then one for each thread with a call of the program itself,
 * equal ones once, and an empty line behind them. Nothing if there is no such thread.
 */
void stack_words_print(const struct stack *stack, FILE *out);
