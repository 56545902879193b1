/*
 * An instruction apart from which registers it uses: two with the same shape do the same to others.
 */
#pragma once

#include "insn.h"

enum { INSN_SHAPE_USES = 16, INSN_SHAPE_REGISTERS = 512 };

struct insn_shape {
	unsigned mnemonic; /* a number of it */
	/*
	 * Of the operands but for registers and what is relative to the PC: their kinds and sizes,
	 * constants, displacements; of the stack pointer and of segments also which.
	 */
	uint64_t operands;
	/* Registers as a whole, numbers below INSN_SHAPE_REGISTERS, in the operands' order. */
	uint16_t uses[INSN_SHAPE_USES];
	uint8_t n_uses;
};

/* As insn_decode(). */
bool insn_shape(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		struct insn_shape *ret);
