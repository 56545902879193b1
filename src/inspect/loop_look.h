/* Where the threads of a process that run are at work: lines and turns, by samples of a moment. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/verdict/stack.h"

enum { MOMENT_REGISTERS = 16, MOMENT_WORDS = 64, COUNTERS_MOST = 3 };

/* One sample: registers by DWARF number, and what is on the stack from the stack pointer on. */
struct loop_moment {
	int thread;
	uint64_t when_ns;
	uint64_t registers[MOMENT_REGISTERS];
	uint32_t words[MOMENT_WORDS]; /* beyond the stack's end 0 */
};

/* A register or word that only grew, or only shrank. */
struct loop_counter {
	unsigned place; /* of a register; MOMENT_REGISTERS and more: of a word */
	double rate;    /* steps a second; the step is what divides all changes */
};

/*
 * What counted in the frame that most of @moments have, slowest first, equal rates once. Returns
 * how many; 0: nothing, or too few moments.
 */
unsigned loop_look_counters(const struct loop_moment *moments, size_t n,
			    struct loop_counter ret[COUNTERS_MOST]);

/*
 * If a thread of @stack runs in a call of the program itself: sample the process, which is not
 * stopped, for a fifth of a second, and print a sentence: lines, and how often a second loops turn,
 * by what registers and the stack count meanwhile. Without the right to, or if it no longer
 * runs, nothing is printed. @debuginfo_path: as in struct catalogue_request.
 */
void loop_look_print(const struct stack *stack, const char *debuginfo_path, FILE *out);
