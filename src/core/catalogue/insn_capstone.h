/* What insn.c, insn_outline.c and insn_shape.c share of capstone. Private to them. */
#pragma once

#include <capstone/capstone.h>

#include "insn.h"

struct insn_decoder {
	csh handle;
	cs_insn *insn;
	csh sizes; /* without operands */
	cs_insn *sized;
};

/* The 64-bit general register that @reg is part of; else @reg. */
x86_reg insn_whole_register(x86_reg reg);

/*
 * The size of rdssp or incssp, which unwinders use where there may be a shadow stack and capstone
 * does not know; 0: neither.
 */
unsigned insn_shadow_stack_size(const uint8_t *bytes, size_t n);
bool insn_is_prefix(uint8_t byte); /* an old one, no REX */
