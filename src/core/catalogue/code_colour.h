/*
 * A hash of instructions that is the same for other registers and for another order within blocks.
 *
 * Registers get colours: at first all the same, then of how they are used, by instructions whose
 * other registers have such colours. So two functions with a one-to-one map of their registers hash
 * alike. Source: the refinement of B. Weisfeiler and A. Leman, 1968; the idea of J. Pavela,
 * Efficient techniques for program performance analysis, 2020, where each such map is tried.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "insn_shape.h"

struct colour_item {
	uint64_t hash; /* of what is not a register */
	size_t block;  /* ascending */
	uint16_t uses[INSN_SHAPE_USES];
	uint8_t n_uses;
};

uint64_t code_colour_hash(const struct colour_item *items, size_t n);
