/* Walks the stack of one thread at one moment, from the innermost frame on; opens no file. */
#pragma once

#include <stdbool.h>

#include "opened_files.h"

/* What a sample has: its registers by DWARF number, and the stack from the stack pointer on. */
struct sampled_stack {
	const uint64_t *registers; /* [UNWIND_REGISTERS] */
	const void *bytes;
	uint64_t size;
};

struct stack_walk {
	struct plan_runner *runner; /* borrowed */
	struct memory memory;
	struct unwind_frame frames[2]; /* in turn */
	unsigned depth;                /* of the frame that it is at; 0: the innermost */
	bool is_exact;                 /* the PC is that of an instruction, not behind a call */
};

struct stack_walk stack_walk_begin(struct plan_runner *runner, const struct memory *memory,
				   const struct unwind_registers *registers);
/* Of a sample, which is borrowed: no more than its part of the stack is walked. */
struct stack_walk stack_walk_sampled(struct plan_runner *runner, struct sampled_stack *sampled);

/* The frame's run-time PC, or an address within the call that it has made. */
uint64_t stack_walk_pc(const struct stack_walk *walk);

/*
 * Go to the caller of the frame, whose code @opened has; NULL: unknown. UNWIND_CALLER: it is there.
 * Of very deep stacks only the inner frames are found.
 */
enum unwind_end stack_walk_out(struct stack_walk *walk, struct opened_file *opened);
