/* Running machine code that a test wrote, with chosen registers, in this process. */
#ifndef FATHOM_TESTS_CODE_RUNNER_H
#define FATHOM_TESTS_CODE_RUNNER_H

#include <stdint.h>

#include "trace/pad/pad_plan.h"

struct code_state {
	uint64_t registers[16]; /* by DWARF number; the code runs on this stack */
	uint64_t xmm[16][2];
	uint64_t control; /* MXCSR */
};

/* Room for code, at its run-time address, and gs-relative accesses that go to @block. */
struct assembler code_runner_start(void *block);

/* Append code that ends a run. */
void code_runner_end(struct assembler *code);

/*
 * End the code and run it from its beginning. An instruction in @faults (NULL: none) that faults
 * has the code go on as the tracer would.
 */
void code_runner_run(struct assembler *code, const struct pad_faults *faults,
		     struct code_state *state);

/* Take the room away. */
void code_runner_stop(struct assembler *code);

#endif
