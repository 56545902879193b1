/*
 * Adopting: selects open calls of a stack and hands them to a session, which follows them.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "core/catalogue/catalogue.h"
#include "core/verdict/stack.h"
#include "cli/options.h"
#include "trace/session.h"

/*
 * Patterns for a catalogue of what may be followed: linkage names of the functions open in @stack
 * that have an annotation; if @annotations is empty, of those of the program itself, without its
 * libraries. In @arena; returns how many.
 */
size_t adopt_frames_patterns(const struct stack *stack, const struct annotation_list *annotations,
			     struct arena *arena, const char ***ret);

/*
 * The innermost open call of @thread that a session of @catalogue can follow; inlined calls have no
 * return of their own. Returns the index of its frame; n_frames: none. *@ret_function: index in the
 * catalogue.
 */
size_t adopt_frames_choose(const struct stack_thread *thread, const struct catalogue *catalogue,
			   unsigned *ret_function);

/*
 * Make @session, which is halted, follow the call of frame @frame of @thread. @at_most_us: upper
 * bound of its time so far; NAN: unknown. *@ret: its number. False: it cannot be followed.
 */
bool adopt_frames(struct session *session, const struct stack_thread *thread, size_t frame,
		  double at_most_us, const struct catalogue *catalogue, unsigned function,
		  int64_t *ret);
