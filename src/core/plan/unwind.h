/*
 * Unwinding: from the registers of one frame to those of its caller's.
 *
 * What the call frame information says at an address is compiled into a row of read plans once, so
 * that a stack is unwound by running plans, without a look at a file.
 *
 * Source: DWARF 5, section 6.4; System V x86-64 psABI, section 3.7.
 */
#pragma once

#include "plan_runner.h"

enum { UNWIND_REGISTERS = 17, UNWIND_SP = 7, UNWIND_PC = 16 };

/* The registers that a frame has, in DWARF's numbers. */
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t unknown; /* bit N: register N is not known */
};

/* How the caller's registers are found at one address. */
struct unwind_row {
	const char *why_not;  /* a phrase: there is no way, and why; NULL: the rest is valid */
	struct read_plan cfa; /* the caller's stack pointer, if no rule says otherwise */
	/* Of each register that is in memory or computed; without steps: see `same`. */
	struct read_plan rules[UNWIND_REGISTERS];
	uint64_t
		same; /* bit N: register N is as it was; neither this nor a rule: it is not known */
	bool is_signal;    /* the frame is the kernel's, in which a signal handler returns */
	bool is_outermost; /* the frame has no caller */
};

struct unwind_frame {
	struct unwind_registers registers;
	uint64_t load_bias; /* of the module that it is in */
	uint64_t cfa;       /* 0: not known (yet) */
};

enum unwind_end {
	UNWIND_CALLER,     /* there is a caller */
	UNWIND_OUTERMOST,  /* there is none */
	UNWIND_UNREADABLE, /* its stack memory cannot be read */
	UNWIND_UNKNOWN,    /* a register that it takes is not known */
	UNWIND_BACKWARDS,  /* the caller's frame would lie below this one */
};

/*
 * The registers of the caller of @frame, at which @row holds. @frame's CFA is filled in, if it can
 * be found. @inner: the frame that @frame called, on the same stack; NULL: there is none.
 */
enum unwind_end unwind_step(struct plan_runner *runner, const struct memory *memory,
			    const struct unwind_row *row, const struct unwind_frame *inner,
			    struct unwind_frame *frame, struct unwind_registers *ret);

/* A phrase for people: why a stack ends there. NULL: as it should. */
const char *unwind_end_phrase(enum unwind_end end);
