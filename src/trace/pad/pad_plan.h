/*
 * Read plans as machine code.
 *
 * A plan is split: its head runs in the pad and leaves its stack as words in the frame; its tail,
 * which needs no memory (classes, conversions of floats), runs in the tracer, by the interpreter
 * itself. Both together give what plan_runner_run() gives, bit by bit, absences included.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assembler.h"
#include "core/plan/plan_runner.h"

struct pad_plan {
	const struct read_plan *plan; /* borrowed */
	unsigned head;                /* steps that run in the pad */
	unsigned words;               /* depth of the stack behind them, at least 1 */
	unsigned loads;               /* that read the inferior's memory */
};

/*
 * @plan: verified, or without steps. False: a step cannot run in a pad, nor without memory in the
 * tracer; *@ret_why is a phrase.
 */
bool pad_plan_split(const struct read_plan *plan, struct pad_plan *ret, const char **ret_why);

/* Likewise, but all steps run in the pad, where the one word is the result. */
bool pad_plan_whole(const struct read_plan *plan, struct pad_plan *ret, const char **ret_why);

/* A load that may fault: the tracer has the thread go on at `resume` then. Offsets in the code. */
struct pad_fault {
	uint32_t at, resume;
	bool foreign; /* gs leads nowhere: the program uses it itself */
};

struct pad_faults {
	struct pad_fault *list; /* owned */
	size_t n, capacity;
};

/* Where the code of a plan finds and leaves things. */
struct pad_plan_place {
	uint64_t load_bias;
	uint64_t pc;     /* the probed instruction's run-time address */
	uint32_t saved;  /* bit N: register N is in the block's save[N], and free to use */
	int frame;       /* register that holds the frame's address; kept */
	int32_t words;   /* offset in the frame of the plan's first word */
	int32_t absent;  /* offset of the 64-bit word with its absent bit */
	unsigned bit;    /* 0 to 63, 0 initially */
	int32_t strings; /* offset in the block of pad_sums' `strings`; 0: as long as in the plan */
	const struct class_map *classes; /* as in struct plan_context */
};

/*
 * The registers that the code of plans changes, apart from the flags: they must be saved. Never
 * rbx, rbp, rsp, r14 or r15. (Sums of floats use an xmm register, and restore it.)
 */
uint32_t pad_plan_changes(const struct pad_plan *plan);

/* Append the head's code, which runs on to what follows it. */
void pad_plan_emit(struct assembler *code, const struct pad_plan *plan,
		   const struct pad_plan_place *place, struct pad_faults *faults);

/*
 * Run the tail on the @words that the head left; @absence: PRESENT or what the head found.
 * @context has classes and load_bias.
 */
struct value pad_plan_finish(const struct pad_plan *plan, const uint64_t *words,
			     enum absence absence, const struct plan_context *context);
