/*
 * Judging stacks: which annotation belongs to an open call, the values of its features in the
 * frame, and the forecast.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "forecast.h"
#include "stack.h"

/*
 * Give each frame, also inlined ones, of a function with an annotation of time in @annotations a
 * forecast, in the stack's arena. Returns how many got one. @annotations must outlive the stack.
 */
size_t stack_annotations_apply(struct stack *stack, const struct annotation_list *annotations);

/* The annotation of time for the function of @frame; NULL: none. */
const struct annotation *stack_annotations_find(const struct annotation_list *annotations,
						const struct stack_frame *frame,
						struct arena *arena);

/*
 * What thread number @thread waits for, who has it, and what that one waits for: a phrase in the
 * stack's arena. NULL: it does not wait.
 */
const char *stack_annotations_wait(const struct stack *stack, size_t thread);

/* "f, g and 3 more": the functions with annotations of time; NULL: none. */
const char *stack_annotations_list(const struct annotation_list *annotations, struct arena *arena);
