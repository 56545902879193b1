/* Instructions as candidates for runs. Private to jump_sites.c, jump_run.c and jump_gap.c. */
#pragma once

#include "jump_sites.h"

enum { CODE_ALIGNED = 8 }; /* where code follows padding */

/* How an instruction may be part of a run. */
enum code_part {
	PART_PLAIN,
	PART_NOP,  /* padding, or plain */
	PART_INT3, /* padding */
	PART_LAST, /* nothing runs on behind it */
	PART_CALL, /* may end a run, as it returns behind it */
	PART_STAYS,
	PART_ENDBR,
};

/* A direct jump in the function or near it. */
struct code_jump {
	uint64_t addr, target_addr;
};

struct code_insn {
	uint64_t addr;
	uint8_t size; /* 0: code that is not looked at begins here */
	uint8_t part;
	bool entered;  /* something may jump to it, */
	bool foreign;  /* and not just direct jumps of the function */
	bool split;    /* something jumps into its middle */
	bool moved;    /* it is part of a run that is replaced anyway */
	bool kept;     /* it is probed by an int3, or by a short jump */
	bool lends;    /* it is part of a lender */
	uint16_t used; /* bit N: byte N is in a gap, or padding in a run */
};

extern const char jump_sites_why_targets[];

/* The instruction that the byte at @addr belongs to; NULL: none of the function. */
struct code_insn *jump_sites_find(const struct jump_sites *sites, uint64_t addr);
