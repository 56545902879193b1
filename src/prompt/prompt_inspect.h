/* Show where the threads of the halted process are. Private to prompt*.c. */
#pragma once

#include "core/verdict/stack.h"
#include "prompt_state.h"

bool prompt_print_threads(struct prompt *prompt, FILE *out, struct err *err);
/* The first frames of prompt->thread, and the source line of the first that has one. */
void prompt_print_place(struct prompt *prompt, FILE *out);

/*
 * The innermost frame of the function of @call, which is open, as it is now. NULL: none, or the
 * call has returned. The caller destroys *@ret (NULL is fine).
 */
const struct stack_frame *prompt_frame_of(struct prompt *prompt, const struct prompt_call *call,
					  struct stack **ret);
