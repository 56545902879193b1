/*
 * Adopting: which of the calls that are open in a stack are followed, and handing them to a
 * session.
 */
#pragma once

#include "core/annotation/annotation_parse.h"
#include "core/catalogue/catalogue.h"
#include "core/verdict/stack.h"
#include "cli/options.h"
#include "trace/session.h"

/*
 * Patterns for a catalogue that has what may be followed: linkage names of the functions that are
 * open in @stack and have an annotation, if there is a list of them; else of all of the program
 * itself, without its libraries. In @arena; returns how many.
 */
size_t adopt_frames_patterns(const struct stack *stack, const struct annotation_list *annotations,
			     struct arena *arena, const char ***ret);

/*
 * The innermost open call of the thread that a session which measures @catalogue can follow;
 * inlined ones have no end of their own. Returns the index of its frame, n_frames: there is none.
 * *@ret_function: its index in the catalogue.
 */
size_t adopt_frames_choose(const struct stack_thread *thread, const struct catalogue *catalogue,
			   unsigned *ret_function);

/*
 * From now on @session, which is halted, follows the call in frame @frame of @thread. @at_most_us:
 * it has run no longer so far; NAN: not known. *@ret: its number. False: it cannot be followed.
 */
bool adopt_frames(struct session *session, const struct stack_thread *thread, size_t frame,
		  double at_most_us, const struct catalogue *catalogue, unsigned function,
		  int64_t *ret);
