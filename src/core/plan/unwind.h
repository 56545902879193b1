/*
 * Unwinding: from the registers of one frame to those of its caller.
 *
 * The call frame information at an address is compiled once into a row of read plans (dwarf/), so
 * that unwinding a stack runs plans and opens no file.
 *
 * Source: DWARF 5, section 6.4; System V x86-64 psABI, section 3.7.
 */
#pragma once

#include "plan_runner.h"

enum { UNWIND_REGISTERS = 17, UNWIND_SP = 7, UNWIND_PC = 16 };

/* A frame's registers, by DWARF number. */
struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t unknown; /* bit N: register N is not known */
};

/* How the caller's registers are found at one address. */
struct unwind_row {
	const char *why_not;  /* a phrase: why there is no row; NULL: the rest is valid */
	struct read_plan cfa; /* the caller's stack pointer unless a rule says otherwise */
	/* For registers in memory or computed ones; without steps: see `same`. */
	struct read_plan rules[UNWIND_REGISTERS];
	uint64_t same;     /* bit N: register N is unchanged; neither this nor a rule: unknown */
	bool is_signal;    /* the kernel's frame, to which a signal handler returns */
	bool is_outermost; /* the frame has no caller */
};

struct unwind_frame {
	struct unwind_registers registers;
	uint64_t load_bias; /* of its module */
	uint64_t cfa;       /* 0: not known (yet) */
};

enum unwind_end {
	UNWIND_CALLER,     /* there is a caller */
	UNWIND_OUTERMOST,  /* there is none */
	UNWIND_UNREADABLE, /* its stack memory cannot be read */
	UNWIND_UNKNOWN,    /* a needed register is unknown */
	UNWIND_BACKWARDS,  /* the caller's frame would lie below this one */
};

/*
 * The registers of the caller of @frame, at whose PC @row holds, in *@ret. Fills in @frame's CFA if
 * it can be found. @inner: the frame that @frame called, on the same stack, or NULL.
 */
enum unwind_end unwind_step(struct plan_runner *runner, const struct memory *memory,
			    const struct unwind_row *row, const struct unwind_frame *inner,
			    struct unwind_frame *frame, struct unwind_registers *ret);

/* For people: why a stack ends there. NULL: a normal end. */
const char *unwind_end_phrase(enum unwind_end end);
