/*
 * Judging stacks: which annotation is that of an open call, what its features are in the frame, and
 * what follows.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "forecast.h"
#include "stack.h"

/*
 * Give each frame of a function that has an annotation of time in @annotations its outlook, in the
 * stack's arena. Inlined ones are calls, too. Returns how many have one. @annotations lives as long
 * as the stack is used.
 */
size_t stack_annotations_apply(struct stack *stack, const struct annotation_list *annotations);

/* The annotation of time of the function that is open in @frame; NULL: there is none. */
const struct annotation *stack_annotations_find(const struct annotation_list *annotations,
						const struct stack_frame *frame,
						struct arena *arena);

/*
 * What the thread waits for, who has it, and what that one waits for: a phrase in the stack's
 * arena. NULL: it does not wait. @thread: its index.
 */
const char *stack_annotations_wait(const struct stack *stack, size_t thread);

/*
 * "f, g and 3 more": the functions that have annotations of time, as many as are worth telling;
 * NULL: none has.
 */
const char *stack_annotations_list(const struct annotation_list *annotations, struct arena *arena);
