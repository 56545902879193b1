/*
 * Reading the values of frames, whose sites and registers are known. Private to stack_capture.c.
 */
#pragma once

#include "stack_build.h"

/*
 * Find what the caller of frame @index passed in registers, which the frame itself may no longer
 * have; that of outer frames first, since it may depend on them.
 */
void frame_values_pass(struct stack_capture *capture, const struct found_thread *thread,
		       size_t index);

/* Read the features of the functions in @frame, if its site is known. */
void frame_values_read(struct stack_capture *capture, const struct found_thread *thread,
		       struct found_frame *frame);

/* What read plans of @frame need. */
void frame_values_context(const struct stack_capture *capture, const struct found_thread *thread,
			  const struct found_frame *frame, struct plan_context *ret);

/*
 * The string at @address in quotes, in @arena: up to its end or @size bytes, of which a part is
 * shown. NULL: unreadable.
 */
const char *frame_values_string(const struct stack_capture *capture, uint64_t address,
				uint64_t size, struct arena *arena);

/*
 * The text of @all characters of @unit bytes (1; 2: UTF-16) at @address, as above. NULL: it cannot
 * be read.
 */
const char *frame_values_text(const struct stack_capture *capture, uint64_t address, double all,
			      unsigned unit, struct arena *arena);
