/* A quick look at instructions: kind and target only. */
#pragma once

#include "insn.h"

/* What a look through all code of a module needs; found in a third of the time. */
struct insn_outline {
	uint8_t size;
	enum insn_kind kind; /* INSN_UNMOVABLE is INSN_PLAIN here */
	uint64_t target;     /* of direct transfers */
	uint8_t opcode;      /* its offset in the bytes */
	bool may_use_rip;    /* it may have a RIP-relative operand: insn_decode() knows */
};

/* As insn_decode(). */
bool insn_outline(struct insn_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
		  struct insn_outline *ret);
