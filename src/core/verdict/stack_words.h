/*
 * Stacks in sentences: what each thread that is in the program's own code does, and for how much
 * longer.
 */
#pragma once

#include "stack.h"

/* Print a sentence for each deadlock. Returns how many there are. */
size_t stack_words_circles(const struct stack *stack, FILE *out);

/*
 * Print these, then one for each thread with a call of the program itself,
 * equal ones once. False: there is no such thread, and nothing is printed.
 */
bool stack_words_print(const struct stack *stack, FILE *out);
