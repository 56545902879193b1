/* What insn.c and insn_shape.c share of capstone. Private to them. */
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
